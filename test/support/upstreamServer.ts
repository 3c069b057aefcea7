import { once } from 'node:events';
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ReceivedRequest {
	path: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
	/** True if the client went away before the reply was complete. */
	wasAbandoned: boolean;
}

/** The behaviour of a server. For fields that are not set, it behaves well. */
export interface UpstreamBehaviour {
	/** Chooses the server's behaviour for a chat request by its body. */
	atRequest?: (body: Record<string, unknown>) => UpstreamBehaviour;
	models?: readonly object[];
	/** Ollama's descriptions of models, by id. Ollama reports any other model as missing. */
	shows?: Readonly<Record<string, object>>;
	/** The HTTP status of the model list. */
	listStatus?: number;
	/** The HTTP status of a chat reply that is not a stream. */
	status?: number;
	headers?: Record<string, string>;
	/** The body of a chat reply that is not a stream. */
	body?: unknown;
	/** The delay in milliseconds before the first chunk, and the delay between two chunks. */
	firstMs?: number;
	pauseMs?: number;
	/** The pieces of the text, each sent as one chunk. */
	pieces?: readonly string[];
	/** Whole chunks instead of `pieces`. */
	chunks?: readonly object[];
	/** The events of a reply in the Messages or the Responses form, with which a server of that form answers. */
	events?: readonly { type: string }[];
	/** The token count that a server of that form reports for a request. If missing, it counts none. */
	inputTokens?: number;
	/** True if the reply lacks `[DONE]`, finish_reason and usage. */
	isForgetful?: boolean;
	/** The number of chunks after which the connection breaks. */
	breaksAfter?: number;
	/** The number of chunks after which the stream carries an error. */
	errorAfter?: number;
	/** True if the reply never ends and is sent as fast as it is read. */
	isEndless?: boolean;
	/** The name of a request field that is refused as unknown. */
	refuses?: string;
}

/** A real model server for tests, with both request forms. Every test that starts one must call `stop`. */
export class UpstreamServer {
	behaviour: UpstreamBehaviour;
	readonly requests: ReceivedRequest[] = [];
	/** The bytes of stream events that were written so far. */
	sentBytes = 0;
	private readonly server: Server;

	private constructor(behaviour: UpstreamBehaviour) {
		this.behaviour = behaviour;
		this.server = createServer(
			(request, response) => void this.answer(request, response).catch(() => response.destroy()),
		);
	}

	static async start(behaviour: UpstreamBehaviour = {}): Promise<UpstreamServer> {
		const upstream = new UpstreamServer(behaviour);
		upstream.server.listen(0, '127.0.0.1');
		await once(upstream.server, 'listening');
		return upstream;
	}

	get origin(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	get url(): string {
		return `${this.origin}/v1`;
	}

	/** The chat requests that the server has received. */
	get chats(): ReceivedRequest[] {
		return this.requests.filter(({ path }) => /\/(?:chat\/completions|messages|responses)$/.test(path));
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		if (this.server.listening) {
			this.server.close();
			await once(this.server, 'close');
		}
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		let text = '';
		for await (const piece of request.setEncoding('utf8')) {
			text += piece;
		}
		const received: ReceivedRequest = {
			path: request.url ?? '',
			headers: request.headers,
			body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
			wasAbandoned: false,
		};
		this.requests.push(received);
		response.once('close', () => {
			received.wasAbandoned = !response.writableFinished;
		});
		const behaviour = this.behaviour.atRequest?.(received.body) ?? this.behaviour;
		const { events, inputTokens } = behaviour;
		if (request.url?.split('?')[0] === '/v1/models') {
			sendJson(response, behaviour.listStatus ?? 200, {
				object: 'list',
				data: behaviour.models ?? [{ id: 'small', object: 'model' }],
			});
		} else if (request.url === '/api/show') {
			const shown = behaviour.shows?.[String(received.body['model'])];
			sendJson(response, shown === undefined ? 404 : 200, shown ?? { error: 'model not found' });
		} else if (request.url === '/v1/messages/count_tokens') {
			const isKnown = inputTokens !== undefined;
			sendJson(response, isKnown ? 200 : 404, isKnown ? { input_tokens: inputTokens } : { error: 'no such path' });
		} else if (behaviour.refuses !== undefined && behaviour.refuses in received.body) {
			sendJson(response, 400, { error: { message: `Unrecognized request argument supplied: ${behaviour.refuses}` } });
		} else if (behaviour.status !== undefined || behaviour.body !== undefined) {
			const body = behaviour.body ?? { error: { message: 'as the test wants it' } };
			sendJson(response, behaviour.status ?? 200, body, behaviour.headers);
		} else if (events !== undefined) {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			for (const event of events) {
				response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
			}
			response.end();
		} else {
			await this.stream(received, response, behaviour);
		}
	}

	private async stream(
		{ body }: ReceivedRequest,
		response: ServerResponse,
		behaviour: UpstreamBehaviour,
	): Promise<void> {
		const gone = new AbortController();
		response.once('close', () => gone.abort());
		// The server stops waiting when the client has left, so that the wait does not keep the test's process alive.
		const wait = (milliseconds = 0) => delay(milliseconds, undefined, { signal: gone.signal });
		await wait(behaviour.firstMs);
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (value: object): boolean => {
			const event = `data: ${JSON.stringify(value)}\n\n`;
			this.sentBytes += event.length;
			return response.write(event);
		};
		const head = { id: 'up-1', object: 'chat.completion.chunk', created: 1, model: body['model'] };
		const piece = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
		if (behaviour.isEndless) {
			while (!response.destroyed) {
				if (!send({ ...head, ...piece('x'.repeat(1000)) })) {
					await once(response, 'drain', { signal: gone.signal });
				}
			}
			return;
		}
		const chunks = behaviour.chunks ?? (behaviour.pieces ?? ['Hello', ' there']).map(piece);
		for (const [index, chunk] of chunks.entries()) {
			if (index === behaviour.breaksAfter) {
				response.socket?.destroySoon();
				return;
			}
			if (index === behaviour.errorAfter) {
				response.end(`data: ${JSON.stringify({ error: { message: 'it broke', code: 'server_error' } })}\n\n`);
				return;
			}
			send({ ...head, ...chunk });
			await wait(behaviour.pauseMs);
		}
		if (!behaviour.isForgetful) {
			send({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
			const count = chunks.length;
			send({ ...head, choices: [], usage: { prompt_tokens: 3, completion_tokens: count, total_tokens: count + 3 } });
			response.write('data: [DONE]\n\n');
		}
		response.end();
	}
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(JSON.stringify(body));
}

/** Returns a generator of numbers in [0, 1), with the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
