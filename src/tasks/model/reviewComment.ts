// The user's comments on a task's changes.
import * as z from 'zod';

/** The maximum number of comments that are kept for one task. */
export const MAXIMUM_COMMENTS = 200;

/** The maximum length of a comment, in UTF-16 code units. */
export const MAXIMUM_COMMENT_LENGTH = 10_000;

/** The parts of the commented lines that are kept. */
const MAXIMUM_QUOTED_LINES = 40;
const MAXIMUM_QUOTED_LINE = 500;

/** The maximum distance, in lines, at which quoted lines are searched for in another version of the file. */
const MAXIMUM_DISTANCE = 20_000;

const lineNumber = z.int().min(0);

/** The subject of a comment: lines of one side of a changed file. */
const placeSchema = z.object({
	/** Counted from 0, both ends inclusive. */
	firstLine: lineNumber,
	lastLine: lineNumber,
	resultKey: z.string(),
	taskId: z.string(),
	side: z.enum(['before', 'after']),
	/** The repository on this machine. */
	directory: z.string(),
	/** Relative to the repository's top folder, with slashes. */
	path: z.string(),
	/** Git's name for the content that was commented on. */
	object: z.string(),
	/** The beginning of the lines as they were, cut to a bounded length. */
	quote: z.array(z.string()),
});
export type CommentPlace = z.infer<typeof placeSchema>;

const commentSchema = z.object({
	id: z.string(),
	text: z.string(),
	/** Milliseconds since the epoch. */
	writtenAt: z.number(),
	/** True if an agent has received it. */
	isSent: z.boolean(),
});
export type ReviewComment = z.infer<typeof commentSchema>;

/** The comments on one place. */
const threadSchema = z.object({ id: z.string(), place: placeSchema, comments: z.array(commentSchema).min(1) });
export type ReviewThread = z.infer<typeof threadSchema>;

/** Returns whether a stored value is a list of threads. Another version of the extension may have written it. */
export function isThreadList(value: unknown): value is ReviewThread[] {
	return z.array(threadSchema).safeParse(value).success;
}

/** Returns the part of some lines that a comment keeps. Line ends are left out. */
export function quoteOf(lines: readonly string[]): string[] {
	return lines
		.slice(0, MAXIMUM_QUOTED_LINES)
		.map(line => line.replace(/\r$/, '').slice(0, MAXIMUM_QUOTED_LINE).toWellFormed());
}

/**
 * Returns the lines of a comment in another version of the file: the same lines nearest to their old place, or else,
 * with `isFound` false, the old place.
 */
export function anchorIn(
	lines: readonly string[],
	{ firstLine, lastLine, quote }: Pick<CommentPlace, 'firstLine' | 'lastLine' | 'quote'>,
): Pick<CommentPlace, 'firstLine' | 'lastLine'> & { isFound: boolean } {
	const isAt = (line: number) =>
		line >= 0 &&
		line + quote.length <= lines.length &&
		quote.every((quoted, at) => quoteOf([lines[line + at] ?? ''])[0] === quoted);
	const length = lastLine - firstLine;
	const clamp = (line: number) => Math.min(line, Math.max(0, lines.length - 1));
	const furthest = Math.min(MAXIMUM_DISTANCE, Math.max(firstLine, lines.length));
	for (let distance = 0; quote.length > 0 && distance <= furthest; distance++) {
		for (const line of distance === 0 ? [firstLine] : [firstLine - distance, firstLine + distance]) {
			if (isAt(line)) {
				return { firstLine: line, lastLine: clamp(line + length), isFound: true };
			}
		}
	}
	return { firstLine: clamp(firstLine), lastLine: clamp(lastLine), isFound: false };
}
