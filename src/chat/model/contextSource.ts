// The origins of context. A source is small and names a location, whose content is read when the message is sent.
import * as z from 'zod';
import { IMAGE_TYPES } from '../../base/imageHeader.ts';
import { IMAGE_FILE } from './images.ts';

/** Positions are zero-based, as in the editor. */
const position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
const span = z.object({ start: position, end: position });
type Position = z.output<typeof position>;
export type Span = z.output<typeof span>;
const uri = z.string();
const pixels = z.int().positive();

export const attachedImageSchema = z.object({
	file: z.string().regex(IMAGE_FILE),
	type: z.enum(IMAGE_TYPES),
	width: pixels,
	height: pixels,
	bytes: z.int().positive(),
});

/**
 * Also the form in which the workspace's state stores chips that have not been sent yet. URIs are strings.
 */
export const contextSourceSchema = z.discriminatedUnion('kind', [
	z.object({ kind: z.literal('selection'), uri, range: span }),
	z.object({ kind: z.literal('file'), uri }),
	z.object({ kind: z.literal('folder'), uri }),
	/**
	 * The problems of one file or, with `lines`, those that touch these lines. Without a URI, the problems of all files.
	 */
	z.object({
		kind: z.literal('problems'),
		uri: uri.exactOptional(),
		lines: z.object({ first: z.int().nonnegative(), last: z.int().nonnegative() }).exactOptional(),
	}),
	/** `uri` is the root of the repository. */
	z.object({ kind: z.literal('diff'), uri }),
	/** Content that can be read only once is stored in the source itself. */
	z.object({ kind: z.literal('terminal'), label: z.string(), text: z.string() }),
	/** A log or, if `language` is `diff`, changes. */
	z.object({
		kind: z.literal('task'),
		label: z.string(),
		text: z.string(),
		language: z.literal('diff').exactOptional(),
	}),
	z.object({ kind: z.literal('text'), label: z.string(), text: z.string() }),
	/** A page as it was when it was fetched. `uri` is its address. */
	z.object({
		kind: z.literal('web'),
		uri,
		label: z.string(),
		text: z.string(),
		language: z.string().exactOptional(),
	}),
	/** An image is stored as it was when it was added. `uri` and `path` are its origin, if it has a location. */
	z.object({
		kind: z.literal('image'),
		label: z.string(),
		image: attachedImageSchema,
		uri: uri.exactOptional(),
		path: z.string().exactOptional(),
	}),
]);
export type ContextSource = z.output<typeof contextSourceSchema>;

/** Returns the key of a source. Sources with the same key share one chip. */
export function sourceKey(source: ContextSource): string {
	if (source.kind === 'image') {
		return `image ${source.image.file}`;
	}
	return JSON.stringify(
		source,
		Object.keys(source).sort().concat('start', 'end', 'line', 'character', 'first', 'last'),
	);
}

/** One change of a document: `text` replaces the content of `range`. */
export interface Edit {
	readonly range: Span;
	readonly text: string;
}

/**
 * Returns the position of a selection after a change. Text written inside the selection belongs to it; text written
 * around it does not.
 */
export function followEdit({ start, end }: Span, { range, text }: Edit): Span {
	const lines = text.split('\n');
	const last = lines.at(-1) ?? '';
	const inserted: Position = {
		line: range.start.line + lines.length - 1,
		character: (lines.length === 1 ? range.start.character : 0) + last.length,
	};
	const move = (position: Position): Position =>
		position.line === range.end.line
			? { line: inserted.line, character: inserted.character + position.character - range.end.character }
			: { line: position.line + inserted.line - range.end.line, character: position.character };
	// A change that reaches across an end of the selection moves that end to its own border.
	const moved = (position: Position, inside: Position): Position =>
		isBefore(position, range.end) ? (isBefore(range.start, position) ? inside : position) : move(position);
	const isInsertAtEnd = isSame(range.start, end);
	const next = {
		start: moved(start, inserted),
		end: isInsertAtEnd ? end : moved(end, range.start),
	};
	return isBefore(next.end, next.start) ? { start: next.end, end: next.end } : next;
}

function isBefore(one: Position, other: Position): boolean {
	return one.line < other.line || (one.line === other.line && one.character < other.character);
}

function isSame(one: Position, other: Position): boolean {
	return one.line === other.line && one.character === other.character;
}
