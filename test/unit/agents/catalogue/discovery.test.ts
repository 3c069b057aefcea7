import assert from 'node:assert/strict';
import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { configuredAgent } from '../../../../src/agents/catalogue/configuredAgent.ts';
import { discoverAgent } from '../../../../src/agents/catalogue/discovery.ts';
import { installationVersion } from '../../../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../../../src/agents/catalogue/knownAgents.ts';
import { agentSettingSchema } from '../../../../src/contract/agents.ts';
import { useFolder } from '../useFolder.ts';

describe('discoverAgent', () => {
	const folder = useFolder();
	const options = (...folders: string[]) => ({
		path: folders.map(name => folder.at(name)).join(path.delimiter),
		folder: folder.at('agents'),
		platform: 'linux-x64',
	});
	const known = (id: string) => {
		const agent = knownAgents.find(candidate => candidate.id === id);
		assert.ok(agent);
		return agent;
	};
	const configured = (setting: object) => configuredAgent(agentSettingSchema.parse(setting), {});
	/** Leaves a trace if anything executes it. */
	const trap = () => `#!/bin/sh\necho ran >> '${folder.at('ran')}'\n`;

	it('finds a known agent on PATH with the version of its package, and executes nothing', async () => {
		await folder.file('lib/node_modules/opencode-ai/package.json', '{"version":"1.2.3"}');
		const program = await folder.program('lib/node_modules/opencode-ai/bin/opencode', trap());
		await mkdir(folder.at('bin'));
		await symlink(program, folder.at('bin/opencode'));
		const found = await discoverAgent(known('opencode'), options('bin'));
		assert.equal(found?.source, 'path');
		assert.equal(found.location, program);
		assert.equal(found.version, '1.2.3');
		assert.deepEqual(found.programs, { opencode: program });
		await assert.rejects(rm(folder.at('ran')), { code: 'ENOENT' });
	});

	it('needs all programs of an agent', async () => {
		await folder.program('bin/pi-acp');
		assert.equal(await discoverAgent(known('pi'), options('bin', 'more')), undefined);
		await folder.program('more/pi');
		const found = await discoverAgent(known('pi'), options('bin', 'more'));
		assert.deepEqual(found?.programs, { 'pi-acp': folder.at('bin/pi-acp'), pi: folder.at('more/pi') });
		assert.equal(found.location, folder.at('bin/pi-acp'));
	});

	it('prefers the program of the user to the installed one, and takes no other version than the known one', async () => {
		const place = 'node_modules/opencode-linux-x64/bin/opencode';
		await folder.program(`agents/opencode/0.0.1/${place}`);
		assert.equal(await discoverAgent(known('opencode'), options('bin')), undefined);
		const version = installationVersion(known('opencode').installations['linux-x64'] ?? assert.fail());
		const installed = await folder.program(`agents/opencode/${version}/${place}`);
		const found = await discoverAgent(known('opencode'), options('bin'));
		assert.deepEqual([found?.source, found?.location], ['installed', installed]);
		assert.equal(await discoverAgent(known('opencode'), { ...options('bin'), platform: 'linux-arm64' }), undefined);
		await folder.program('bin/opencode');
		assert.equal((await discoverAgent(known('opencode'), options('bin')))?.source, 'path');
	});

	it('notices at once that a program has gone', async () => {
		const program = await folder.program('bin/qwen');
		assert.ok(await discoverAgent(known('qwen'), options('bin')));
		await rm(program);
		assert.equal(await discoverAgent(known('qwen'), options('bin')), undefined);
	});

	it('finds what a setting names by its path or on PATH, and nothing instead of it', async () => {
		const program = await folder.program('own place/my agent');
		await folder.program('bin/opencode');
		const byPath = await discoverAgent(configured({ id: 'mine', command: program }), options('bin'), true);
		assert.deepEqual([byPath?.source, byPath?.location], ['settings', program]);
		const byName = await discoverAgent(configured({ id: 'mine', command: 'my agent' }), options('own place'), true);
		assert.equal(byName?.location, program);
		const absent = configured({ id: 'opencode', command: '/absent/opencode' });
		assert.equal(await discoverAgent(absent, options('bin'), true), undefined);
		assert.equal(
			await discoverAgent(configured({ id: 'mine', command: './my agent' }), options('own place'), true),
			undefined,
		);
	});

	it('finds programs by names that mean something to JavaScript', async () => {
		for (const command of ['__proto__', 'constructor', 'toString']) {
			const setting = configured({ id: 'mine', command });
			assert.equal(await discoverAgent(setting, options('bin'), true), undefined);
			const program = await folder.program(`bin/${command}`);
			assert.equal((await discoverAgent(setting, options('bin'), true))?.location, program);
		}
	});

	it('uses no program of the repository that is worked on, not even one that a setting names', async () => {
		const planted = await folder.program('repository/node_modules/.bin/opencode');
		const place = { ...options('repository/node_modules/.bin'), outside: [folder.at('repository')] };
		assert.equal(await discoverAgent(known('opencode'), place), undefined);
		assert.equal(await discoverAgent(configured({ id: 'mine', command: planted }), place, true), undefined);
		assert.ok(await discoverAgent(known('opencode'), options('repository/node_modules/.bin')));
	});
});
