// Images that a reply names. They are loaded only when the user asks for them, and by the host, because the page itself
// has no access to the network.

import { type GuardedNetwork, GuardRefusal, getGuarded } from '../../base/guardedRequest.ts';
import { IMAGE_TYPES, type ImageType, imageTypeOf } from '../../base/imageHeader.ts';
import type { ImageProblem } from '../model/images.ts';
import type { FetchImage } from '../storage/imageStore.ts';

/** The size limit of one image, in bytes. */
export const MAXIMUM_IMAGE_BYTES = 10_000_000;

const MAXIMUM_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;

/** These headers reveal nothing about the user. */
const HEADERS = { accept: IMAGE_TYPES.join(', ') };

/**
 * `address`: it is not an absolute http, https or data URL, or has a port of another protocol. `type`: the data is not a
 * PNG, JPEG, GIF or WebP, whatever it claims to be.
 */
export type ImageRefusal = Exclude<ImageProblem, 'not-kept'>;

export type RemoteImage =
	| { kind: 'loaded'; type: ImageType; bytes: Uint8Array }
	| { kind: 'refused'; reason: ImageRefusal };

/** A user of a service on this machine or network may see the images of its origins. */
export interface RemoteImageOptions extends GuardedNetwork {
	signal?: AbortSignal;
}

class Refused extends Error {
	readonly reason: ImageRefusal;
	constructor(reason: ImageRefusal) {
		super(reason);
		this.reason = reason;
	}
}

/** Fetches an image without cookies, keys or a referrer, through the editor's proxy if it has one. Never rejects. */
export async function loadRemoteImage(address: string, options: RemoteImageOptions): Promise<RemoteImage> {
	try {
		const url = URL.parse(address);
		if (!url || !['http:', 'https:', 'data:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
			throw new Refused('address');
		}
		const bytes = url.protocol === 'data:' ? decodeDataUrl(address) : await fetchBytes(url, options);
		// The declared type cannot be trusted.
		const type = imageTypeOf(bytes);
		if (type === undefined) {
			throw new Refused('type');
		}
		return { kind: 'loaded', type, bytes };
	} catch (error) {
		const reason = error instanceof Refused || error instanceof GuardRefusal ? error.reason : 'unreachable';
		return { kind: 'refused', reason: reason === 'port' ? 'address' : reason };
	}
}

async function fetchBytes(url: URL, options: RemoteImageOptions): Promise<Uint8Array> {
	const limits = { maximumBytes: MAXIMUM_IMAGE_BYTES, maximumRedirects: MAXIMUM_REDIRECTS, timeoutMs: TIMEOUT_MS };
	return (await getGuarded(url, { ...options, ...limits, headers: HEADERS })).bytes;
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
		return image.kind === 'refused' ? { kind: 'refused', problem: image.reason } : image;
	};
}
