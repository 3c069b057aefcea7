import { lookup } from 'node:dns/promises';
import { loadRemoteImage } from '../remoteImage.ts';
import type { FetchPicture } from './pictureStore.ts';

/** Fetches as the editor does, through its proxy and with its certificates. */
export function createFetchPicture(trustedOrigins: () => Promise<readonly string[]>): FetchPicture {
	return async (url, signal) => {
		const image = await loadRemoteImage(url, {
			// Looked up at each request: the editor patches the host's fetch after it started.
			fetch: (address, init) => globalThis.fetch(address, init),
			lookup: async host => (await lookup(host, { all: true })).map(({ address }) => address),
			trustedOrigins: await trustedOrigins().catch(() => []),
			signal,
		});
		if (image.kind === 'refused') {
			return { kind: 'refused', problem: image.reason };
		}
		return { kind: 'loaded', bytes: Buffer.from(image.dataUrl.slice(image.dataUrl.indexOf(',') + 1), 'base64') };
	};
}
