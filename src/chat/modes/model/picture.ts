// The picture that an image model's reply is the address of.

/** Those that the page shows: none of them can hold a script. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

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
export function readPicture(bytes: Uint8Array): { type: PictureType; width: number; height: number } | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const found = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
	return found && found.width > 0 && found.height > 0 && found.width * found.height <= MAXIMUM_PIXELS
		? found
		: undefined;
}

type Found = ReturnType<typeof readPicture>;

const textAt = (view: DataView, offset: number, length: number): string =>
	offset + length > view.byteLength
		? ''
		: String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + offset, length));

function readPng(view: DataView): Found {
	return textAt(view, 0, 8) === '\x89PNG\r\n\x1a\n' && textAt(view, 12, 4) === 'IHDR' && view.byteLength >= 24
		? { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
		: undefined;
}

function readGif(view: DataView): Found {
	return /^GIF8[79]a$/.test(textAt(view, 0, 6)) && view.byteLength >= 10
		? { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
		: undefined;
}

/** Three forms: lossy, lossless, and one with a header of its own. */
function readWebp(view: DataView): Found {
	if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP' || view.byteLength < 30) {
		return undefined;
	}
	const type = 'image/webp';
	switch (textAt(view, 12, 4)) {
		case 'VP8 ':
			return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
		case 'VP8L': {
			const bits = view.getUint32(21, true);
			return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
		}
		case 'VP8X':
			return {
				type,
				width: (view.getUint32(24, true) & 0xffffff) + 1,
				height: (view.getUint32(26, true) >>> 8) + 1,
			};
		default:
			return undefined;
	}
}

/** The size stands in the frame's header, which follows any number of other segments. */
function readJpeg(view: DataView): Found {
	if (textAt(view, 0, 3) !== '\xff\xd8\xff') {
		return undefined;
	}
	for (let offset = 2; offset + 9 <= view.byteLength; ) {
		const marker = view.getUint8(offset + 1);
		if (view.getUint8(offset) !== 0xff) {
			return undefined;
		}
		if (marker === 0xff) {
			offset++;
			continue;
		}
		// Three numbers of this range are tables, not frames.
		const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
		if (isFrame) {
			return { type: 'image/jpeg', width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
		}
		offset += 2 + view.getUint16(offset + 2);
	}
	return undefined;
}
