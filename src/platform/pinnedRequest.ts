// A request that reaches the addresses that were judged, and none that a later look at the name would give.
import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage, request as sendRequest } from 'node:http';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';

export interface PinnedRequest {
	/** Of the host in the URL. None: only a proxy may know them, and without one there is no way. */
	addresses: readonly string[];
	headers: Record<string, string>;
	signal: AbortSignal;
}

/**
 * Sends a GET and resolves with the head of the answer; redirects are not followed. TLS checks the name in the URL. A
 * proxy of the editor's settings is asked for the name instead of an address: what it takes that for, nobody here can
 * know.
 */
export function getPinned(url: URL, { addresses, headers, signal }: PinnedRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const host = url.hostname.replace(/^\[|\]$/g, '');
		const request = send(url)(url, {
			headers: { ...headers, connection: 'close' },
			lookup: pinned(host, addresses),
			signal,
		});
		request.on('socket', socket => {
			// It was left open by somebody else in this process, who may have looked the name up at another time.
			if (request.reusedSocket && !addresses.includes(socket.remoteAddress ?? '')) {
				request.destroy(new Error('The connection that is open leads to another address.'));
			}
		});
		request.on('response', resolve);
		request.on('error', reject);
		request.end();
	});
}

/** Required, and by these names: what is imported knows nothing of the editor's proxy and certificates. */
function send({ protocol }: URL): typeof sendRequest {
	return createRequire(import.meta.url)(protocol === 'https:' ? 'https' : 'http').request;
}

function pinned(host: string, addresses: readonly string[]): LookupFunction {
	const found = addresses.map(address => ({ address, family: isIP(address) }));
	return (name, options, done) => {
		const [first] = found;
		if (name !== host) {
			// A proxy's.
			systemLookup(name, options, done);
		} else if (!first) {
			done(Object.assign(new Error(`${host} has no address here.`), { code: 'ENOTFOUND' }), '', 0);
		} else if (options.all) {
			done(null, found);
		} else {
			done(null, first.address, first.family);
		}
	};
}
