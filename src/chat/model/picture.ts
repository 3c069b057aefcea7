// The picture that an image model's reply is the address of.
import { type PictureHeader, type PictureType, readPictureHeader } from '../../base/pictureHeader.ts';

/** Why there is no picture: its address was refused or gave none, or it could not be kept. */
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

/** Kept beside the conversation under the name `file`, the SHA-256 of its bytes. Sizes are in pixels. */
export interface KeptPicture {
	readonly file: string;
	readonly type: PictureType;
	readonly width: number;
	readonly height: number;
}

export type Picture = KeptPicture | { readonly problem: PictureProblem };

/** Of all pictures of a conversation. */
export const MAXIMUM_KEPT_BYTES = 128 * 1024 * 1024;
/** A small file can hold a picture that takes gigabytes to show. */
const MAXIMUM_PIXELS = 40_000_000;

/** How a kept picture's file is called. */
export const PICTURE_FILE = /^[\da-f]{64}$/;

export function extensionOf(type: PictureType): string {
	return type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
}

/**
 * What the bytes say they are, whatever a server says of them. Undefined for everything that is not shown, and for a
 * picture without a size or with too many pixels.
 */
export function readPicture(bytes: Uint8Array): PictureHeader | undefined {
	const found = readPictureHeader(bytes);
	return found && found.width > 0 && found.height > 0 && found.width * found.height <= MAXIMUM_PIXELS
		? found
		: undefined;
}
