import { MAXIMUM_COMPARED } from '../results/readChanges.ts';

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The kind of line ends of a text. `none`: it has no complete line. */
export type LineEnds = 'lf' | 'crlf' | 'mixed' | 'none';

export function lineEndsOf(text: Buffer): LineEnds {
	let found: LineEnds = 'none';
	for (let at = text.indexOf(NEW_LINE); at >= 0; at = text.indexOf(NEW_LINE, at + 1)) {
		const here = text[at - 1] === CARRIAGE_RETURN ? 'crlf' : 'lf';
		if (found !== 'none' && found !== here) {
			return 'mixed';
		}
		found = here;
	}
	return found;
}

/**
 * Returns the text with the given line ends. Its encoding must be a superset of ASCII in which no other character
 * contains the bytes of CR and LF, as UTF-8 is.
 */
export function withLineEnds(text: Buffer, ends: 'lf' | 'crlf'): Buffer {
	const changed = text.toString('latin1').replace(/\r?\n/g, ends === 'crlf' ? '\r\n' : '\n');
	return Buffer.from(changed, 'latin1');
}

/**
 * Returns two versions that git has stored, with the line ends of the file on disk, which git may have converted on
 * checkout. If the file has no line ends, or both kinds, the versions stay as they are.
 */
export function likeFile<T extends Buffer | undefined>(
	file: Buffer,
	base: Buffer,
	other: T,
): { base: Buffer; other: T } {
	const ends = lineEndsOf(file);
	if (ends === 'mixed' || ends === 'none') {
		return { base, other };
	}
	const stored = lineEndsOf(base);
	const differ = stored === 'none' ? other && lineEndsOf(other) !== ends : stored !== ends;
	return differ
		? { base: withLineEnds(base, ends), other: (other && withLineEnds(other, ends)) as T }
		: { base, other };
}

/** Returns whether content can be merged line by line. Text in UTF-16 cannot, because it has NUL bytes. */
export function isText(content: Buffer): boolean {
	return content.length <= MAXIMUM_COMPARED && !content.includes(0);
}
