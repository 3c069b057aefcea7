import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startServer } from '../../src/agents/mcp/startServer.ts';
import { toolchains } from '../../src/agents/sandbox/toolchains.ts';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { PackageRegistry, packPackage } from '../support/packageRegistry.ts';
import { INSIDE_PROGRAM, TestSandbox } from '../support/sandbox.ts';
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

	/** Installs a server and starts it in a sandbox, asks it for something, and ends it. */
	async function use(
		{ command, args }: Pick<McpServer, 'command' | 'args'>,
		environment: Record<string, string>,
	): Promise<Record<string, unknown>> {
		const { signal } = new AbortController();
		const privateFolders = [sandbox.folder];
		const connection = await startServer(
			{ name: 'test', file: '.mcp.json', command, args, env: {}, hosts: [], files: 'read' },
			{
				agent: {
					...{ tree: sandbox.tree, home: sandbox.home, folder: sandbox.folder, name: 'repository' },
					...{ isSandboxed: true, privateFolders, insideProgram: INSIDE_PROGRAM, marker: sandbox.folder },
					// What is not shown for the server itself is not there.
					...{ relay: undefined, toolchains: toolchains(privateFolders, { PATH: '/usr/bin' }, os.homedir()) },
				},
				...{ homes: path.join(sandbox.folder, 'homes'), packages: path.join(sandbox.folder, 'packages'), environment },
				...{ input: () => '', onRefused: sentence => assert.fail(sentence) },
			},
			signal,
		);
		try {
			const answered = once(createInterface({ input: connection.output }), 'line');
			connection.input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
			const [line] = await answered;
			return JSON.parse(line).result;
		} finally {
			await connection.end();
		}
	}

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
		const programs = (await writeUv(folder)) ?? this.skip();
		const environment = { PATH: `${programs}:${process.env['PATH']}`, HOME: folder.path };
		const said = await use({ command: 'uvx', args: ['server@1.2.3', '--root', '.'] }, environment);
		assert.deepEqual(said, {
			environment: path.join(sandbox.folder, 'packages', encodeURIComponent('uv server@1.2.3'), 'tools', 'server'),
			...{ arguments: ['--root', '.'], isChanged: false, files: ['a.txt'] },
		});
	});
});
