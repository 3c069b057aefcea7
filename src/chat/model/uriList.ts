/** More than this at once is a mistake of the hand. */
export const MAXIMUM_DROPPED = 50;

/** The URIs of a `text/uri-list` (RFC 2483): lines, of which those that begin with `#` are comments. */
export function parseUriList(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map(line => line.trim())
		.filter(line => line !== '' && !line.startsWith('#') && URL.canParse(line));
}
