import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Answers one request with whatever bytes it likes; `request` is its head and body as they came. */
export type RawAnswer = (socket: Socket, request: string) => void | Promise<void>;

/** A server below HTTP, for what no HTTP server can be made to do. `stop` in every test that starts one. */
export class RawServer {
	/** Every request, in the order in which they came. */
	readonly requests: string[] = [];
	/** How the next requests are answered. */
	answer: RawAnswer;
	/** Connections made so far. */
	connections = 0;
	private readonly server: Server;
	private readonly sockets = new Set<Socket>();

	private constructor(answer: RawAnswer) {
		this.answer = answer;
		this.server = createServer(socket => {
			this.connections++;
			this.sockets.add(socket);
			socket.on('close', () => this.sockets.delete(socket));
			// The other side may break off as well.
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

	/** The connections that are open. */
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

/** The length of the first request in `text`, undefined while it is not whole. */
function requestLength(text: string): number | undefined {
	const end = text.indexOf('\r\n\r\n');
	if (end === -1) {
		return undefined;
	}
	const body = Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? 0);
	const length = end + 4 + body;
	return text.length < length ? undefined : length;
}

/** The head of a reply of success. */
export function headOf(fields: Record<string, string>): string {
	const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
	return `HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`;
}

/** A whole reply of success with a body of known length. */
export function replyOf(body: string | Buffer, fields: Record<string, string>): Buffer {
	const bytes = Buffer.from(body);
	return Buffer.concat([Buffer.from(headOf({ ...fields, 'content-length': String(bytes.length) })), bytes]);
}

/** The framing of one piece of a body in chunks. */
export function chunked(text: string): string {
	return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** How a connection can go: in good order, or by a reset. */
export const ENDS = ['ended', 'reset'] as const;

/** Sends `bytes` and ends the connection behind them. */
export async function cutAfter(socket: Socket, bytes: string, end: (typeof ENDS)[number]): Promise<void> {
	if (bytes !== '') {
		await new Promise<void>(resolve => socket.write(bytes, () => resolve()));
		// One turn, so that the kernel has handed the bytes over before the reset.
		await new Promise(resolve => setImmediate(resolve));
	}
	if (end === 'ended') {
		socket.end();
	} else {
		socket.resetAndDestroy();
	}
}

/** A reply of `type` in chunks, cut off in each of its phases: the phase, its bytes, and how much of `parts` they hold whole. */
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
