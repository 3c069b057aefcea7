// The MCP server of tests (mcpServer.mjs) by each way in which an agent can reach one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const SERVER_PROGRAM = path.resolve(import.meta.dirname, 'mcpServer.mjs');

export const TRANSPORTS = ['command', 'address'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Returns what declares a server that behaves in a way. Those at an address end after each test of the `describe`. */
export function useServersOver() {
	const started: ChildProcess[] = [];
	afterEach(() => {
		for (const child of started.splice(0)) {
			child.kill();
		}
	});

	return async (
		transport: Transport,
		...args: string[]
	): Promise<{ command: string; args: string[] } | { url: string }> => {
		if (transport === 'command') {
			return { command: process.execPath, args: [SERVER_PROGRAM, ...args] };
		}
		const child = spawn(process.execPath, [SERVER_PROGRAM, ...args, '--http'], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		started.push(child);
		const [url] = await once(createInterface({ input: child.stdout }), 'line');
		return { url };
	};
}
