// Sends a request to an address that others may have written, such as one in a reply, a page or a declared server. It
// never reaches anything in the user's own network, whatever the address or a name in it leads to: the host name is
// resolved once, and the checked address is the one requested. This uses the editor's `https` module, because `fetch`
// would resolve the name again.

import { lookup as systemLookup } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage, request as sendRequest } from 'node:http';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import { untilAborted } from './async.ts';
import { withoutBrackets } from './hostname.ts';
import { isPrivateAddress } from './privateAddress.ts';

const OTHER_PORTS: ReadonlySet<number> = new Set([
	...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
	...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

export interface GuardedNetwork {
	/**
	 * Resolves with the addresses of a host name; the default is the system's resolver. It may reject, because the
	 * addresses may be known only to a proxy.
	 */
	resolve?(host: string): Promise<readonly string[]>;
	/** Origins that may be in the user's own network. */
	trustedOrigins: readonly string[];
}

export interface OpenedRequest extends GuardedNetwork {
	headers: Record<string, string>;
	maximumRedirects: number;
	/** The default is GET. */
	method?: 'POST' | 'DELETE' | undefined;
	body?: string | undefined;
	signal: AbortSignal;
}

interface GuardedRequest extends Omit<OpenedRequest, 'method' | 'body' | 'signal'> {
	maximumBytes: number;
	timeoutMs: number;
	signal?: AbortSignal | undefined;
}

export type GuardReason =
	/** The address leads into this machine or its network. */
	| 'private'
	/** The port in the address belongs to another protocol, so nothing is sent there. */
	| 'port'
	/** The server redirected to another origin, or too often. */
	| 'redirected'
	/** The server refused. */
	| 'unreachable'
	| 'too-large';

export class GuardRefusal extends Error {
	override readonly name = 'GuardRefusal';
	readonly reason: GuardReason;
	/** The address of another origin that the server redirected to. */
	readonly target: URL | undefined;
	readonly status: number | undefined;

	constructor(reason: GuardReason, { target, status }: { target?: URL; status?: number } = {}) {
		super(reason);
		this.reason = reason;
		this.target = target;
		this.status = status;
	}
}

/** Sends a GET as `openGuarded` does. Rejects with a GuardRefusal, or with the network error. */
export async function getGuarded(
	start: URL,
	options: GuardedRequest,
): Promise<{ headers: IncomingHttpHeaders; bytes: Uint8Array }> {
	const timeout = AbortSignal.timeout(options.timeoutMs);
	const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
	const response = await openGuarded(start, { ...options, signal });
	const { statusCode = 0 } = response;
	if (statusCode < 200 || statusCode > 299) {
		response.destroy();
		throw new GuardRefusal('unreachable', { status: statusCode });
	}
	return { headers: response.headers, bytes: await readGuarded(response, options.maximumBytes) };
}

/**
 * Sends through the editor's proxy, if it has one, and follows redirects within the origin; those of a POST only where
 * it stays one. Resolves with the head of the reply, whatever its status. The body is requested unencoded, because
 * nothing here decompresses it. Rejects with a GuardRefusal, or with the network error.
 */
export async function openGuarded(start: URL, options: OpenedRequest): Promise<IncomingMessage> {
	const { maximumRedirects, method = 'GET', body, signal } = options;
	const headers = { ...options.headers, 'accept-encoding': 'identity' };
	let url = start;
	for (let redirects = 0; redirects <= maximumRedirects; redirects++) {
		// Only addresses that were checked here are requested, and each redirect is checked again.
		const addresses = await checkGuarded(url, options, signal);
		const response = await sendPinned(url, { addresses, method, headers, body, signal });
		const { statusCode = 0 } = response;
		const location = statusCode >= 300 && statusCode < 400 ? response.headers.location : undefined;
		if (location === undefined) {
			return response;
		}
		response.destroy();
		const next: URL | null = URL.parse(location, url.href);
		const keepsMethod = method === 'GET' || statusCode === 307 || statusCode === 308;
		if (next?.origin !== url.origin || !keepsMethod) {
			throw new GuardRefusal('redirected', next ? { target: next } : {});
		}
		url = next;
	}
	throw new GuardRefusal('redirected');
}

/**
 * Resolves with the addresses that a request to `url` may go to, from a single lookup of its name. The list is empty if
 * only a proxy knows the name; then only the name itself can be checked. It also checks an address that something else
 * than this will open, such as the browser. Rejects with a GuardRefusal, or with the signal's reason.
 */
export async function checkGuarded(url: URL, network: GuardedNetwork, signal: AbortSignal): Promise<readonly string[]> {
	const { resolve = systemAddresses, trustedOrigins } = network;
	const host = withoutBrackets(url.hostname).replace(/\.$/, '');
	const addresses = isIP(host) ? [host] : await untilAborted(resolve(host), signal).catch(() => []);
	signal.throwIfAborted();
	if (trustedOrigins.includes(url.origin)) {
		return addresses;
	}
	if (/(?:^|\.)(?:localhost|local|internal)$/i.test(host) || addresses.some(isPrivateAddress)) {
		throw new GuardRefusal('private');
	}
	if (isOtherProtocols(Number(url.port || 443))) {
		throw new GuardRefusal('port');
	}
	return addresses;
}

/** Resolves with the addresses of a host name, as the system's resolver knows them. */
export async function systemAddresses(host: string): Promise<string[]> {
	return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Returns whether a port belongs to another protocol. Its server may misread requests, so browsers block it too. */
function isOtherProtocols(port: number): boolean {
	return (port < 1024 && port !== 80 && port !== 443) || OTHER_PORTS.has(port);
}

interface PinnedRequest {
	/** The addresses of the URL's host. If there are none, only a proxy may know them, and one is required. */
	addresses: readonly string[];
	method: string;
	headers: Record<string, string>;
	body: string | undefined;
	signal: AbortSignal;
}

/**
 * Sends a request that connects only to these addresses, never to those of a later lookup. Resolves with the head of the
 * reply; redirects are not followed. TLS checks the name in the URL. A proxy from the editor's settings gets the name
 * instead of an address, and resolves it itself.
 */
function sendPinned(url: URL, { addresses, method, headers, body, signal }: PinnedRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const host = withoutBrackets(url.hostname);
		const request = send(url)(url, {
			method,
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
		request.end(body);
	});
}

/** The editor patches modules that are loaded by `require` under these names, for its proxy and certificates. */
function send({ protocol }: URL): typeof sendRequest {
	return createRequire(import.meta.url)(protocol === 'https:' ? 'https' : 'http').request;
}

/** Returns a look-up of `host` that answers with these addresses, which were checked: another look-up may give others. */
export function pinned(host: string, addresses: readonly string[]): LookupFunction {
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

/** Reads the body of a reply. Rejects with a GuardRefusal, or with the network error. */
export async function readGuarded(response: IncomingMessage, maximumBytes: number): Promise<Uint8Array> {
	const pieces: Uint8Array[] = [];
	let length = 0;
	// The length in the header cannot be trusted. Leaving the loop ends the request.
	for await (const piece of response as AsyncIterable<Uint8Array>) {
		length += piece.byteLength;
		if (length > maximumBytes) {
			throw new GuardRefusal('too-large');
		}
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}
