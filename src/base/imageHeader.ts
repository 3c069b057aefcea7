// Reads the type and size of an image from its first bytes.

/** The image types that are shown and sent. None of them can contain a script. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The sizes are in pixels and unchecked: they can be 0 or as large as the format allows. */
export interface ImageHeader {
	readonly type: ImageType;
	readonly width: number;
	readonly height: number;
}

/** The first bytes of every PNG, as Latin-1. */
export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';

/** Returns the type by the first bytes, or undefined for anything else, which includes SVG: it is a document. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
	const head = String.fromCharCode(...bytes.subarray(0, 12));
	if (head.startsWith(PNG_SIGNATURE)) {
		return 'image/png';
	}
	if (head.startsWith('\xff\xd8\xff')) {
		return 'image/jpeg';
	}
	if (/^GIF8[79]a/.test(head)) {
		return 'image/gif';
	}
	return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}

/** Returns undefined for anything that is not an image of these types. Only the header is read. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	switch (imageTypeOf(bytes)) {
		case 'image/png':
			return readPng(view);
		case 'image/jpeg':
			return readJpeg(view);
		case 'image/gif':
			return readGif(view);
		case 'image/webp':
			return readWebp(view);
		case undefined:
			return undefined;
	}
}

const textAt = (view: DataView, offset: number, length: number): string =>
	offset + length > view.byteLength
		? ''
		: String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + offset, length));

function readPng(view: DataView): ImageHeader | undefined {
	return textAt(view, 12, 4) === 'IHDR' && view.byteLength >= 24
		? { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
		: undefined;
}

function readGif(view: DataView): ImageHeader | undefined {
	return view.byteLength >= 10
		? { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
		: undefined;
}

/** The format has three variants: lossy, lossless, and extended with a header of its own. */
function readWebp(view: DataView): ImageHeader | undefined {
	if (view.byteLength < 30) {
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

/** The size is in the frame header, which any number of other segments may precede. */
function readJpeg(view: DataView): ImageHeader | undefined {
	for (let offset = 2; offset + 9 <= view.byteLength; ) {
		const marker = view.getUint8(offset + 1);
		if (view.getUint8(offset) !== 0xff) {
			return undefined;
		}
		if (marker === 0xff) {
			offset++;
			continue;
		}
		// Three markers of this range denote tables instead of frames.
		const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
		if (isFrame) {
			return { type: 'image/jpeg', width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
		}
		offset += 2 + view.getUint16(offset + 2);
	}
	return undefined;
}
