import type { ReadingPosition } from './page.ts';

/** Where a reader is: the first turn in view, and how far it is scrolled out of it. */
export function readingPosition(scroller: HTMLElement, turns: Iterable<HTMLElement & { turn: { id: string } }>) {
	const top = scroller.getBoundingClientRect().top;
	for (const element of turns) {
		const box = element.getBoundingClientRect();
		if (box.bottom > top) {
			return { turn: element.turn.id, offset: Math.round(top - box.top) } satisfies ReadingPosition;
		}
	}
	return undefined;
}

/** Goes back to a position. Twice, because a turn gets its true size only when it comes into view. */
export function scrollToPosition(scroller: HTMLElement, turn: HTMLElement, offset: number): void {
	const scroll = () => {
		scroller.scrollTop += turn.getBoundingClientRect().top - scroller.getBoundingClientRect().top + offset;
	};
	scroll();
	requestAnimationFrame(() => requestAnimationFrame(scroll));
}
