// Images that are attached to messages, for models that accept them.
import type { PictureType } from '../../base/pictureHeader.ts';
import { readPicture } from './picture.ts';

/** The size limit of one image that is attached to a message. */
export const MAXIMUM_IMAGE_BYTES = 5_000_000;

/** The limit for all images of a request, in bytes. Encoded as base64 they still fit into the body of one request. */
export const MAXIMUM_REQUEST_IMAGE_BYTES = 11_000_000;

/**
 * An image that is kept beside the conversation under the name `file`, the SHA-256 of its bytes. Sizes are in pixels.
 */
export interface AttachedImage {
	readonly file: string;
	readonly type: PictureType;
	readonly width: number;
	readonly height: number;
	readonly bytes: number;
}

/** Returns what the bytes are, or why they are refused. */
export function readImage(
	bytes: Uint8Array,
): Omit<AttachedImage, 'file'> | { readonly problem: 'too-large' | 'no-image' } {
	if (bytes.byteLength > MAXIMUM_IMAGE_BYTES) {
		return { problem: 'too-large' };
	}
	const found = readPicture(bytes);
	return found ? { ...found, bytes: bytes.byteLength } : { problem: 'no-image' };
}

/**
 * The number of pixels for each token, and the most tokens that one image counts: models scale larger images down
 * first.
 */
const PIXELS_PER_TOKEN = 750;
const MAXIMUM_TOKENS = 1_600;

/** Estimates how many tokens a model counts for the image. */
export function imageTokens({ width, height }: AttachedImage): number {
	return Math.min(MAXIMUM_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}
