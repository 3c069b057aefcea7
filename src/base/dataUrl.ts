import type { ImageType } from './imageHeader.ts';

/** Returns an image as a `data:` URL. */
export function dataUrl(type: ImageType, bytes: Uint8Array): string {
	return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}
