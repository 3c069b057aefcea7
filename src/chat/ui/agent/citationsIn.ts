import type { Citations } from '../../model/citations.ts';

/** Returns the citations of a part of a text. A mark belongs to the part with the character before it. */
export function citationsIn(
	citations: Citations | undefined,
	{ start, end }: { start: number; end: number },
): Citations | undefined {
	return (
		citations && {
			...citations,
			marks: citations.marks
				.filter(({ position }) => position > start && position <= end)
				.map(mark => ({
					...mark,
					position: mark.position - start,
					start: Math.max(0, mark.start - start),
				})),
		}
	);
}
