import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './waitFor.ts';

/** A request as the server received it. */
export interface Received {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
	/** Resolves when the exchange is over on the server's side. `isWhole` is true if the reply was sent completely. */
	closed: Promise<{ isWhole: boolean }>;
}

/** Answers a request in whatever way a test needs. An answer that throws breaks the connection. */
export type Answer = (response: ServerResponse, received: Received) => void | Promise<void>;

/**
 * A real HTTP server on loopback whose answers are all written by the test. Every test that starts one must call
 * `stop`.
 */
export class FaultServer {
	/** Every request, in the order of arrival. */
	readonly received: Received[] = [];
	/** Answers the next requests. */
	answer: Answer;
	private readonly server: Server;

	private constructor(answer: Answer) {
		this.answer = answer;
		this.server = createServer(async (request, response) => {
			const closed = once(response, 'close').then(() => ({ isWhole: response.writableFinished }));
			let body = '';
			for await (const piece of request.setEncoding('utf8')) {
				body += piece;
			}
			const url = new URL(request.url ?? '/', 'http://server.invalid');
			const received: Received = {
				method: request.method ?? '',
				path: url.pathname,
				query: url.searchParams,
				headers: request.headers,
				body,
				closed,
			};
			this.received.push(received);
			try {
				await this.answer(response, received);
			} catch {
				response.destroy();
			}
		});
	}

	static async start(answer: Answer): Promise<FaultServer> {
		const faulty = new FaultServer(answer);
		faulty.server.listen(0, '127.0.0.1');
		await once(faulty.server, 'listening');
		return faulty;
	}

	get origin(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		if (this.server.listening) {
			this.server.close();
			this.server.closeAllConnections();
			await once(this.server, 'close');
		}
	}
}

/**
 * Starts a server for each test of a `describe` and passes it to `started`. The server answers with status 500 until
 * the test sets another answer with the returned function.
 */
export function useFaultServer(started: (server: FaultServer) => void): (answer: Answer) => void {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
		started(server);
	});

	afterEach(() => server.stop());

	return answer => {
		server.answer = answer;
	};
}

/** Returns the text of one server-sent event. Data that is not a string is sent as JSON. */
export function sseEvent(data: unknown, event?: string): string {
	const text = typeof data === 'string' ? data : JSON.stringify(data);
	return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Begins a reply of server-sent events. */
export function beginEvents(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.flushHeaders();
}

export function sendEvents(response: ServerResponse, ...events: string[]): void {
	beginEvents(response);
	response.end(events.join(''));
}

export function sendJson(
	response: ServerResponse,
	status: number,
	body: unknown,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers as a service, in JSON. */
export const answerJson =
	(status: number, body: unknown, headers?: Record<string, string>): Answer =>
	response =>
		sendJson(response, status, body, headers);

/** Answers as something else in place of a service. */
export const answerLoginPage =
	(status: number): Answer =>
	response =>
		void response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Log in</title>');

/** Breaks the connection like a crashed server, but only after the written data has left. */
export async function breakOff(response: ServerResponse): Promise<void> {
	await new Promise<void>(resolve => response.write('', () => resolve()));
	// One turn of the event loop passes, so that the kernel has the bytes before the reset.
	await new Promise(resolve => setImmediate(resolve));
	response.socket?.destroySoon();
}

/** The progress of a flood. */
export interface Flood {
	sent: number;
	/** True while a write waits for the reader. */
	isBlocked: boolean;
}

/** Sends `piece` repeatedly, with backpressure, until `limit` bytes have been sent or the reader has gone. */
export async function flood(response: ServerResponse, piece: Buffer, limit: number, state: Flood): Promise<void> {
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	while (state.sent < limit && !gone.signal.aborted) {
		state.sent += piece.length;
		if (!response.write(piece)) {
			state.isBlocked = true;
			await once(response, 'drain', { signal: gone.signal }).catch(() => {});
			state.isBlocked = false;
		}
	}
	response.end();
}

/**
 * Resolves when a flood is held back, which means that its last write waits and that nothing was sent between two
 * checks.
 */
export async function heldBack(state: Flood): Promise<void> {
	let before = -1;
	await waitFor('the server to be held back', async () => {
		const stands = state.isBlocked && before === state.sent;
		before = state.sent;
		await new Promise(resolve => setTimeout(resolve, 100));
		return stands && before === state.sent;
	});
}
