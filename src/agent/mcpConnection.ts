// A connection to an MCP server that a command starts: only the requests that an agent needs. The protocol's own
// package would add more to the program than all tools of the agent together.
import { spawn } from 'node:child_process';
import type { McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { objectsIn } from '../agents/lines.ts';
import { PROTOCOL_VERSION } from '../agents/mcp/gate.ts';
import { append } from '../base/append.ts';
import { untilAborted } from '../base/async.ts';
import { childEnvironment } from '../base/childEnvironment.ts';
import { isFields } from '../base/fields.ts';

export type StdioServer = Extract<McpServer, { command: string }>;

const MAXIMUM_LINE = 16 * 1024 * 1024;
const MAXIMUM_OUTPUT = 1024 * 1024 * 1024;
/** The maximum number of pages of a tool list. */
const MAXIMUM_PAGES = 50;
const CONNECT_MS = 60_000;
const CALL_MS = 15 * 60_000;
const METHOD_NOT_FOUND = -32_601;

const toolSchema = z.object({
	name: z.string(),
	description: z.string().default(''),
	inputSchema: z.record(z.string(), z.unknown()).default({}),
});
export type ServerTool = z.output<typeof toolSchema>;

const listSchema = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const contentSchema = z.looseObject({
	type: z.string(),
	text: z.string().optional(),
	resource: z.looseObject({ text: z.string().optional() }).optional(),
});
const resultSchema = z.object({
	content: z.array(contentSchema).default([]),
	structuredContent: z.unknown().optional(),
	isError: z.boolean().default(false),
});
export type CallResult = z.output<typeof resultSchema>;

type Answer = { result: unknown } | { error: unknown };

export class McpConnection {
	private readonly child;
	private readonly waiting = new Map<unknown, (answer: Answer) => void>();
	private next = 0;

	private constructor({ command, args, env }: StdioServer, cwd: string) {
		const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
		this.child = spawn(command, args, {
			...{ cwd, env: childEnvironment(process.env, variables), windowsHide: true },
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.child.on('error', () => this.failAll());
		this.child.stdin.on('error', () => {});
		const end = () => this.failAll();
		this.read().then(end, end);
	}

	/** Rejects with an Error if the server does not answer, or not as expected. Nothing of it is left running then. */
	static async open(server: StdioServer, cwd: string): Promise<{ connection: McpConnection; tools: ServerTool[] }> {
		const connection = new McpConnection(server, cwd);
		const signal = AbortSignal.timeout(CONNECT_MS);
		try {
			const clientInfo = { name: 'errand-agent', version: '1' };
			await connection.request(
				'initialize',
				{ protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo },
				signal,
			);
			connection.send({ method: 'notifications/initialized' });
			const tools: ServerTool[] = [];
			let cursor: string | undefined;
			for (let page = 0; page < MAXIMUM_PAGES && (page === 0 || cursor !== undefined); page++) {
				const listed = listSchema.parse(
					await connection.request('tools/list', cursor === undefined ? {} : { cursor }, signal),
				);
				append(
					tools,
					listed.tools.flatMap(tool => toolSchema.safeParse(tool).data ?? []),
				);
				cursor = listed.nextCursor;
			}
			return { connection, tools };
		} catch (error) {
			connection.close();
			throw error instanceof z.ZodError ? new Error('it answered with something else than tools') : error;
		}
	}

	/** Rejects with an Error, or with the signal's reason. */
	async call(name: string, given: Record<string, unknown>, signal: AbortSignal): Promise<CallResult> {
		const late = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
		const result = resultSchema.safeParse(await this.request('tools/call', { name, arguments: given }, late));
		return result.data ?? { content: [], structuredContent: undefined, isError: true };
	}

	close(): void {
		this.child.stdin.end();
		this.child.kill();
	}

	private async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
		const id = this.next++;
		const { promise, resolve } = Promise.withResolvers<Answer>();
		this.waiting.set(id, resolve);
		this.send({ id, method, params });
		try {
			const answer = await untilAborted(promise, signal);
			if ('result' in answer) {
				return answer.result;
			}
			const said = isFields(answer.error) ? answer.error['message'] : undefined;
			throw new Error(typeof said === 'string' ? said : 'it ended before it answered');
		} catch (error) {
			if (signal.aborted) {
				this.send({ method: 'notifications/cancelled', params: { requestId: id } });
			}
			throw error;
		} finally {
			this.waiting.delete(id);
		}
	}

	private send(message: object): void {
		if (this.child.stdin.writable) {
			this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		}
	}

	private async read(): Promise<void> {
		const tooMuch = () => new Error('it wrote too much');
		const limits = { lineBytes: MAXIMUM_LINE, totalBytes: MAXIMUM_OUTPUT, tooLong: tooMuch, tooMuch };
		for await (const { id, method, result, error } of objectsIn(this.child.stdout, limits)) {
			if (method === undefined) {
				this.waiting.get(id)?.(error === undefined ? { result } : { error });
			} else if (id !== undefined) {
				const isPing = method === 'ping';
				this.send({
					id,
					...(isPing ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: 'not available' } }),
				});
			}
		}
	}

	private failAll(): void {
		for (const fail of this.waiting.values()) {
			fail({ error: undefined });
		}
		this.close();
	}
}
