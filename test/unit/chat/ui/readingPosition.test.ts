import assert from 'node:assert/strict';
import { Reading } from '../../../../src/chat/ui/readingPosition.ts';

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
	async function scroll(heights: readonly number[], move?: { at: number; event: string }): Promise<number> {
		const scroller = Object.assign(new EventTarget(), { scrollTop: 0, getBoundingClientRect: () => ({ top: 0 }) });
		let count = 0;
		const turn = {
			turn: { id: 't' },
			updateComplete: Promise.resolve(),
			get offsetHeight() {
				return heights[count] ?? heights.at(-1);
			},
			getBoundingClientRect: () => ({ top: 300 - scroller.scrollTop }),
		};
		const owner = { log: scroller, turnElements: [turn], leaveEnd: () => {} };
		const reading = new Reading(owner as never);
		reading.wanted = { turn: 't', offset: 50 };
		await reading.resume(0);
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

	it('is kept until the turn has had the same height for some frames, and no longer', async () => {
		assert.equal(await scroll([100]), 20);
		assert.equal(await scroll([100, 100, 100, 400]), 23);
	});

	it('is left to the reader who moves', async () => {
		assert.equal(await scroll([100], { at: 3, event: 'wheel' }), 3);
	});
});
