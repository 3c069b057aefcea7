import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { CLIENT_GONE } from './clientGone.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface StreamReplyOptions {
	/** What the reply is written to; broken off when the source fails, so that a cut reply never looks whole. */
	outgoing: ServerResponse;
	/** Default: server-sent events. */
	contentType?: string;
	onFailure(error: unknown): void;
}

/** Text to be sent, one or more whole events at a time. An async generator is one. */
export interface TextSource {
	next(): Promise<IteratorResult<string, void>>;
	/** Nobody reads on. */
	return(): Promise<unknown>;
}

/** One server-sent event. `data` becomes one line of JSON, so nothing in it can end the event early. */
export function sseEvent(data: unknown, name?: string): string {
	return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function sseComment(text: string): string {
	return `: ${text}\n\n`;
}

/** Of the chunked transfer coding (RFC 9112, section 7.1). An empty chunk would be the last. */
const LAST_CHUNK = '0\r\n\r\n';
const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Ends the connection after what was written has left, but without the mark by which a reply says that it is whole. */
function breakOff(outgoing: ServerResponse): void {
	// A head and pieces of this turn of the event loop are still held together by Node, and leave in the next.
	setImmediate(() => outgoing.socket?.destroySoon());
}

/**
 * Answers with what `produce` gives. The next piece is asked for only when there is room for it: a reader that stops
 * reading costs what Node and the system buffer of one connection. When the client goes away `signal` aborts, and the
 * source is told to return.
 */
export function streamReply(
	produce: (signal: AbortSignal) => TextSource,
	{ outgoing, contentType = EVENT_STREAM, onFailure }: StreamReplyOptions,
): Response {
	const gone = new AbortController();
	const source = produce(gone.signal);
	let resume: (() => void) | undefined;
	const onDrain = () => resume?.();
	outgoing.on('drain', onDrain);
	outgoing.once('close', () => {
		gone.abort(CLIENT_GONE);
		// Not awaited: a generator inside a wait returns only after its signal woke it. One that has ended does nothing.
		source.return().catch(onFailure);
		resume?.();
	});
	outgoing.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
	// The head leaves with what is there by the end of this turn, and without it where the first piece takes its time.
	// The socket is corked, as a corked response that ends loses what it holds.
	const { socket } = outgoing;
	socket?.cork();
	outgoing.flushHeaders();
	setImmediate(() => socket?.uncork());
	// Node writes a chunk of the transfer coding in four pieces, which cost more than all else that is done for an event.
	const isChunked = outgoing.chunkedEncoding;
	outgoing.chunkedEncoding = false;
	void write();
	// Not through a body of the platform's streams: they cost about as much for each piece as the rest of its way.
	return RESPONSE_ALREADY_SENT;

	async function write(): Promise<void> {
		try {
			for (;;) {
				const { done, value } = await source.next();
				if (gone.signal.aborted) {
					return;
				}
				if (done) {
					outgoing.end(isChunked ? LAST_CHUNK : '');
					return;
				}
				if (value !== '' && !outgoing.write(isChunked ? chunkOf(value) : value)) {
					await new Promise<void>(resolve => {
						resume = resolve;
					});
				}
			}
		} catch (error) {
			if (!gone.signal.aborted) {
				onFailure(error);
			}
			breakOff(outgoing);
		}
	}
}
