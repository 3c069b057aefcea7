import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Only root can start a program as another user. Tests that need such a program are skipped otherwise. */
export const canBeAnotherUser = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * An OpenAI-compatible server with one model that answers every question. It prints the path and the body of each
 * request.
 */
const PROGRAM = `
	const { createServer } = require('node:http');
	const [port, model] = process.argv.slice(1);
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const piece of request) body += piece;
		console.log(JSON.stringify({ path: request.url, body }));
		if (request.url === '/v1/models') {
			response.end(JSON.stringify({ data: [{ id: model }] }));
		} else if (request.url === '/v1/chat/completions') {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			response.write('data: {"choices":[{"index":0,"delta":{"content":"from elsewhere"},"finish_reason":null}]}\\n\\n');
			response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\\n\\ndata: [DONE]\\n\\n');
		} else {
			response.writeHead(404).end();
		}
	});
	server.listen(Number(port), '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
`;

export interface ForeignServerOptions {
	/** The id of the user who runs the server; by default, the user of the tests. */
	user?: number;
	port?: number;
	model?: string;
}

/**
 * A model server in a separate process, so that it can belong to another user. Every test that starts one must call
 * `stop`.
 */
export class ForeignServer {
	readonly port: number;
	/** Every request, in the order of arrival. */
	readonly requests: { path: string; body: string }[] = [];
	private readonly child: ChildProcess;

	private constructor(child: ChildProcess, port: number) {
		this.child = child;
		this.port = port;
	}

	static async start({ user, port = 0, model = 'small' }: ForeignServerOptions = {}): Promise<ForeignServer> {
		const child = spawn(process.execPath, ['--eval', PROGRAM, String(port), model], {
			...(user === undefined ? {} : { uid: user, gid: user }),
			// Another user may have no access to the folder of the tests.
			cwd: '/',
			env: {},
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
		const [first] = (await Promise.race([
			once(lines, 'line'),
			once(child, 'exit').then(() => {
				throw new Error('The server did not start.');
			}),
		])) as [string];
		const server = new ForeignServer(child, (JSON.parse(first) as { port: number }).port);
		lines.on('line', line => server.requests.push(JSON.parse(line)));
		return server;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}/v1`;
	}

	/** The bodies of the chat requests. */
	get chats(): string[] {
		return this.requests.filter(({ path }) => path.endsWith('/chat/completions')).map(({ body }) => body);
	}

	async stop(): Promise<void> {
		if (this.child.exitCode === null && this.child.signalCode === null) {
			this.child.kill('SIGKILL');
			await once(this.child, 'exit');
		}
	}
}
