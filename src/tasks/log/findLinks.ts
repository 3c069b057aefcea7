/** A part of a line that may be a link. Offsets are in UTF-16 code units; the end is exclusive. */
export type LinkCandidate = { start: number; end: number } & (
	| { kind: 'address'; url: string }
	/** `line` and `column` count from 1. */
	| { kind: 'file'; path: string; line: number | undefined; column: number | undefined }
);

/** Each token is one character class, so that no text is scanned twice. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u2400-\u2426⟨⟩]+/g;
const TOKEN = /[\p{L}\p{N}_.@+\-/\\:~]+/gu;
const PLACE = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?:*$/s;
const MAXIMUM_TOKEN = 500;

/**
 * Finds the http(s) addresses of a line, and the words that look like a path to a file, including `path:line:column`.
 */
export function findLinks(text: string): LinkCandidate[] {
	const found: LinkCandidate[] = [];
	let rest = text;
	for (const match of text.matchAll(ADDRESS)) {
		const url = withoutPunctuation(match[0]);
		const end = match.index + url.length;
		if (URL.canParse(url)) {
			found.push({ kind: 'address', start: match.index, end, url });
		}
		rest = rest.slice(0, match.index) + ' '.repeat(match[0].length) + rest.slice(match.index + match[0].length);
	}
	for (const match of rest.matchAll(TOKEN)) {
		const candidate = match[0].length <= MAXIMUM_TOKEN ? fileOf(match[0], match.index) : undefined;
		if (candidate) {
			found.push(candidate);
		}
	}
	return found.sort((one, other) => one.start - other.start);
}

function fileOf(token: string, index: number): LinkCandidate | undefined {
	const trimmed = token.replace(/^[:@]+/, '');
	const start = index + token.length - trimmed.length;
	const [, place = '', line, column] = PLACE.exec(withoutPunctuation(trimmed)) ?? [];
	// A word, a number or a version is not a file; a name with an extension, or one with a folder before it, may be.
	if (!/[/\\]|\.[A-Za-z]/.test(place) || !/\p{L}/u.test(place) || place.endsWith('/')) {
		return undefined;
	}
	const length =
		place.length + (line === undefined ? 0 : line.length + 1) + (column === undefined ? 0 : column.length + 1);
	const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
	return {
		kind: 'file',
		start,
		end: start + length,
		path: place,
		line: numberOf(line),
		column: numberOf(column),
	};
}

/** A full stop or a bracket after an address belongs to the sentence around it. */
function withoutPunctuation(text: string): string {
	let end = text.length;
	while (end > 0 && '.,;!?)]}'.includes(text[end - 1] ?? ' ')) {
		end--;
	}
	return text.slice(0, end);
}
