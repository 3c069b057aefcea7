import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined } from '../../src/base/defined.ts';
import type { Connection } from '../../src/contract/connection.ts';

export interface ServedTask {
	id: string;
	prompt: string;
	repoUrl: string;
	status: string;
	createdAt: string;
	[field: string]: unknown;
}

/** The failure of the next request that creates a task: its reply is lost before or after the task is created. */
export type CreateFault = 'lost before' | 'lost after' | undefined;

/**
 * A cloud task service on loopback that follows the contract and misbehaves on demand. Every test that starts one must
 * call `stop`.
 */
export class TaskServer {
	/** The tasks in the order of the list. */
	readonly tasks: ServedTask[] = [];
	/** `METHOD path?query` of every request. */
	readonly requests: string[] = [];
	/** The further prompts that were accepted, in order. */
	readonly furtherPrompts: { taskId: string; prompt: string; fromStep?: number; agent?: string }[] = [];
	/** The answer to every request for the task list, while set. */
	listFailure: { status: number; body: unknown } | undefined;
	createFault: CreateFault;
	/** The answer to every request for the agent task API's list. */
	agentReply: { status: number; body: unknown } = { status: 200, body: { tasks: [] } };
	/**
	 * Indexes of log entries, in order. A connection to a log breaks in the middle of the first of these entries that it
	 * reaches, and each entry breaks only one connection.
	 */
	readonly breaks: number[] = [];
	/** Awaited before a list is answered. */
	beforeList: (() => Promise<void>) | undefined;

	/** Awaited before a task is created. The client may be gone by then. */
	beforeCreate: (() => Promise<void>) | undefined;

	/** The failure of the next further prompt: it is accepted but its reply is lost, or it is refused. */
	continueFault: 'lost after' | 'refused' | undefined;

	private readonly server: Server;
	private readonly logs = new Map<string, unknown[]>();
	/** The bytes of log events that were sent to all followers of each task. */
	private readonly sent = new Map<string, number>();
	private readonly streams = new Map<ServerResponse, { taskId: string; next: number }>();
	private port = 0;

	private constructor() {
		this.server = createServer((request, response) => {
			this.answer(request, response).catch(error => response.destroy(error));
		});
	}

	static async start(): Promise<TaskServer> {
		const server = new TaskServer();
		await server.listen();
		return server;
	}

	get address(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get connection(): Connection {
		return {
			name: 'test',
			apiUrl: this.address,
			cloudUrl: this.address,
			plan: 'public',
			service: 'test',
			models: [],
			providers: [],
			providerPrefixes: [],
			aliases: [],
			agents: [],
		};
	}

	add(fields: Partial<ServedTask> & { id: string }): ServedTask {
		const task: ServedTask = {
			prompt: `Prompt of ${fields.id}`,
			repoUrl: 'https://host.example/acme/widgets',
			status: 'processing',
			progress: 20,
			createdAt: new Date().toISOString(),
			...fields,
		};
		this.tasks.unshift(task);
		return task;
	}

	/** Adds entries, or messages as entries, to a task's log and sends them to every follower. */
	log(taskId: string, ...messages: (string | object)[]): void {
		const log = this.logs.get(taskId) ?? [];
		this.logs.set(taskId, log);
		for (const message of messages) {
			const entry = {
				type: 'info',
				contentType: 'message',
				step: 'agent_executing',
				timestamp: '2026-11-21T10:42:07Z',
			};
			log.push(typeof message === 'string' ? { ...entry, message } : message);
		}
		for (const response of this.streams.keys()) {
			this.catchUp(response);
		}
	}

	finish(taskId: string, status: string, error: string | null = null): void {
		const task = this.tasks.find(({ id }) => id === taskId);
		Object.assign(task ?? {}, { status, error, completedAt: new Date().toISOString() });
		for (const response of this.streams.keys()) {
			this.catchUp(response);
		}
	}

	/** Returns the entries of a task's log. */
	entriesOf(taskId: string): readonly unknown[] {
		return this.logs.get(taskId) ?? [];
	}

	/** Returns the number of bytes of a task's whole log when sent once. */
	bytesOf(taskId: string): number {
		const log = this.logs.get(taskId) ?? [];
		return log.reduce<number>((sum, entry, index) => sum + this.logEvent(index, entry).length, 0);
	}

	/** Returns the number of bytes of a task's log events that were sent to all its followers. */
	bytesSentOf(taskId: string): number {
		return this.sent.get(taskId) ?? 0;
	}

	private logEvent(index: number, log: unknown): Buffer {
		const data = { index, log, timestamp: new Date().toISOString() };
		return Buffer.from(`event: log\ndata: ${JSON.stringify(data)}\n\n`);
	}

	/** Returns the number of connections that follow a task's log now. */
	streamCountOf(taskId: string): number {
		return [...this.streams.values()].filter(stream => stream.taskId === taskId).length;
	}

	requestsOf(start: string): string[] {
		return this.requests.filter(request => request.startsWith(start));
	}

	/** Ends like a killed process: every connection breaks, and nothing answers until `listen`. */
	async crash(): Promise<void> {
		const closed = once(this.server, 'close');
		this.server.close();
		this.server.closeAllConnections();
		this.streams.clear();
		await closed;
	}

	/** Listens on the port that the server had before, if any. */
	async listen(): Promise<void> {
		this.server.listen(this.port, '127.0.0.1');
		await once(this.server, 'listening');
		this.port = (this.server.address() as AddressInfo).port;
	}

	async stop(): Promise<void> {
		if (this.server.listening) {
			await this.crash();
		}
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '/', this.address);
		this.requests.push(`${request.method} ${url.pathname}${url.search}`);
		const [, id, stream] = /^\/api\/tasks\/([^/]+)(\/stream)?$/.exec(url.pathname) ?? [];
		if (request.method === 'GET' && url.pathname === '/api/v1/tasks') {
			const { status, body } = this.agentReply;
			reply(response, status, body);
		} else if (request.method === 'GET' && url.pathname === '/api/tasks') {
			await this.list(url, response);
		} else if (request.method === 'POST' && url.pathname === '/api/tasks') {
			const body = JSON.parse(await bodyOf(request));
			await this.beforeCreate?.();
			this.create(body, response);
		} else if (request.method === 'POST' && url.pathname.endsWith('/continue')) {
			await this.goOn(url.pathname.split('/').at(-2) ?? '', request, response);
		} else {
			const task = this.tasks.find(candidate => candidate.id === decodeURIComponent(id ?? ''));
			if (!task) {
				reply(response, 404, { error: 'Task not found' });
			} else if (stream) {
				this.follow(task, Number(url.searchParams.get('fromIndex') ?? 0), response);
			} else if (request.method === 'PATCH') {
				this.finish(task.id, 'stopped');
				reply(response, 200, { message: 'Stopped', task });
			} else {
				reply(response, 200, { task });
			}
		}
	}

