import assert from 'node:assert/strict';
import { pauses } from '../../../src/base/pauses.ts';

const busyFor = (milliseconds: number) => {
	const end = performance.now() + milliseconds;
	while (performance.now() < end) {
		// Holds up the event loop.
	}
};

describe('a pause in long work', () => {
	it('is none as long as the work is short', () => {
		assert.equal(pauses()(), undefined);
	});

	it('lets others run where the work has been long, and the work is short again after it', async () => {
		const pause = pauses();
		let hasRun = false;
		setImmediate(() => {
			hasRun = true;
		});
		busyFor(20);
		await pause();
		assert.equal(hasRun, true);
		assert.equal(pause(), undefined);
	});
});
