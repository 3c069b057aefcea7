import type { FetchPicture } from '../storage/pictureStore.ts';
import { loadRemoteImage } from './remoteImage.ts';

export function createFetchPicture(trustedOrigins: () => Promise<readonly string[]>): FetchPicture {
	return async (url, signal) => {
		const image = await loadRemoteImage(url, { trustedOrigins: await trustedOrigins().catch(() => []), signal });
		if (image.kind === 'refused') {
			return { kind: 'refused', problem: image.reason };
		}
		return { kind: 'loaded', bytes: Buffer.from(image.dataUrl.slice(image.dataUrl.indexOf(',') + 1), 'base64') };
	};
}
