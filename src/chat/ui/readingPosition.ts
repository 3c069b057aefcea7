import type { ReadingPosition } from './page.ts';

/** What takes the reader elsewhere. */
const MOVES = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/** A reply is complete on the page when its height has not changed for so many frames. */
const QUIET_FRAMES = 20;

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

/**
 * Goes back to a position, and stays while what is above it gets its size: a turn has its true one only when it comes
 * into view, and a long reply is laid out in steps. Ends when the reader moves.
 */
export function scrollToPosition(scroller: HTMLElement, turn: HTMLElement, offset: number): void {
	const moved = new AbortController();
	for (const move of MOVES) {
		scroller.addEventListener(move, () => moved.abort(), { signal: moved.signal, passive: true });
	}
	let height = -1;
	let quiet = 0;
	const scroll = () => {
		if (moved.signal.aborted) {
			return;
		}
		const difference = turn.getBoundingClientRect().top - scroller.getBoundingClientRect().top + offset;
		if (Math.abs(difference) >= 1) {
			scroller.scrollTop += difference;
		}
		quiet = turn.offsetHeight === height ? quiet + 1 : 0;
		height = turn.offsetHeight;
		if (quiet < QUIET_FRAMES) {
			requestAnimationFrame(scroll);
		} else {
			moved.abort();
		}
	};
	scroll();
}
