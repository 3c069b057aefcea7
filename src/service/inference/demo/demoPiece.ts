/** A piece of the demo's reply, which counts as one token. */
export interface DemoPiece {
	text: string;
	/** If the demo chose among several texts: all of them with their probabilities, including the chosen one. */
	alternatives?: readonly { text: string; probability: number }[];
}

/** Splits a text into words, each with the white space before it. Joining the pieces yields exactly the same text. */
export function piecesOf(text: string): DemoPiece[] {
	// A pattern that looks ahead past a run of white space would backtrack from every position within it.
	const pieces: DemoPiece[] = [];
	let space = '';
	for (const run of text.match(/\s+|\S+/g) ?? []) {
		if (run.trim() === '') {
			space = run;
		} else {
			pieces.push({ text: space + run });
			space = '';
		}
	}
	if (space !== '') {
		pieces.push({ text: (pieces.pop()?.text ?? '') + space });
	}
	return pieces;
}

export function textOfPieces(pieces: readonly DemoPiece[]): string {
	return pieces.map(({ text }) => text).join('');
}

/** Returns the pieces before the first of the stop texts. */
export function untilStop(pieces: readonly DemoPiece[], stops: readonly string[]): readonly DemoPiece[] {
	const text = textOfPieces(pieces);
	let end = text.length;
	for (const stop of new Set(stops)) {
		const found = stop === '' ? -1 : text.indexOf(stop);
		if (found >= 0 && found < end) {
			end = found;
		}
	}
	return end === text.length ? pieces : [...firstCharacters(pieces, end)];
}

function* firstCharacters(pieces: readonly DemoPiece[], count: number): Generator<DemoPiece> {
	let left = count;
	for (const piece of pieces) {
		if (left <= 0) {
			return;
		}
		yield piece.text.length <= left ? piece : { text: piece.text.slice(0, left) };
		left -= piece.text.length;
	}
}
