// Images that a reply names. Each loads only when the user asks for it, through the host: the page itself has no way out.
import { BlockList, isIP } from 'node:net';

/** A picture may be so large, in bytes. */
export const MAXIMUM_IMAGE_BYTES = 10_000_000;

const MAXIMUM_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;

export type ImageRefusal =
	/** Not a whole http, https or data address. */
	| 'address'
	/** It leads into this machine or its network. */
	| 'private'
	/** The server sent on to another origin. */
	| 'redirected'
	/** The server said no, or could not be reached in time. */
	| 'unreachable'
	| 'too-large'
	/** Not a PNG, JPEG, GIF or WebP, whatever it says of itself. */
	| 'type';

/** `dataUrl` shows in a page whose policy has `img-src data:`. */
export type RemoteImage = { kind: 'loaded'; dataUrl: string } | { kind: 'refused'; reason: ImageRefusal };

export interface RemoteImageOptions {
	fetch(address: string, init: RequestInit): Promise<Response>;
	/** The addresses of a host name. May reject: behind a proxy only the proxy may know them. */
	lookup(host: string): Promise<readonly string[]>;
	/** Of the connection: whoever talks to a service on the own machine or network may see its images. */
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

/** Fetches an image without cookies, keys or a referrer. Never rejects. */
export async function loadRemoteImage(address: string, options: RemoteImageOptions): Promise<RemoteImage> {
	try {
		const url = URL.parse(address);
		if (!url || !['http:', 'https:', 'data:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
			throw new Refused('address');
		}
		const bytes = url.protocol === 'data:' ? decodeDataUrl(address) : await fetchBytes(url, options);
		const type = imageType(bytes);
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
		await checkTarget(url, options);
		const response = await options.fetch(url.href, {
			redirect: 'manual',
			credentials: 'omit',
			referrerPolicy: 'no-referrer',
			headers: { accept: 'image/png, image/jpeg, image/gif, image/webp' },
			signal,
		});
		const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
		if (location === null) {
			return readBody(response);
		}
		await response.body?.cancel();
		const next: URL | null = URL.parse(location, url.href);
		if (next?.origin !== url.origin) {
			throw new Refused('redirected');
		}
		url = next;
	}
	throw new Refused('redirected');
}

/** Whether a request to `url` may go out: judged before each hop, by the name's addresses as far as they are known. */
async function checkTarget(url: URL, options: RemoteImageOptions): Promise<void> {
	if (options.trustedOrigins.includes(url.origin)) {
		return;
	}
	const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
	const addresses = isIP(host) ? [host] : await options.lookup(host).catch(() => []);
	if (/(?:^|\.)(?:localhost|local|internal)$/i.test(host) || addresses.some(isPrivateAddress)) {
		throw new Refused('private');
	}
}

async function readBody(response: Response): Promise<Uint8Array> {
	if (!response.ok || !response.body) {
		await response.body?.cancel();
		throw new Refused('unreachable');
	}
	const pieces: Uint8Array[] = [];
	let length = 0;
	// What the header says of the length is not to be trusted. Leaving the loop ends the request.
	for await (const piece of response.body) {
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

/** By its first bytes, because a declared type may say anything. SVG is a document and never an image here. */
function imageType(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
	if (head.startsWith('\x89PNG\r\n\x1a\n')) {
		return 'image/png';
	}
	if (head.startsWith('\xff\xd8\xff')) {
		return 'image/jpeg';
	}
	if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) {
		return 'image/gif';
	}
	return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}

const privateAddresses = new BlockList();
for (const [network, prefix] of [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['224.0.0.0', 4],
	['240.0.0.0', 4],
] as const) {
	privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
	['::', 96],
	// IPv4 addresses in the forms of translators and tunnels, which may lead anywhere.
	['::ffff:0:0:0', 96],
	['64:ff9b::', 96],
	['64:ff9b:1::', 48],
	['2002::', 16],
	['fc00::', 7],
	['fe80::', 9],
	['ff00::', 8],
] as const) {
	privateAddresses.addSubnet(network, prefix, 'ipv6');
}

/** Of this machine, its network, or no single machine's. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
	const version = isIP(address);
	// An IPv4 address inside an IPv6 one is judged as what it is.
	return version === 0 || privateAddresses.check(address.replace(/%.*$/, ''), version === 6 ? 'ipv6' : 'ipv4');
}
