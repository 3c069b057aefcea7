/** A part of an agent's reply, from top to bottom: a piece of its text, or the steps between two pieces. */
export type WorkPiece<Step> = { steps: Step[] } | { start: number; text: string; isLast: boolean };

/** Splits the text at the offsets at which steps began. White space alone does not separate steps. */
export function workPieces<Step extends { readonly offset: number }>(
	text: string,
	steps: readonly Step[],
): WorkPiece<Step>[] {
	const pieces: WorkPiece<Step>[] = [];
	let start = 0;
	let run: Step[] | undefined;
	for (const step of steps) {
		const end = Math.min(Math.max(step.offset, start), text.length);
		if (hasWords(text, start, end)) {
			pieces.push({ start, text: text.slice(start, end), isLast: false });
			run = undefined;
		}
		start = end;
		if (run === undefined) {
			run = [];
			pieces.push({ steps: run });
		}
		run.push(step);
	}
	if (hasWords(text, start, text.length)) {
		pieces.push({ start, text: text.slice(start), isLast: true });
	}
	return pieces;
}

function hasWords(text: string, start: number, end: number): boolean {
	return start < end && text.slice(start, end).trim() !== '';
}
