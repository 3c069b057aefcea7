/** Larger files are added by their lines only, in bytes. */
export const MAXIMUM_FILE_SIZE = 1_000_000;

const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp|ico|avif|tiff?|heic)$/i;

export function isImagePath(path: string): boolean {
	return IMAGE.test(path);
}

/** The text of a file, or undefined where its bytes are no text: a NUL, or what is no UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
	if (bytes.includes(0)) {
		return undefined;
	}
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
