// Removes a key from foreign text that may quote it: as a whole, in pieces, and in the encodings that text may use.

/**
 * The number of consecutive characters of a key that are removed: fewer reveal little of it, and are more likely to be
 * words of a sentence. A key that is shorter is only found as a separate word.
 */
const PIECE_LENGTH = 12;

/** Fields of an error that this program or the system sets, and by which callers distinguish errors. */
const TRUSTED_FIELDS: ReadonlySet<string> = new Set(['code', 'name', 'syscall']);

const MARK = '[key]';

export type KeyRemover = (text: string) => string;

/**
 * `key` is the key that was sent: visible ASCII. Case is ignored, because host names are reported in lower case. A
 * remover is created for each request but rarely used, so its search is prepared at the first text.
 */
export function createKeyRemover(key: string): KeyRemover {
	let search: Search | undefined;
	return text => {
		search ??= searchFor(key);
		const isEncoded = text.search(ENCODED) !== -1;
		if (!isEncoded && !search.hint.test(text)) {
			return text;
		}
		const isKey = new Uint8Array(text.length);
		markPieces(
			Array.from({ length: text.length }, (_, at) => ({ letter: text.charAt(at), at })),
			search,
			isKey,
		);
		if (isEncoded) {
			markPieces(decodedUnits(text), search, isKey);
		}
		return withMarks(text, isKey);
	};
}

interface Search {
	length: number;
	/** All pieces of that length, in lower case. */
	pieces: ReadonlySet<string>;
	/** True if a piece counts only as a separate word. */
	isWord: boolean;
	/** Matches wherever a piece may occur. Most texts have none, and this finds that out quickly. */
	hint: RegExp;
}

function searchFor(key: string): Search {
	const length = Math.min(PIECE_LENGTH, key.length);
	const forms = [key, ...base64Forms(key)];
	// Any piece contains the whole of one of these, as they follow one another and are half as long.
	const half = Math.max(1, Math.floor(length / 2));
	const hints = forms.flatMap(form => piecesOf(form, half, half));
	return {
		length,
		pieces: new Set(forms.flatMap(form => piecesOf(form.toLowerCase(), length, 1))),
		isWord: key.length < PIECE_LENGTH,
		hint: new RegExp(hints.map(hint => hint.replace(/\W/g, '\\$&')).join('|'), 'i'),
	};
}

/** Returns the pieces of a text that begin at each multiple of `step`. */
function piecesOf(text: string, length: number, step: number): string[] {
	const count = Math.max(0, Math.floor((text.length - length) / step) + 1);
	return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + length));
}

/** Removes a key from everything in an error: message, stack, fields and causes. */
export function removeKeyFrom(error: unknown, remove: KeyRemover, seen = new Set<unknown>()): void {
	if (!isPlain(error) || seen.has(error)) {
		return;
	}
	seen.add(error);
	// `stack` may be an accessor.
	for (const name of new Set([...Object.getOwnPropertyNames(error), 'stack'])) {
		if (error instanceof Error && TRUSTED_FIELDS.has(name)) {
			continue;
		}
		const value: unknown = Reflect.get(error, name);
		if (typeof value === 'string') {
			const clean = remove(value);
			if (clean !== value) {
				Reflect.set(error, name, clean);
			}
		} else {
			removeKeyFrom(value, remove, seen);
		}
	}
}

/** Returns whether a value is an error or plain data. Anything else, such as a socket, contains no foreign text. */
function isPlain(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) {
		return false;
	}
	const prototype: unknown = Object.getPrototypeOf(value);
	return value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

interface Unit {
	letter: string;
	at: number;
}

/** Matches percent-encoding, even repeated; escapes of JSON and scripts; numeric character references of HTML. */
const ENCODED = /%(?:25)*([0-9a-f]{2})|\\+(?:u00|x)([0-9a-f]{2})|\\+([^\w\s])|&#x0*([0-9a-f]{2});|&#0*(\d{2,3});/gi;

function decodedUnits(text: string): Unit[] {
	const units: Unit[] = [];
	let end = 0;
	const pass = (until: number) => {
		for (; end < until; end++) {
			units.push({ letter: text.charAt(end), at: end });
		}
	};
	for (const match of text.matchAll(ENCODED)) {
		pass(match.index);
		const [whole, percent, script, letter, hexadecimal, decimal] = match;
		const hex = percent ?? script ?? hexadecimal;
		const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
		units.push({ letter: letter ?? String.fromCharCode(code), at: end });
		end += whole.length;
	}
	pass(text.length);
	return units;
}

function markPieces(units: readonly Unit[], { length, pieces, isWord }: Search, isKey: Uint8Array): void {
	const letters = units.map(({ letter }) => letter.toLowerCase()[0]).join('');
	for (let start = 0; start + length <= letters.length; start++) {
		const end = start + length;
		const isAlone = !isWord || !/[a-z0-9]/.test((letters[start - 1] ?? '') + (letters[end] ?? ''));
		if (pieces.has(letters.slice(start, end)) && isAlone) {
			isKey.fill(1, units[start]?.at, units[end]?.at);
		}
	}
}

function withMarks(text: string, isKey: Uint8Array): string {
	let clean = '';
	let end = 0;
	for (let start = isKey.indexOf(1); start !== -1; start = isKey.indexOf(1, end)) {
		clean += text.slice(end, start) + MARK;
		const next = isKey.indexOf(0, start);
		end = next === -1 ? text.length : next;
	}
	return clean + text.slice(end);
}

/** Returns the base64 of the key alone, for each of the three offsets at which it can begin, in both alphabets. */
function base64Forms(key: string): string[] {
	return [0, 1, 2].flatMap(before => {
		const bits = 8 * (before + key.length);
		const form = Buffer.from(' '.repeat(before) + key)
			.toString('base64')
			.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
		return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
	});
}
