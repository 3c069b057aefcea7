import type { ReadingPosition } from './page.ts';

/** Events with which the reader may move elsewhere. */
const MOVES = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/** A reply counts as completely laid out when its height has not changed for this many frames. */
const QUIET_FRAMES = 20;

/** Returns the first turn in view, and how far it is scrolled out of view. */
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
 * Scrolls to a position and keeps it while the content above gets its size, because a turn has its true size only once
 * it comes into view, and a long reply is laid out in steps. Stops when the reader moves.
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
