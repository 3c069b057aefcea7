// Applies some of the hunks between two versions of a text.
import { append } from './append.ts';

/** The lines of one side of a hunk, counted from 0. */
export interface HunkSide {
	start: number;
	count: number;
}

/**
 * The lines of one change of a file: those of `before` became those of `after`. Two hunks are separated by at least one
 * line that both versions have.
 */
export interface HunkRanges {
	before: HunkSide;
	after: HunkSide;
}

/** Splits a text after each line feed. The last line may lack one. */
export function splitLines(text: Buffer): Buffer[] {
	const lines: Buffer[] = [];
	for (let start = 0; start < text.length; ) {
		const end = text.indexOf(0x0a, start);
		const next = end < 0 ? text.length : end + 1;
		lines.push(text.subarray(start, next));
		start = next;
	}
	return lines;
}

/** Returns the first version with some of the hunks applied. They must be in the order of their lines. */
export function withHunks(before: Buffer, after: Buffer, hunks: readonly HunkRanges[]): Buffer {
	const others = splitLines(after);
	return withLines(
		splitLines(before),
		hunks.map(hunk => ({ ...hunk.before, lines: linesIn(others, hunk.after) })),
	);
}

/** Returns a text with other lines in the place of some of its own. The changes must be in the order of their lines. */
export function withLines(
	own: readonly Buffer[],
	changes: readonly (HunkSide & { lines: readonly Buffer[] })[],
): Buffer {
	const parts: Buffer[] = [];
	let next = 0;
	for (const { start, count, lines } of changes) {
		append(parts, own.slice(next, start));
		append(parts, lines);
		next = start + count;
	}
	return Buffer.concat([...parts, ...own.slice(next)]);
}

export function linesIn(lines: readonly Buffer[], { start, count }: HunkSide): Buffer[] {
	return lines.slice(start, start + count);
}
