/** A part of a line that may lead somewhere: offsets in UTF-16 units, the end not included. */
export type LinkCandidate = { start: number; end: number } & (
	| { kind: 'address'; url: string }
	/** `line` and `column` count from 1. */
	| { kind: 'file'; path: string; line: number | undefined; column: number | undefined }
);

/** One class of characters a token each: nothing is looked at twice. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u2400-\u2426⟨⟩]+/g;
const TOKEN = /[\p{L}\p{N}_.@+\-/\\:~]+/gu;
const PLACE = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?:*$/s;
const MAXIMUM_TOKEN = 500;

/** The http(s) addresses of a line, and what looks like a path to a file, `path:line:column` too. */
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
	// A word, a number and a version are no files; a name with an ending, and what has a folder before it, may be.
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

/** A full stop or a bracket behind an address belongs to the sentence around it. */
function withoutPunctuation(text: string): string {
	let end = text.length;
	while (end > 0 && '.,;!?)]}'.includes(text[end - 1] ?? ' ')) {
		end--;
	}
	return text.slice(0, end);
}
