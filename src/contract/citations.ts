// The placement of a searched answer's sources in its text (contract: inference.md, Web search annotation).
import type { Annotation } from './chatReply.ts';

export interface Citation {
	url: string | undefined;
	title: string | undefined;
	excerpt: string | undefined;
	/**
	 * UTF-16 positions within the text that never split a code point; `start` is at most `end`. Undefined if the
	 * citation has no position in the text.
	 */
	range: { start: number; end: number } | undefined;
}

/**
 * Returns the citations in the order in which they came, one for each annotation. The positions come from the service
 * and are not trusted: a range that runs past the text is cut, a range that would split a character is widened around
 * it, and a citation whose range lies outside the text has no range.
 * contract: not shown in which units a "character position" counts; it is taken as UTF-16, as JavaScript counts.
 */
export function placeCitations(text: string, annotations: readonly Annotation[]): Citation[] {
	return annotations.map(({ url_citation: source }) => ({
		url: source?.url,
		title: source?.title,
		excerpt: source?.content,
		range: rangeIn(text, source?.start_index, source?.end_index),
	}));
}

/** If one end is missing, the other one is taken as an empty range. */
function rangeIn(text: string, first: number | undefined, last: number | undefined): Citation['range'] {
	const start = Math.trunc(first ?? last ?? Number.NaN);
	const end = Math.trunc(last ?? first ?? Number.NaN);
	const isInside = start <= end && end >= 0 && start <= text.length;
	if (!isInside) {
		return undefined;
	}
	const from = Math.max(0, start);
	const to = Math.min(text.length, end);
	const isPoint = from === to;
	const widenedFrom = splitsCharacter(text, from) ? from - 1 : from;
	return { start: widenedFrom, end: isPoint ? widenedFrom : splitsCharacter(text, to) ? to + 1 : to };
}

/** Returns whether a position lies between the two halves of a surrogate pair. */
function splitsCharacter(text: string, position: number): boolean {
	return position > 0 && (text.codePointAt(position - 1) ?? 0) > 0xffff;
}
