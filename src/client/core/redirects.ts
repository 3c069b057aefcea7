import { ClientError } from '../../base/errors.ts';
import { failureOf } from './failures.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

const MAXIMUM_REDIRECTS = 5;
const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the request that follows a redirect, if the reply is one. Only redirects within the origin are followed,
 * because the key goes along. 307 and 308 keep the method; 301, 302 and 303 would turn a POST into a GET and are
 * followed for GET and HEAD only. Throws `bad-response` for any other redirect, and for all if the request says so.
 */
function followingRequest(
	request: TransportRequest,
	status: number,
	location: string | undefined,
): TransportRequest | undefined {
	if (!REDIRECT_STATUS.has(status) || location === undefined) {
		return undefined;
	}
	if (request.redirects === 'refuse') {
		throw new ClientError('bad-response', 'the service redirects where none may', { status });
	}
	const target = URL.parse(location, request.url);
	if (!target || target.origin !== new URL(request.url).origin || target.username !== '' || target.password !== '') {
		const where = target && target.origin !== 'null' ? target.origin : 'an address that cannot be followed';
		throw new ClientError('bad-response', `the service redirects to ${where}; a key is not sent elsewhere`, {
			status,
			redirectedTo: target?.origin,
		});
	}
	const keepsMethod = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
	if (!keepsMethod) {
		throw new ClientError('bad-response', `the service redirects a ${request.method} with ${status}`, { status });
	}
	return { ...request, url: target.href };
}

/** Sends with `send`, which must not follow redirects, and follows up to five redirects within the origin. */
export async function followRedirects(
	request: TransportRequest,
	send: (request: TransportRequest) => Promise<TransportResponse>,
): Promise<TransportResponse> {
	let current = request;
	for (let redirects = 0; ; redirects++) {
		const response = await send(current).catch((error: unknown) => {
			// The first request has left this machine, whatever became of the next.
			throw redirects === 0 ? error : failureOf(error).withSent(true);
		});
		let next: TransportRequest | undefined;
		try {
			next = followingRequest(current, response.status, response.headers.get('location'));
			if (next && redirects === MAXIMUM_REDIRECTS) {
				throw new ClientError('bad-response', `the service redirects more than ${MAXIMUM_REDIRECTS} times`);
			}
		} catch (error) {
			await discard(response);
			throw error;
		}
		if (!next) {
			return response;
		}
		await discard(response);
		current = next;
	}
}

async function discard(response: TransportResponse): Promise<void> {
	await response.body[Symbol.asyncIterator]().return?.();
}
