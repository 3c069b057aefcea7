/** The maximum size in bytes of a file that is added as a whole; of larger files, only lines can be added. */
export const MAXIMUM_FILE_SIZE = 1_000_000;

const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp|ico|avif|tiff?|heic)$/i;

export function isImagePath(path: string): boolean {
	return IMAGE.test(path);
}

/** Returns the text of a file, or undefined if its bytes are not text: they contain a NUL or are not valid UTF-8. */
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

/** Dropping more files than this at once is likely a mistake. */
export const MAXIMUM_DROPPED = 50;

/** Parses the URIs of a `text/uri-list` (RFC 2483), in which lines that begin with `#` are comments. */
export function parseUriList(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map(line => line.trim())
		.filter(line => line !== '' && !line.startsWith('#') && URL.canParse(line));
}
