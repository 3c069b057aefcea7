/** A position, zero-based as in the editor. */
export interface Position {
	readonly line: number;
	readonly character: number;
}

export interface Span {
	readonly start: Position;
	readonly end: Position;
}

/** One change of a document: `text` replaces what was in `range`. */
export interface Edit {
	readonly range: Span;
	readonly text: string;
}

/**
 * Returns where a selection is after a change. Text written inside the selection belongs to it; text written around it
 * does not.
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
