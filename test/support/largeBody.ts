import { once } from 'node:events';
import http from 'node:http';
import { heldBytes } from './heldMemory.ts';

const MEGABYTE = 1024 * 1024;
/** The memory is looked at after so many megabytes, as a collection takes its time. */
const LOOK_EVERY = 8;

/**
 * Posts a body of so many megabytes as far as it is taken. Resolves with the status or the error of the connection, and
 * with the most megabytes that this process, which listens as well, held meanwhile.
 */
export async function postLargeBody(
	url: string,
	megabytes: number,
	headers: http.OutgoingHttpHeaders = {},
): Promise<{ answer: number | string; held: number }> {
	const request = http.request(url, { method: 'POST', headers, agent: false });
	request.setMaxListeners(0);
	const outcome = new Promise<number | string>(resolve => {
		request.once('response', ({ statusCode = 0 }) => resolve(statusCode));
		request.once('error', ({ message }) => resolve(message));
	});
	const piece = Buffer.alloc(MEGABYTE, 0x20);
	const before = heldBytes();
	let most = before;
	for (let sent = 1; sent <= megabytes && !request.destroyed; sent++) {
		if (!request.write(piece)) {
			await Promise.race([once(request, 'drain'), outcome]);
		}
		if (sent % LOOK_EVERY === 0) {
			most = Math.max(most, heldBytes());
		}
	}
	request.end();
	return { answer: await outcome, held: (most - before) / MEGABYTE };
}
