import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { codingOf, UNCODED } from './contentCoding.ts';
import { followRedirects } from './redirects.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** The part of the platform's `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Creates a transport from a `fetch` function. In the extension host it is the editor's own, which applies proxy and
 * certificates. `fetch` does not report when a connection is made, so it applies its own limit (10 s in Node), and the
 * caller's limit for the first byte covers both.
 */
export function createFetchTransport(fetch: Fetch): Transport {
	return { request: request => followRedirects(request, single => send(fetch, single)) };
}

async function send(fetch: Fetch, request: TransportRequest): Promise<TransportResponse> {
	const response = await fetch(request.url, {
		method: request.method,
		headers: { ...UNCODED, ...request.headers },
		signal: request.signal,
		redirect: 'manual',
		...defined({ body: request.body }),
	});
	if (response.type === 'opaqueredirect') {
		throw new ClientError('bad-response', 'the service redirects elsewhere; a key is not sent there');
	}
	const headers = { get: (name: string) => response.headers.get(name) ?? undefined };
	try {
		codingOf(headers);
	} catch (error) {
		await response.body?.cancel();
		throw error;
	}
	return { status: response.status, headers, body: bodyOf(response) };
}

function bodyOf({ body }: Response): AsyncIterable<Uint8Array> {
	return {
		[Symbol.asyncIterator]() {
			const reader = body?.getReader();
			return {
				async next() {
					const read = await reader?.read();
					return read === undefined || read.done
						? { done: true, value: undefined }
						: { done: false, value: read.value };
				},
				async return() {
					// A body that has already failed rejects again here, but its reader has the error already.
					await reader?.cancel().catch(() => {});
					return { done: true, value: undefined };
				},
			};
		},
	};
}
