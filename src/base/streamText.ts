import type { ServerResponse } from 'node:http';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/**
 * A single instance is shared: every reply ends with `close` of its connection, and creating an error costs as much as
 * reading several chunks.
 */
export const CLIENT_GONE = new DOMException('The client has gone.', 'AbortError');

export interface StreamTextOptions {
	/**
	 * The response that the reply is written to. It is aborted if the source fails, so that a truncated reply never looks
	 * complete.
	 */
	outgoing: ServerResponse;
	/** The content type; server-sent events by default. */
	contentType?: string;
	/** The time without text after which a comment is sent: clients, proxies and the editor end a silent exchange. */
	commentEveryMs?: number;
	onFailure(error: unknown): void;
}

/** A source of text, one or more whole events at a time, such as an async generator. */
export interface TextSource {
	next(): Promise<IteratorResult<string, void>>;
	/** Called if nobody will read the rest. */
	return(): Promise<unknown>;
}

/** Formats a server-sent event. `data` becomes one line of JSON, so nothing in it can end the event early. */
export function sseEvent(data: unknown, name?: string): string {
	return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function sseComment(text: string): string {
	return `: ${text}\n\n`;
}

/**
 * Closes the connection once the data written so far has been sent, but without the last chunk, which would mark the
 * reply as complete.
 */
function breakOff(outgoing: ServerResponse): void {
	// Node may still buffer the head and the data of this turn of the event loop, which it sends in the next one.
	setImmediate(() => outgoing.socket?.destroySoon());
}

/**
 * Streams the text that `produce` returns, with backpressure: the next piece is requested only when there is room for
 * it, so that a client that stops reading costs no more memory than the buffers of Node and the system for one
 * connection. When the client disconnects, the signal aborts and `return` of the source is called.
 */
export function streamText(
	produce: (signal: AbortSignal) => TextSource,
	{ outgoing, contentType = EVENT_STREAM, commentEveryMs, onFailure }: StreamTextOptions,
): void {
	const gone = new AbortController();
	const source = produce(gone.signal);
	let isSilent = true;
	const comments =
		commentEveryMs === undefined
			? undefined
			: setInterval(() => {
					if (isSilent && !outgoing.writableNeedDrain && !outgoing.writableEnded) {
						outgoing.write(sseComment('still waiting'));
					}
					isSilent = true;
				}, commentEveryMs);
	let resume: (() => void) | undefined;
	const onDrain = () => resume?.();
	outgoing.on('drain', onDrain);
	const onClose = () => {
		clearInterval(comments);
		gone.abort(CLIENT_GONE);
		// This is not awaited: a generator that waits for something returns only after its signal has woken it. If the
		// generator has ended, the call does nothing.
		source.return().catch(onFailure);
		resume?.();
	};
	if (outgoing.destroyed) {
		// The client has gone while something else was waited for, and nothing will tell of that any more.
		onClose();
		return;
	}
	outgoing.once('close', onClose);
	outgoing.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
	// The head is sent together with the data that is available by the end of this turn of the event loop, or alone if
	// the first piece takes longer. The socket is corked instead of the response, as a corked response that ends loses
	// its buffered data.
	const { socket } = outgoing;
	socket?.cork();
	outgoing.flushHeaders();
	setImmediate(() => socket?.uncork());
	void write();

	async function write(): Promise<void> {
		try {
			for (;;) {
				const { done, value } = await source.next();
				if (gone.signal.aborted) {
					return;
				}
				if (done) {
					outgoing.end();
					return;
				}
				isSilent = false;
				if (!outgoing.write(value)) {
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
