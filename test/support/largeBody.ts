import { once } from 'node:events';
import http from 'node:http';
import { mostHeldBytes } from './heldMemory.ts';

const MEGABYTE = 1024 * 1024;

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
	const post = async () => {
		const piece = Buffer.alloc(MEGABYTE, 0x20);
		for (let sent = 0; sent < megabytes && !request.destroyed; sent++) {
			if (!request.write(piece)) {
				await Promise.race([once(request, 'drain'), outcome]);
			}
		}
		request.end();
		await outcome;
	};
	const held = await mostHeldBytes(post());
	return { answer: await outcome, held: held / MEGABYTE };
}
