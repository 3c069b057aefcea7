// What every HTTP server of ours needs of a request.
import type { IncomingMessage } from 'node:http';

/** How much of a body that is too long is read before the refusal is sent. */
const MAXIMUM_DROPPED_BYTES = 64 * 1024 * 1024;
const DROP_TIMEOUT_MS = 5_000;

/** Returns the target of the request without its query. */
export function pathOf(request: IncomingMessage): string {
	return (request.url ?? '').split('?', 1)[0] ?? '';
}

/**
 * Reads and discards the rest of a body, within limits, before a refusal that closes the connection: a client whose
 * connection is closed while it still sends would lose the answer.
 */
export function dropBody(incoming: IncomingMessage): Promise<void> {
	return new Promise(resolve => {
		let size = 0;
		const timer = setTimeout(resolve, DROP_TIMEOUT_MS);
		const onEnd = () => {
			clearTimeout(timer);
			resolve();
		};
		incoming.on('data', (piece: Buffer) => {
			size += piece.length;
			if (size > MAXIMUM_DROPPED_BYTES) {
				onEnd();
			}
		});
		incoming.once('end', onEnd);
		incoming.once('close', onEnd);
		if (incoming.closed || incoming.readableEnded) {
			onEnd();
		}
	});
}
