// A request that connects only to addresses that were checked before, never to those of a later DNS lookup.

import { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage, request as sendRequest } from 'node:http';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import { withoutBrackets } from '../base/hostname.ts';

export interface PinnedRequest {
	/** The addresses of the URL's host. If there are none, only a proxy may know them, and one is required. */
	addresses: readonly string[];
	headers: Record<string, string>;
	signal: AbortSignal;
}

/**
 * Sends a GET and resolves with the head of the reply; redirects are not followed. TLS checks the name in the URL. A
 * proxy of the editor's settings is given the name instead of an address, and resolves it itself.
 */
export function getPinned(url: URL, { addresses, headers, signal }: PinnedRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const host = withoutBrackets(url.hostname);
		const request = send(url)(url, {
			headers: { ...headers, connection: 'close' },
			lookup: pinned(host, addresses),
			signal,
		});
		request.on('socket', socket => {
			// A pooled connection may have been opened by other code in this process, after another lookup of the name.
			if (request.reusedSocket && !addresses.includes(socket.remoteAddress ?? '')) {
				request.destroy(new Error('The connection that is open leads to another address.'));
			}
		});
		request.on('response', resolve);
		request.on('error', reject);
		request.end();
	});
}

/** The editor patches modules that are loaded by `require` under these names, for its proxy and certificates. */
function send({ protocol }: URL): typeof sendRequest {
	return createRequire(import.meta.url)(protocol === 'https:' ? 'https' : 'http').request;
}

function pinned(host: string, addresses: readonly string[]): LookupFunction {
	const found = addresses.map(address => ({ address, family: isIP(address) }));
	return (name, options, done) => {
		const [first] = found;
		if (name !== host) {
			// This is the name of a proxy.
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
