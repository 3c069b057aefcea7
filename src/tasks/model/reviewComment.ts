// The user's comments on a task's changes.

/** The maximum number of comments that are kept for one task. */
export const MAXIMUM_COMMENTS = 200;

/** The maximum length of a comment, in UTF-16 code units. */
export const MAXIMUM_COMMENT_LENGTH = 10_000;

/** The parts of the commented lines that are kept. */
const MAXIMUM_QUOTED_LINES = 40;
const MAXIMUM_QUOTED_LINE = 500;

/** The maximum distance, in lines, at which quoted lines are searched for in another version of the file. */
const MAXIMUM_DISTANCE = 20_000;

/** Lines counted from 0, both ends inclusive. */
export interface LineSpan {
	firstLine: number;
	lastLine: number;
}

/** The subject of a comment: lines of one side of a changed file. */
export interface CommentPlace extends LineSpan {
	resultKey: string;
	taskId: string;
	side: 'before' | 'after';
	/** The repository on this machine. */
	directory: string;
	/** Relative to the repository's top folder, with slashes. */
	path: string;
	/** Git's name for the content that was commented on. */
	object: string;
	/** The beginning of the lines as they were, cut to a bounded length. */
	quote: string[];
}

export interface ReviewComment {
	id: string;
	text: string;
	/** Milliseconds since the epoch. */
	writtenAt: number;
	/** True if an agent has received it. */
	isSent: boolean;
}

/** The comments on one place. There is at least one. */
export interface ReviewThread {
	id: string;
	place: CommentPlace;
	comments: ReviewComment[];
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
): LineSpan & { isFound: boolean } {
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

/** Returns whether a stored value is a list of threads. Another version of the extension may have written it. */
export function isThreadList(value: unknown): value is ReviewThread[] {
	return Array.isArray(value) && value.every(isThread);
}

function isThread(value: unknown): boolean {
	const thread = value as Partial<ReviewThread> | null;
	return (
		typeof thread?.id === 'string' &&
		isPlace(thread.place) &&
		Array.isArray(thread.comments) &&
		thread.comments.length > 0 &&
		thread.comments.every(isComment)
	);
}

function isPlace(value: unknown): boolean {
	const place = value as Partial<CommentPlace> | null | undefined;
	return (
		[place?.resultKey, place?.taskId, place?.directory, place?.path, place?.object].every(isText) &&
		(place?.side === 'before' || place?.side === 'after') &&
		isLine(place.firstLine) &&
		isLine(place.lastLine) &&
		Array.isArray(place.quote) &&
		place.quote.every(isText)
	);
}

function isComment(value: unknown): boolean {
	const comment = value as Partial<ReviewComment> | null;
	return (
		isText(comment?.id) &&
		isText(comment?.text) &&
		typeof comment?.writtenAt === 'number' &&
		typeof comment.isSent === 'boolean'
	);
}

const isText = (value: unknown) => typeof value === 'string';
const isLine = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
