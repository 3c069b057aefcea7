/** Dropping more files than this at once is likely a mistake. */
export const MAXIMUM_DROPPED = 50;

/** Parses the URIs of a `text/uri-list` (RFC 2483), in which lines that begin with `#` are comments. */
export function parseUriList(text: string): string[] {
	return text
		.split(/\r?\n/)
		.map(line => line.trim())
		.filter(line => line !== '' && !line.startsWith('#') && URL.canParse(line));
}
