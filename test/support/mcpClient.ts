import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MCP_PROGRAM } from './programs.ts';

/** The answer of a tool. */
export interface ToolAnswer {
	isError: boolean;
	/** The texts in its content. */
	texts: string[];
	/** The JSON of the last text; undefined for a sentence. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
	json: any;
}

// biome-ignore lint/suspicious/noExplicitAny: messages are written and read as they are on the wire.
type Message = any;

export interface McpClientOptions {
	/** The server's program; the one under test by default. */
	program?: string;
	args?: string[];
	environment?: Record<string, string>;
	/** The capabilities that the client declares. */
	capabilities?: object;
	/** True to leave out the greeting, which the protocol no longer has since 2026. */
	withoutHello?: boolean;
	/** Answers a request of the server, such as one for a form. */
	onRequest?(message: Message): object | Promise<object>;
}

/** A client that writes and reads raw protocol messages, so that it can also write what no real client would. */
export class McpClient {
	readonly child: ChildProcessWithoutNullStreams;
	/** The reported progress, in order of arrival. */
	readonly progress: Message[] = [];
	stderr = '';
	private readonly waiting = new Map<number, (message: Message) => void>();
	private next = 1;

	private constructor(child: ChildProcessWithoutNullStreams, options: McpClientOptions) {
		this.child = child;
		child.stdin.on('error', () => {});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			this.stderr += text;
		});
		createInterface({ input: child.stdout }).on('line', line => void this.receive(JSON.parse(line), options));
		child.once('close', () => {
			for (const settle of this.waiting.values()) {
				settle({ error: { message: 'the server has ended' } });
			}
		});
	}

	/** Starts the server in a separate process and greets it. Every test that does so must call `stop`. */
	static async start(options: McpClientOptions = {}): Promise<McpClient> {
		const child = spawn(process.execPath, [options.program ?? MCP_PROGRAM, ...(options.args ?? [])], {
			stdio: 'pipe',
			env: { ...process.env, ...options.environment },
		});
		const client = new McpClient(child, options);
		if (options.withoutHello) {
			return client;
		}
		const hello = await client.request('initialize', {
			protocolVersion: '2025-06-18',
			capabilities: options.capabilities ?? {},
			clientInfo: { name: 'test', version: '1' },
		});
		if (hello.error) {
			throw new Error(`The server did not start: ${hello.error.message} ${client.stderr}`);
		}
		client.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
		return client;
	}

	write(message: object): void {
		this.child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	/** Resolves with the whole answer, whether a result or an error. */
	request(method: string, params: object): Promise<Message> {
		const id = this.next++;
		return new Promise(resolve => {
			this.waiting.set(id, resolve);
			this.write({ jsonrpc: '2.0', id, method, params });
		});
	}

	/** Calls a tool. An error of the protocol itself rejects. */
	async call(name: string, asked: object = {}, meta?: object): Promise<ToolAnswer> {
		const params = { name, arguments: asked, ...(meta === undefined ? {} : { _meta: meta }) };
		const { result, error } = await this.request('tools/call', params);
		if (error) {
			throw new Error(error.message);
		}
		const texts = (result.content as { text: string }[]).map(({ text }) => text);
		let json: unknown;
		try {
			json = JSON.parse(texts.at(-1) ?? '');
		} catch {}
		return { isError: result.isError === true, texts, json };
	}

	async stop(): Promise<void> {
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const closed = once(this.child, 'close');
			this.child.stdin.end();
			const timer = setTimeout(() => this.child.kill('SIGKILL'), 20_000);
			await closed;
			clearTimeout(timer);
		}
	}

	private async receive(message: Message, { onRequest }: McpClientOptions): Promise<void> {
		if (message.method === 'notifications/progress') {
			this.progress.push(message.params);
		} else if (message.method !== undefined && message.id !== undefined) {
			const result = await onRequest?.(message);
			this.write({
				jsonrpc: '2.0',
				id: message.id,
				...(result ? { result } : { error: { code: -32601, message: 'no' } }),
			});
		} else if (message.id !== undefined) {
			this.waiting.get(message.id)?.(message);
			this.waiting.delete(message.id);
		}
	}
}
