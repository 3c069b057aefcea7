// Images that are stored beside a conversation: those from replies, and those attached to messages.
import { type ImageHeader, type ImageType, readImageHeader } from '../../base/imageHeader.ts';

/** The reasons why there is no image: its address was refused or did not lead to one, or it could not be stored. */
export const IMAGE_PROBLEMS = [
	'address',
	'private',
	'redirected',
	'unreachable',
	'too-large',
	'type',
	'not-kept',
] as const;
export type ImageProblem = (typeof IMAGE_PROBLEMS)[number];

/**
 * An image that is stored beside the conversation under the name `file`, the SHA-256 of its bytes. Sizes are in pixels.
 */
export interface KeptImage {
	readonly file: string;
	readonly type: ImageType;
	readonly width: number;
	readonly height: number;
}

/** The image whose address an image model replied with, or the reason why there is none. */
export type ReplyImage = KeptImage | { readonly problem: ImageProblem };

/** The limit for all generated images of a conversation, in bytes. */
export const MAXIMUM_KEPT_BYTES = 128 * 1024 * 1024;
/** A small file can hold an image that takes gigabytes of memory to show. */
const MAXIMUM_PIXELS = 40_000_000;

/** The file name of a stored image. */
export const IMAGE_FILE = /^[\da-f]{64}$/;

export function extensionOf(type: ImageType): string {
	return type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
}

/**
 * Identifies an image by its bytes, whatever a server says about it. Returns undefined for types that are not shown,
 * and for an image without a size or with too many pixels.
 */
export function readImage(bytes: Uint8Array): ImageHeader | undefined {
	const found = readImageHeader(bytes);
	return found && found.width > 0 && found.height > 0 && found.width * found.height <= MAXIMUM_PIXELS
		? found
		: undefined;
}

/** The size limit of one image that is attached to a message, in bytes. */
export const MAXIMUM_IMAGE_BYTES = 5_000_000;

export interface AttachedImage extends KeptImage {
	readonly bytes: number;
}

/** Returns the type and size of the image, or why the bytes are refused. */
export function readAttachedImage(
	bytes: Uint8Array,
): Omit<AttachedImage, 'file'> | { readonly problem: 'too-large' | 'no-image' } {
	if (bytes.byteLength > MAXIMUM_IMAGE_BYTES) {
		return { problem: 'too-large' };
	}
	const found = readImage(bytes);
	return found ? { ...found, bytes: bytes.byteLength } : { problem: 'no-image' };
}

/** Formats an image reference as Markdown. `place` is an address, or a path with slashes, relative to the text. */
export function imageReference(alternative: string, place: string): string {
	const words = alternative.replace(/[\\[\]]/g, '\\$&');
	// Characters that could end the address or begin an escape are percent-encoded.
	const address = place.replace(/[%\s()<>\\#?]/g, character =>
		encodeURIComponent(character).replace(/[()]/g, escapeBracket),
	);
	return `![${words}](${address})`;
}

function escapeBracket(character: string): string {
	return character === '(' ? '%28' : '%29';
}
