// Cleans text of services, agents and tools for an output channel or a label. All of it is hostile input.
import { mayHide, replaceHidden } from './invisible.ts';

/**
 * Line ends of every kind. On a terminal, a lone carriage return overwrites its line; here each version becomes a line
 * of its own.
 */
export const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/**
 * The sequences to remove, in this order: control sequences; strings (titles, links) with their content, up to their
 * terminator or at most to the end of their line, so that an unterminated string hides no more than that; other escape
 * sequences; control characters except tab and newline. Each part takes the longest run of its class and may end
 * anywhere, so that nothing is examined twice.
 */
const CONTROL =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
	/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u009c|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000e-\u001f\u007f-\u009f]+/g;

/** Printable ASCII with single blanks, which covers most labels and needs no changes. */
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Returns the text without terminal sequences (ECMA-48) and anything else that an output channel must not contain. Runs
 * in linear time.
 */
export function plainText(text: string): string {
	return cleaned(text, () => '');
}

/** Nearly every text is plain, and there may be millions of texts, so a plain one is scanned only once. */
function cleaned(text: string, by: (character: string) => string): string {
	return !mayHide(text) && text.isWellFormed()
		? text
		: replaceHidden(text.replace(LINE_END, '\n').replace(CONTROL, '').toWellFormed(), by);
}

/**
 * Returns the text on one line of at most `maximum` characters (code points). An ellipsis marks what was cut off. A
 * hidden character becomes a blank, so that a name with one does not look like another name.
 */
export function oneLine(text: string, maximum = Number.POSITIVE_INFINITY): string {
	// Reading only a part keeps the label of a huge text cheap; the factor 32 leaves room for sequences and blanks.
	const isWhole = text.length <= maximum * 32;
	if (isWhole && PLAIN_LINE.test(text)) {
		return cut(text, maximum);
	}
	const line = cleaned(text.slice(0, maximum * 32), () => ' ')
		.replace(/\s+/g, ' ')
		.trim();
	return isWhole ? cut(line, maximum) : cut(`${line}…`, maximum);
}

const MAXIMUM_NAME = 120;

/** Returns a name of foreign origin in a form fit for a text on one line. */
export function shortName(text: string): string {
	return oneLine(text, MAXIMUM_NAME);
}

/** Shortens the text to at most `maximum` characters (code points), the last of which is then an ellipsis. */
export function cut(text: string, maximum: number): string {
	// No text has more characters than code units.
	if (text.length <= maximum) {
		return text;
	}
	const characters = Array.from(text);
	return characters.length <= maximum
		? text
		: `${characters
				.slice(0, maximum - 1)
				.join('')
				.trimEnd()}…`;
}

/** Returns the first line of the text that is not blank, formatted by `oneLine`. */
export function firstLine(text: string, maximum: number): string {
	const lines = plainText(text.slice(0, maximum * 32)).split('\n');
	return oneLine(lines.find(line => line.trim() !== '') ?? '', maximum);
}

/**
 * Escapes text for a row of a quick pick or the status bar, which draw `$(name)` as an icon, or as nothing if there is
 * no icon of that name.
 */
export function escapeIcons(text: string): string {
	return text.replace(/\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi, '\\$&');
}
