import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { median } from './row.ts';

/** How an MCP server is started that speaks on its standard input and output. */
export interface ServerCommand {
	command: string;
	args: readonly string[];
	env: Record<string, string>;
}

/** Starts a server, calls its tool `add` one call after the other, and returns the usual time of a call in milliseconds. */
export async function timeCalls({ command, args, env }: ServerCommand, count: number): Promise<number> {
	const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
	try {
		const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
		const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		const ask = async (id: number, method: string, params: object): Promise<{ result?: unknown }> => {
			send({ id, method, params });
			for (;;) {
				const { done, value } = await lines.next();
				if (done) {
					throw new Error(`The server has ended before it answered ${method}.`);
				}
				const message = JSON.parse(value) as { id?: number; result?: unknown };
				if (message.id === id) {
					return message;
				}
			}
		};
		const clientInfo = { name: 'bench', version: '1' };
		await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		send({ method: 'notifications/initialized' });
		await ask(1, 'tools/list', {});
		const times: number[] = [];
		for (let index = 0; index < count; index++) {
			const began = performance.now();
			const { result } = await ask(2 + index, 'tools/call', { name: 'add', arguments: { a: index, b: 1 } });
			times.push(performance.now() - began);
			if (!JSON.stringify(result).includes(String(index + 1))) {
				throw new Error(`A call was answered with ${JSON.stringify(result)}.`);
			}
		}
		return median(times);
	} finally {
		server.kill();
	}
}
