// Images that a reply names. Each is loaded only when the user asks for it, and by the host, because the page itself
// has no access to the network.

import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { untilAborted } from '../../base/async.ts';
import { withoutBrackets } from '../../base/hostname.ts';
import { IMAGE_TYPES, imageTypeOf } from '../../base/imageHeader.ts';
import { isPrivateAddress } from '../../base/privateAddress.ts';
import { getPinned } from '../../platform/pinnedRequest.ts';
import type { FetchImage } from '../storage/imageStore.ts';

/** The size limit of one image, in bytes. */
export const MAXIMUM_IMAGE_BYTES = 10_000_000;

const MAXIMUM_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;

/**
 * These headers say nothing about the user. The bytes are requested unencoded, because nothing here decompresses them.
 */
const HEADERS = { accept: IMAGE_TYPES.join(', '), 'accept-encoding': 'identity' };

const OTHER_PORTS: ReadonlySet<number> = new Set([
	...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
	...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

export type ImageRefusal =
	/** The address is not an absolute http, https or data URL. */
	| 'address'
	/** The address leads into this machine or its network. */
	| 'private'
	/** The server redirected to another origin. */
	| 'redirected'
	/** The server refused or could not be reached in time. */
	| 'unreachable'
	| 'too-large'
	/** The data is not a PNG, JPEG, GIF or WebP, whatever it claims to be. */
	| 'type';

/** `dataUrl` can be shown by a page whose policy has `img-src data:`. */
export type RemoteImage = { kind: 'loaded'; dataUrl: string } | { kind: 'refused'; reason: ImageRefusal };

export interface RemoteImageOptions {
	/**
	 * Resolves with the addresses of a host name; the default is the system's resolver. It may reject, because only a
	 * proxy may know them.
	 */
	resolve?(host: string): Promise<readonly string[]>;
	/** The origins of the connection: a user who talks to a service on this machine or network may see its images. */
	trustedOrigins: readonly string[];
	signal?: AbortSignal;
}

class Refused extends Error {
	readonly reason: ImageRefusal;
	constructor(reason: ImageRefusal) {
		super(reason);
		this.reason = reason;
	}
}

/** Fetches an image without cookies, keys or a referrer, through the editor's proxy where it has one. Never rejects. */
export async function loadRemoteImage(address: string, options: RemoteImageOptions): Promise<RemoteImage> {
	try {
		const url = URL.parse(address);
		if (!url || !['http:', 'https:', 'data:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
			throw new Refused('address');
		}
		const bytes = url.protocol === 'data:' ? decodeDataUrl(address) : await fetchBytes(url, options);
		// A declared type may say anything.
		const type = imageTypeOf(bytes);
		if (type === undefined) {
			throw new Refused('type');
		}
		return { kind: 'loaded', dataUrl: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
	} catch (error) {
		return { kind: 'refused', reason: error instanceof Refused ? error.reason : 'unreachable' };
	}
}

async function fetchBytes(start: URL, options: RemoteImageOptions): Promise<Uint8Array> {
	const timeout = AbortSignal.timeout(TIMEOUT_MS);
	const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
	let url = start;
	for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
		// Only addresses that were judged here are requested, and each redirect is judged again.
		const addresses = await checkTarget(url, options, signal);
		const response = await getPinned(url, { addresses, headers: HEADERS, signal });
		const { statusCode = 0 } = response;
		const location = statusCode >= 300 && statusCode < 400 ? response.headers.location : undefined;
		if (location === undefined) {
			return readBody(response);
		}
		response.destroy();
		const next: URL | null = URL.parse(location, url.href);
		if (next?.origin !== url.origin) {
			throw new Refused('redirected');
		}
		url = next;
	}
	throw new Refused('redirected');
}

/**
 * Resolves with the addresses that a request to `url` may go to, from a single lookup of its name. There are none where
 * only a proxy knows the name; then only the name itself can be judged.
 */
async function checkTarget(url: URL, options: RemoteImageOptions, signal: AbortSignal): Promise<readonly string[]> {
	const { resolve = systemAddresses, trustedOrigins } = options;
	const host = withoutBrackets(url.hostname).replace(/\.$/, '');
	const addresses = isIP(host) ? [host] : await untilAborted(resolve(host), signal).catch(() => []);
	signal.throwIfAborted();
	if (trustedOrigins.includes(url.origin)) {
		return addresses;
	}
	if (/(?:^|\.)(?:localhost|local|internal)$/i.test(host) || addresses.some(isPrivateAddress)) {
		throw new Refused('private');
	}
	if (isOtherProtocols(Number(url.port || 443))) {
		throw new Refused('unreachable');
	}
	return addresses;
}

async function systemAddresses(host: string): Promise<string[]> {
	return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Ports of other protocols, whose servers may take a request for one of their own. Browsers block them as well. */
function isOtherProtocols(port: number): boolean {
	return (port < 1024 && port !== 80 && port !== 443) || OTHER_PORTS.has(port);
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
	const { statusCode = 0 } = response;
	if (statusCode < 200 || statusCode > 299) {
		response.destroy();
		throw new Refused('unreachable');
	}
	const pieces: Uint8Array[] = [];
	let length = 0;
	// The length in the header cannot be trusted. Leaving the loop ends the request.
	for await (const piece of response as AsyncIterable<Uint8Array>) {
		length += piece.byteLength;
		if (length > MAXIMUM_IMAGE_BYTES) {
			throw new Refused('too-large');
		}
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

function decodeDataUrl(address: string): Uint8Array {
	const [, payload = ''] = /^data:[^,]*;base64,(.*)$/is.exec(address.slice(0, 2 * MAXIMUM_IMAGE_BYTES)) ?? [];
	const bytes = Buffer.from(payload, 'base64');
	if (bytes.byteLength > MAXIMUM_IMAGE_BYTES) {
		throw new Refused('too-large');
	}
	return bytes;
}

/** Loads the images of replies for their store. `trustedOrigins` are those of the active connection's service. */
export function createFetchImage(trustedOrigins: () => Promise<readonly string[]>): FetchImage {
	return async (url, signal) => {
		const image = await loadRemoteImage(url, { trustedOrigins: await trustedOrigins().catch(() => []), signal });
		if (image.kind === 'refused') {
			return { kind: 'refused', problem: image.reason };
		}
		return { kind: 'loaded', bytes: Buffer.from(image.dataUrl.slice(image.dataUrl.indexOf(',') + 1), 'base64') };
	};
}
