/** Returns undefined if the text is not JSON. The parser's own error would quote the text, which no log may hold. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Parses JSON with comments and trailing commas, as editors write settings. */
export function parseJsonWithComments(text: string): unknown {
	const string = String.raw`"(?:[^"\\\n]|\\.)*"`;
	const bare = text.replace(
		new RegExp(`(${string})|//[^\\n]*|/\\*[^]*?\\*/`, 'g'),
		(_, kept: string | undefined) => kept ?? ' ',
	);
	return parseJson(
		bare.replace(new RegExp(`(${string})|,(?=\\s*[\\]}])`, 'g'), (_, kept: string | undefined) => kept ?? ''),
	);
}

/** An escape such as `\u00e9`, cut off. */
const UNFINISHED_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;

/**
 * Parses the beginning of a JSON text: its complete entries and the string in which it ends. Returns undefined if it
 * does not begin an array, an object or a string.
 */
export function parseBeginningOfJson(text: string): unknown {
	/** The brackets that close the open arrays and objects, at this point and where the last complete entry ends. */
	let closing = '';
	let closingOfWhole = '';
	let endOfWhole = 0;
	let isInString = false;
	for (let index = 0; index < text.length; index++) {
		const character = text[index] ?? '';
		if (isInString) {
			isInString = character !== '"';
			// The character after a backslash never ends the string.
			index += character === '\\' ? 1 : 0;
		} else if (character === '"') {
			isInString = true;
		} else if ('{[}],'.includes(character)) {
			if (character === '{' || character === '[') {
				closing = (character === '{' ? '}' : ']') + closing;
			} else if (character !== ',') {
				closing = closing.slice(1);
			}
			closingOfWhole = closing;
			endOfWhole = character === ',' ? index : index + 1;
		}
	}
	const ends = isInString ? [text, text.replace(UNFINISHED_ESCAPE, '')].map(part => `${part}"${closing}`) : [];
	return [...ends, text.slice(0, endOfWhole) + closingOfWhole].map(parseJson).find(value => value !== undefined);
}

/**
 * Returns whether the arrays and objects of a JSON value are nested more than `levels` deep. It does not recurse, so it
 * works at any depth.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
	let level = [value];
	for (let depth = 0; depth <= levels; depth++) {
		level = level.flatMap(entry => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
	}
	return level.length > 0;
}
