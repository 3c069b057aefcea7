import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startServer } from '../../src/agents/mcp/startServer.ts';
import { toolchains } from '../../src/agents/sandbox/toolchains.ts';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { INSIDE_PROGRAM, type TestSandbox } from './sandbox.ts';
import { waitFor } from './waitFor.ts';

/**
 * Starts an MCP server in a sandbox without anything around it, of which it sees only what it needs itself, and ends it
 * after `work`. Its package is kept in the folder of the sandbox.
 */
export async function withServerInSandbox<T>(
	{ folder, tree, home }: TestSandbox,
	{ command, args }: Pick<McpServer, 'command' | 'args'>,
	environment: Readonly<Record<string, string | undefined>>,
	work: (ask: (method: string, params?: object) => Promise<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
	const privateFolders = [folder];
	const refused: string[] = [];
	const connection = await startServer(
		{ name: 'test', file: '.mcp.json', command, args, env: {}, hosts: [], files: 'read' },
		{
			agent: {
				...{ tree, home, folder, name: 'repository', marker: folder },
				...{ isSandboxed: true, privateFolders, insideProgram: INSIDE_PROGRAM, relay: undefined },
				toolchains: toolchains(privateFolders, { PATH: '/usr/bin' }, os.homedir()),
			},
			...{ homes: path.join(folder, 'homes'), packages: path.join(folder, 'packages'), environment },
			...{ input: () => '', onRefused: sentence => refused.push(sentence) },
		},
		new AbortController().signal,
	);
	const answers: { id?: number; result?: Record<string, unknown> }[] = [];
	createInterface({ input: connection.output }).on('line', line => answers.push(JSON.parse(line)));
	let next = 0;
	try {
		return await work(async (method, params = {}) => {
			const id = ++next;
			connection.input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
			const { result = {} } = await waitFor(`${method} ${refused}`, () => answers.find(answer => answer.id === id));
			return result;
		});
	} finally {
		await connection.end();
	}
}
