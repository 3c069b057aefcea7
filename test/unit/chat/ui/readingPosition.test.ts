import assert from 'node:assert/strict';
import { scrollToPosition } from '../../../../src/chat/ui/readingPosition.ts';

describe('a position that is scrolled to', () => {
	let frames: (() => void)[];
	const { requestAnimationFrame } = globalThis;

	beforeEach(() => {
		frames = [];
		Object.assign(globalThis, { requestAnimationFrame: (frame: () => void) => frames.push(frame) });
	});
	afterEach(() => {
		Object.assign(globalThis, { requestAnimationFrame });
	});

	/** Scrolls to a turn whose height is that of each frame, the last one from then on. Returns the number of frames. */
	function scroll(heights: readonly number[], move?: { at: number; event: string }): number {
		const scroller = Object.assign(new EventTarget(), { scrollTop: 0, getBoundingClientRect: () => ({ top: 0 }) });
		let count = 0;
		const turn = {
			get offsetHeight() {
				return heights[count] ?? heights.at(-1);
			},
			getBoundingClientRect: () => ({ top: 300 - scroller.scrollTop }),
		};
		scrollToPosition(scroller as unknown as HTMLElement, turn as unknown as HTMLElement, 50);
		for (let frame = frames.shift(); frame !== undefined && count < 1_000; frame = frames.shift()) {
			count++;
			if (count === move?.at) {
				scroller.dispatchEvent(new Event(move.event));
			}
			frame();
		}
		assert.equal(scroller.scrollTop, 350);
		return count;
	}

	it('is kept until the turn has had the same height for some frames, and no longer', () => {
		assert.equal(scroll([100]), 20);
		assert.equal(scroll([100, 100, 100, 400]), 23);
	});

	it('is left to the reader who moves', () => {
		assert.equal(scroll([100], { at: 3, event: 'wheel' }), 3);
	});
});
