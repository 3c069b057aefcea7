// Images that go with a message, to models that take them.
import type { PictureType } from '../../base/pictureHeader.ts';
import { readPicture } from './picture.ts';

/** Of one image that goes with a message. */
export const MAXIMUM_IMAGE_BYTES = 5_000_000;

/** Of all images of a request, in bytes: as base64 they still fit into the body of one. */
export const MAXIMUM_REQUEST_IMAGE_BYTES = 11_000_000;

/** Kept beside the conversation under the name `file`, the SHA-256 of its bytes. Sizes are in pixels. */
export interface AttachedImage {
	readonly file: string;
	readonly type: PictureType;
	readonly width: number;
	readonly height: number;
	readonly bytes: number;
}

/** What the bytes are, or why they are not taken. */
export function readImage(
	bytes: Uint8Array,
): Omit<AttachedImage, 'file'> | { readonly problem: 'too-large' | 'no-image' } {
	if (bytes.byteLength > MAXIMUM_IMAGE_BYTES) {
		return { problem: 'too-large' };
	}
	const found = readPicture(bytes);
	return found ? { ...found, bytes: bytes.byteLength } : { problem: 'no-image' };
}

/** Pixels for each token, and the most that one image comes to: models make it smaller before they look at it. */
const PIXELS_PER_TOKEN = 750;
const MAXIMUM_TOKENS = 1_600;

/** About how many tokens a model counts. */
export function imageTokens({ width, height }: AttachedImage): number {
	return Math.min(MAXIMUM_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}