	private async list(url: URL, response: ServerResponse): Promise<void> {
		await this.beforeList?.();
		if (this.listFailure) {
			reply(response, this.listFailure.status, this.listFailure.body);
			return;
		}
		const limit = Number(url.searchParams.get('limit') ?? 50);
		const offset = Number(url.searchParams.get('offset') ?? 0);
		const filter = url.searchParams.get('filter') ?? 'all';
		const status = url.searchParams.get('status');
		const matching = this.tasks.filter(
			task =>
				(filter === 'all' || (filter === 'batch') === (task['batchId'] !== undefined)) &&
				(status === null || status === stateOf(task)),
		);
		const tasks = matching.slice(offset, offset + limit);
		reply(response, 200, { tasks, hasMore: offset + limit < matching.length, offset, limit });
	}

	private create(body: Partial<ServedTask>, response: ServerResponse): void {
		const fault = this.createFault;
		this.createFault = undefined;
		if (fault === 'lost before') {
			response.destroy();
			return;
		}
		const task = this.add({ ...body, id: `task-${this.tasks.length + 1}`, status: 'pending' });
		if (fault === 'lost after') {
			response.destroy();
			return;
		}
		reply(response, 200, { task });
	}

	private async goOn(taskId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
		const fault = this.continueFault;
		this.continueFault = undefined;
		const { currentPrompt, fromStep, selectedAgent } = JSON.parse(await bodyOf(request)) as {
			currentPrompt: string;
			fromStep?: number;
			selectedAgent?: string;
		};
		if (fault === 'refused') {
			reply(response, 402, { error: 'Not enough credit' });
			return;
		}
		const task = this.tasks.find(({ id }) => id === taskId);
		Object.assign(task ?? {}, { status: 'processing', completedAt: undefined, error: null });
		this.furtherPrompts.push({ taskId, prompt: currentPrompt, ...defined({ fromStep, agent: selectedAgent }) });
		this.log(taskId, `Asked further: ${currentPrompt}`);
		if (fault === 'lost after') {
			response.destroy();
			return;
		}
		reply(response, 200, { success: true, message: 'Continued' });
	}

	private follow(task: ServedTask, fromIndex: number, response: ServerResponse): void {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		send(response, 'connected', {
			taskId: task.id,
			fromIndex,
			message: 'Connected',
			timestamp: new Date().toISOString(),
		});
		this.streams.set(response, { taskId: task.id, next: fromIndex });
		const beat = setInterval(() => {
			if (this.streams.has(response)) {
				send(response, 'status', { status: task.status, error: task['error'] ?? null });
			}
		}, 200);
		response.on('close', () => {
			clearInterval(beat);
			this.streams.delete(response);
		});
		this.catchUp(response);
	}

	private catchUp(response: ServerResponse): void {
		const stream = this.streams.get(response);
		const task = this.tasks.find(({ id }) => id === stream?.taskId);
		if (!stream || !task) {
			return;
		}
		const log = this.logs.get(task.id) ?? [];
		for (; stream.next < log.length; stream.next++) {
			const event = this.logEvent(stream.next, log[stream.next]);
			if (this.breaks[0] === stream.next) {
				this.breaks.shift();
				this.streams.delete(response);
				const half = event.subarray(0, event.length / 2);
				this.sent.set(task.id, this.bytesSentOf(task.id) + half.length);
				response.write(half, () => response.socket?.destroySoon());
				return;
			}
			this.sent.set(task.id, this.bytesSentOf(task.id) + event.length);
			response.write(event);
		}
		if (task['completedAt'] !== undefined) {
			send(response, 'complete', { status: task.status, totalLogs: log.length, message: 'Task ended' });
			// A slow client leaves the connection open for a while.
			this.streams.delete(response);
			response.end();
		}
	}
}

/** Returns the value of the `status` filter that covers the task's state. */
function stateOf({ status }: ServedTask): string {
	switch (status) {
		case 'completed':
		case 'stopped':
			return status;
		case 'error':
		case 'timeout':
			return 'failed';
		default:
			return 'active';
	}
}

function reply(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function send(response: ServerResponse, event: string, data: unknown): void {
	response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) {
		text += piece;
	}
	return text;
}
