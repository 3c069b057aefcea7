// The image whose address an image model replied with.
import { type PictureHeader, type PictureType, readPictureHeader } from '../../base/pictureHeader.ts';

/** Why there is no image: its address was refused or did not lead to one, or it could not be stored. */
export const PICTURE_PROBLEMS = [
	'address',
	'private',
	'redirected',
	'unreachable',
	'too-large',
	'type',
	'not-kept',
] as const;
export type PictureProblem = (typeof PICTURE_PROBLEMS)[number];

/**
 * An image that is kept beside the conversation under the name `file`, the SHA-256 of its bytes. Sizes are in pixels.
 */
export interface KeptPicture {
	readonly file: string;
	readonly type: PictureType;
	readonly width: number;
	readonly height: number;
}

export type Picture = KeptPicture | { readonly problem: PictureProblem };

/** The limit for all generated images of a conversation, in bytes. */
export const MAXIMUM_KEPT_BYTES = 128 * 1024 * 1024;
/** A small file can hold an image that takes gigabytes of memory to show. */
const MAXIMUM_PIXELS = 40_000_000;

/** The file name of a kept image. */
export const PICTURE_FILE = /^[\da-f]{64}$/;

export function extensionOf(type: PictureType): string {
	return type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
}

/**
 * Identifies an image by its bytes, whatever a server says about it. Returns undefined for types that are not shown,
 * and for an image without a size or with too many pixels.
 */
export function readPicture(bytes: Uint8Array): PictureHeader | undefined {
	const found = readPictureHeader(bytes);
	return found && found.width > 0 && found.height > 0 && found.width * found.height <= MAXIMUM_PIXELS
		? found
		: undefined;
}
