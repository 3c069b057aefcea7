import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Answers one request with arbitrary bytes. `request` is its head and body as received. */
export type RawAnswer = (socket: Socket, request: string) => void | Promise<void>;

/** A server on plain TCP, for behaviour that no HTTP server can show. Every test that starts one must call `stop`. */
export class RawServer {
	/** Every request, in the order of arrival. */
	readonly requests: string[] = [];
	/** Answers the next requests. */
	answer: RawAnswer;
	/** The number of connections made so far. */
	connections = 0;
	private readonly server: Server;
	private readonly sockets = new Set<Socket>();

	private constructor(answer: RawAnswer) {
		this.answer = answer;
		this.server = createServer(socket => {
			this.connections++;
			this.sockets.add(socket);
			socket.on('close', () => this.sockets.delete(socket));
			// The other side may break the connection as well.
			socket.on('error', () => {});
			let received = '';
			socket.setEncoding('latin1').on('data', text => {
				received += text;
				for (let length = requestLength(received); length !== undefined; length = requestLength(received)) {
					const request = received.slice(0, length);
					received = received.slice(length);
					this.requests.push(request);
					void this.answer(socket, request);
				}
			});
		});
	}

	static async start(answer: RawAnswer = () => {}): Promise<RawServer> {
		const raw = new RawServer(answer);
		raw.server.listen(0, '127.0.0.1');
		await once(raw.server, 'listening');
		return raw;
	}

	get origin(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** The open connections. */
	get open(): readonly Socket[] {
		return [...this.sockets];
	}

	async stop(): Promise<void> {
		for (const socket of this.sockets) {
			socket.destroy();
		}
		this.server.close();
		await once(this.server, 'close');
	}
}

/** Returns the length of the first request in `text`, or undefined while the request is incomplete. */
function requestLength(text: string): number | undefined {
	const end = text.indexOf('\r\n\r\n');
	if (end === -1) {
		return undefined;
	}
	const body = Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
	const length = end + 4 + body;
	return text.length < length ? undefined : length;
}

/** Returns the head of a successful reply. */
export function headOf(fields: Record<string, string>): string {
	const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
	return `HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`;
}

/** Returns a whole successful reply with a body of known length. */
export function replyOf(body: string | Buffer, fields: Record<string, string>): Buffer {
	const bytes = Buffer.from(body);
	return Buffer.concat([Buffer.from(headOf({ ...fields, 'content-length': String(bytes.length) })), bytes]);
}

/** Returns a text as one chunk of a chunked body. */
export function chunked(text: string): string {
	return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** The ways in which a connection can end: in good order or by a reset. */
export const ENDS = ['ended', 'reset'] as const;

/** Sends `bytes` and then ends the connection. */
export async function cutAfter(socket: Socket, bytes: string, end: (typeof ENDS)[number]): Promise<void> {
	if (bytes !== '') {
		await new Promise<void>(resolve => socket.write(bytes, () => resolve()));
		// One turn of the event loop passes, so that the kernel has the bytes before the reset.
		await new Promise(resolve => setImmediate(resolve));
	}
	if (end === 'ended') {
		socket.end();
	} else {
		socket.resetAndDestroy();
	}
}

/**
 * Returns a chunked reply of content type `type`, cut off in each of its phases: the name of the phase, its bytes, and
 * the number of `parts` that they contain completely.
 */
export function cutReplies(
	type: string,
	parts: readonly [string, string],
): [phase: string, bytes: string, whole: number][] {
	const head = headOf({ 'content-type': type, 'transfer-encoding': 'chunked' });
	const [first, second] = parts;
	const middle = Math.floor(second.length / 2);
	return [
		['before the head', '', 0],
		['inside the status line', head.slice(0, 7), 0],
		['inside the head', head.slice(0, head.length - 12), 0],
		['after the head', head, 0],
		['inside a chunk', head + chunked(first) + chunked(second).slice(0, middle), 1],
		['inside a chunk’s size', `${head}${chunked(first)}1`, 1],
		['between chunks', head + chunked(first), 1],
		['inside an event', head + chunked(first + second.slice(0, middle)), 1],
		['before the last chunk', head + chunked(first) + chunked(second), 2],
	];
}
