/**
 * Nothing of any use is nested deeper. A value of thousands of levels would overflow the stack of whoever walks through it
 * or writes it, and one of millions takes a hundred times the memory of its text.
 */
const MAXIMUM_LEVELS = 500;

/**
 * Returns undefined if the text is not JSON, or nested too deeply. The parser's own error would quote the text, which no
 * log may hold.
 */
export function parseJson(text: string): unknown {
	try {
		return isNestedDeeper(text, MAXIMUM_LEVELS) ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Returns whether the arrays and objects of a JSON text are nested more than `levels` deep, without parsing it. */
export function isNestedDeeper(text: string, levels: number): boolean {
	// A level takes two characters.
	if (text.length <= 2 * levels) {
		return false;
	}
	let depth = 0;
	for (let index = 0; index < text.length; index++) {
		// Codes take half the time of characters.
		const code = text.charCodeAt(index);
		if (code === QUOTE) {
			index = endOfString(text, index);
		} else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
			depth++;
			if (depth > levels) {
				return true;
			}
		} else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
			depth--;
		}
	}
	return false;
}

const QUOTE = 0x22;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Returns the place of the quotation mark that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
	for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
		let backslashes = 0;
		while (text[at - 1 - backslashes] === '\\') {
			backslashes++;
		}
		if (backslashes % 2 === 0) {
			return at;
		}
	}
	return text.length;
}

/**
 * Reads JSON with comments and commas before closing brackets, as editors write settings. Takes linear time, also for what
 * is made to take longer: each character is looked at once.
 */
export function parseJsonWithComments(text: string): unknown {
	const parts: string[] = [];
	/** Where a comma stands in `parts` that nothing but blanks and comments has followed. */
	let comma = -1;
	for (let at = 0, end = 0; at < text.length; at = end) {
		end = endOfPart(text, at);
		const part = text.slice(at, end);
		if (/^\s/.test(part) || part.startsWith('//') || part.startsWith('/*')) {
			parts.push(' ');
			continue;
		}
		if (comma >= 0 && (part === ']' || part === '}')) {
			parts[comma] = ' ';
		}
		comma = part === ',' ? parts.length : -1;
		parts.push(part);
	}
	return parseJson(parts.join(''));
}

/** Returns the end of the string, the comment or the character that begins at a place. What is open ends with the text. */
function endOfPart(text: string, start: number): number {
	const beginning = text.slice(start, start + 2);
	if (beginning === '//' || beginning === '/*') {
		const end = beginning === '//' ? '\n' : '*/';
		const at = text.indexOf(end, start + 2);
		return at < 0 ? text.length : at + end.length;
	}
	return Math.min((beginning.startsWith('"') ? endOfString(text, start) : start) + 1, text.length);
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
		if (character === '"') {
			index = endOfString(text, index);
			isInString = index === text.length;
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

/** Finds the end of a JSON object that comes in pieces. It looks at each character once. */
export class JsonEnd {
	isFound = false;
	private depth = 0;
	private isInString = false;
	private isEscaped = false;

	search(piece: string): void {
		for (const character of piece) {
			if (this.isEscaped) {
				this.isEscaped = false;
			} else if (this.isInString) {
				this.isEscaped = character === '\\';
				this.isInString = character !== '"';
			} else if (character === '"') {
				this.isInString = true;
			} else if (character === '{' || character === '[') {
				this.depth++;
			} else if (character === '}' || character === ']') {
				this.depth--;
				this.isFound ||= this.depth === 0;
			}
		}
	}
}
