import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { PackageRegistry, packPackage } from '../support/packageRegistry.ts';
import { TestSandbox } from '../support/sandbox.ts';
import { withServerInSandbox } from '../support/serverInSandbox.ts';
import { writeUv } from '../support/uvStandIn.ts';
import { useFolder } from '../unit/agents/useFolder.ts';

/** Says where it runs, and whether it can change itself. */
const NODE_SERVER = `#!/usr/bin/env node
const { appendFileSync, readdirSync } = require('node:fs');
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
	let isChanged = true;
	try {
		appendFileSync(__filename, ' ');
	} catch {
		isChanged = false;
	}
	const result = { arguments: process.argv.slice(2), isChanged, files: readdirSync('.') };
	console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result }));
});
`;

describe('an MCP server that is a package', () => {
	const folder = useFolder();
	let sandbox: TestSandbox;

	beforeEach(async () => {
		sandbox = await TestSandbox.create();
		await writeFile(path.join(sandbox.tree, 'a.txt'), 'a');
	});
	afterEach(() => sandbox?.remove());

	/** Installs a server, starts it in a sandbox, and asks it for something. */
	const use = (server: Pick<McpServer, 'command' | 'args'>, environment: Record<string, string>) =>
		withServerInSandbox(sandbox, server, environment, ask => ask('ping'));

	it('of npx is installed without its scripts, and started where it can change nothing of itself', async () => {
		const scripts = { preinstall: `touch ${folder.at('ran')}`, postinstall: `touch ${folder.at('ran')}` };
		const manifest = { name: '@scope/server', version: '1.2.3', bin: { server: 'run.js' }, scripts };
		const registry = await PackageRegistry.start([packPackage(manifest, { 'run.js': NODE_SERVER })]);
		try {
			const { address } = registry;
			const environment = { PATH: process.env['PATH'] ?? '', HOME: folder.path, npm_config_registry: address };
			const server = { command: 'npx', args: ['-y', '@scope/server@1.2.3', '--root', '.'] };
			const said = { arguments: ['--root', '.'], isChanged: false, files: ['a.txt'] };
			assert.deepEqual(await use(server, environment), said);
			const { length } = registry.requests;
			assert.deepEqual(await use(server, environment), said);
			assert.equal(registry.requests.length, length);
		} finally {
			await registry.stop();
		}
	});

	it('of uvx is started in its own environment, with the Python that this names', async function () {
		// The stand-in for uv links to a Python of this machine, which may have none.
		const programs = (await writeUv(folder)) ?? this.skip();
		const environment = { PATH: `${programs}:${process.env['PATH']}`, HOME: folder.path };
		const said = await use({ command: 'uvx', args: ['server@1.2.3', '--root', '.'] }, environment);
		assert.deepEqual(said, {
			environment: path.join(sandbox.folder, 'packages', encodeURIComponent('uv server@1.2.3'), 'tools', 'server'),
			...{ arguments: ['--root', '.'], isChanged: false, files: ['a.txt'] },
		});
	});
});
