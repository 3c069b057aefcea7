// Takes a key out of what others say, who may quote it: whole, in pieces, and in the forms in which texts carry it.

/** As much of a key in one piece gives something of it away. A shorter key is only found as a word of its own. */
const PIECE_LENGTH = 8;

const MARK = '[key]';

export type KeyRemover = (text: string) => string;

/**
 * `key` is what was sent: visible ASCII. Upper and lower case count as the same, as a host's name is told in lower case.
 * Made for each request, and rarely used: what it needs is prepared at the first text.
 */
export function createKeyRemover(key: string): KeyRemover {
	if (key.length < PIECE_LENGTH) {
		const word = new RegExp(`(?<![a-z0-9])${escaped(key)}(?![a-z0-9])`, 'gi');
		return text => text.replace(word, MARK);
	}
	let search: Search | undefined;
	return text => {
		search ??= searchFor(key);
		const { pieces, hint } = search;
		const isEncoded = text.search(ENCODED) !== -1;
		if (!isEncoded && !hint.test(text)) {
			return text;
		}
		const isKey = new Uint8Array(text.length);
		markPieces(
			Array.from({ length: text.length }, (_, at) => ({ letter: text.charAt(at), at })),
			pieces,
			isKey,
		);
		if (isEncoded) {
			markPieces(decodedUnits(text), pieces, isKey);
		}
		return withMarks(text, isKey);
	};
}

/** What a key is looked for by. */
interface Search {
	pieces: ReadonlySet<string>;
	/** Matches wherever a piece is: most texts have none, and this sees it soon. */
	hint: RegExp;
}

function searchFor(key: string): Search {
	const forms = [key, ...base64Forms(key)];
	return {
		pieces: new Set(forms.flatMap(piecesOf)),
		hint: new RegExp(forms.flatMap(hintsOf).map(escaped).join('|'), 'i'),
	};
}

/** Takes a key out of all that an error holds: message, stack and fields, and the same of what caused it. */
export function removeKeyFrom(error: unknown, remove: KeyRemover, seen = new Set<unknown>()): void {
	if (!isPlain(error) || seen.has(error)) {
		return;
	}
	seen.add(error);
	// `stack` may be an accessor.
	for (const name of new Set([...Object.getOwnPropertyNames(error), 'stack'])) {
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

/** An error or what is made of data: anything else, such as a socket, is no text of others. */
function isPlain(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) {
		return false;
	}
	const prototype: unknown = Object.getPrototypeOf(value);
	return value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** A character and where its text stands. */
interface Unit {
	letter: string;
	at: number;
}

/** Percent-encoded, also more than once; escaped as in JSON and in scripts; as a number in HTML. */
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

function markPieces(units: readonly Unit[], pieces: ReadonlySet<string>, isKey: Uint8Array): void {
	const letters = units.map(({ letter }) => letter.toLowerCase()[0]).join('');
	for (let start = 0; start + PIECE_LENGTH <= units.length; start++) {
		if (pieces.has(letters.slice(start, start + PIECE_LENGTH))) {
			isKey.fill(1, units[start]?.at, units[start + PIECE_LENGTH]?.at);
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

function piecesOf(text: string): string[] {
	const lower = text.toLowerCase();
	return Array.from({ length: Math.max(lower.length - PIECE_LENGTH + 1, 0) }, (_, start) =>
		lower.slice(start, start + PIECE_LENGTH),
	);
}

/** Of these, every piece holds one whole. */
function hintsOf(text: string): string[] {
	const length = PIECE_LENGTH / 2;
	return Array.from({ length: Math.floor(text.length / length) }, (_, index) =>
		text.slice(index * length, (index + 1) * length),
	);
}

function escaped(text: string): string {
	return text.replace(/\W/g, '\\$&');
}

/** What of base64 belongs to the key alone, at each of the three places where a key can begin in it; in both alphabets. */
function base64Forms(key: string): string[] {
	return [0, 1, 2].flatMap(before => {
		const bits = 8 * (before + key.length);
		const form = Buffer.from(' '.repeat(before) + key)
			.toString('base64')
			.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
		return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
	});
}
