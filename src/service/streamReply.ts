import type { ServerResponse } from 'node:http';

export interface StreamReplyOptions {
	/** What the reply is written to; broken off when the source fails, so that a cut reply never looks whole. */
	outgoing: ServerResponse;
	onFailure(error: unknown): void;
}

/** One server-sent event. `data` becomes one line of JSON, so nothing in it can end the event early. */
export function sseEvent(data: unknown, name?: string): string {
	return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function sseComment(text: string): string {
	return `: ${text}\n\n`;
}

/** Ends the connection after what was written has left, but without the mark by which a reply says that it is whole. */
function breakOff(outgoing: ServerResponse): void {
	// A head and pieces of this turn of the event loop are still held together by Node, and leave in the next.
	setImmediate(() => outgoing.socket?.destroySoon());
}

/**
 * Answers with server-sent events as `produce` yields them, text of one or more whole events at a time. The next piece
 * is asked for only when the one before it has left: a reader that stops reading costs one piece. When the
 * client goes away `signal` aborts, and the generator is told to return.
 */
export function streamReply(
	produce: (signal: AbortSignal) => AsyncGenerator<string, void, undefined>,
	{ outgoing, onFailure }: StreamReplyOptions,
): Response {
	const gone = new AbortController();
	const source = produce(gone.signal);
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					const { done, value } = await source.next();
					if (done) {
						controller.close();
					} else {
						controller.enqueue(encoder.encode(value));
					}
				} catch (error) {
					if (!gone.signal.aborted) {
						onFailure(error);
					}
					breakOff(outgoing);
				}
			},
			cancel() {
				gone.abort(new DOMException('The client has gone.', 'AbortError'));
				// Not awaited: a generator inside a wait returns only after its signal woke it.
				source.return().catch(onFailure);
			},
		},
		{ highWaterMark: 0 },
	);
	return new Response(body, {
		headers: {
			'content-type': 'text/event-stream; charset=utf-8',
			'cache-control': 'no-store',
		},
	});
}
