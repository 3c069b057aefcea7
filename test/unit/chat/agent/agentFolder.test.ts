import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { AgentFolder } from '../../../../src/chat/agent/agentFolder.ts';

describe('the folder of a conversation’s agents', () => {
	let root: string;
	let folder: AgentFolder;

	beforeEach(async () => {
		root = await mkdtemp(path.join(os.tmpdir(), 'errand-agent-folder-'));
		folder = new AgentFolder(root, 'c0000000-0000-4000-8000-000000000001');
	});
	afterEach(() => rm(root, { recursive: true, force: true }));

	it('has a home for each agent', () => {
		assert.notEqual(folder.home('errand-inside'), folder.home('errand-outside'));
		assert.equal(folder.home('errand-inside'), folder.home('errand-inside'));
	});

	it('has a copy that begins anew each time, once it is whole', async () => {
		const layout = (before: string) => [{ repository: '/a', at: 'a', before }];
		const fill = (name: string) =>
			folder.replaceCopy(async copy => {
				await writeFile(path.join(copy, name), '');
				return layout(name);
			});
		assert.deepEqual(await folder.layout(), []);
		await fill('one.txt');
		const cause = new Error('no space is left');
		await assert.rejects(
			folder.replaceCopy(async copy => {
				await writeFile(path.join(copy, 'half.txt'), '');
				throw cause;
			}),
			cause,
		);
		assert.deepEqual(await readdir(folder.copy), ['one.txt']);
		assert.deepEqual(await folder.layout(), layout('one.txt'));
		await fill('two.txt');
		assert.deepEqual(await readdir(folder.copy), ['two.txt']);
		assert.deepEqual(await folder.layout(), layout('two.txt'));
	});

	it('is worked in by one window at a time, and by the next one once that is gone', async () => {
		const claim = path.join(folder.directory, 'turn.json');
		const release = await folder.claim();
		assert.ok(release);
		assert.equal(await folder.claim(), undefined);
		await release();
		const again = await folder.claim();
		assert.ok(again);
		await writeFile(claim, JSON.stringify({ pid: process.pid, start: 'another start' }));
		assert.ok(await folder.claim(), 'another process has the number of one that is gone');
		await writeFile(claim, 'half of it');
		assert.ok(await folder.claim());
	});

	it('knows the repositories that have something of it, once each, and forgets all', async () => {
		assert.deepEqual(await folder.repositories(), []);
		for (const repository of ['/a', '/b', '/a']) {
			await folder.note(repository);
		}
		assert.deepEqual(await folder.repositories(), ['/a', '/b']);
		await folder.remove();
		assert.deepEqual(await folder.repositories(), []);
		assert.equal(existsSync(folder.directory), false);
	});
});
