import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../../../src/base/async.ts';
import { intervalMsOf, isLongAway, RefreshTimer } from '../../../../src/tasks/list/listRefresh.ts';
import { waitFor } from '../../../support/waitFor.ts';

/** Time that passes at once; it keeps the waits that were asked for. */
class FastClock implements Clock {
	readonly waits: number[] = [];

	now(): number {
		return 0;
	}

	elapsed(): number {
		return 0;
	}

	readonly after = systemClock.after;

	async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
		this.waits.push(milliseconds);
		await new Promise(resolve => setImmediate(resolve));
		signal?.throwIfAborted();
	}
}

function timer(outcomes: (number | undefined)[], clock = new FastClock()) {
	const state = { needed: true, running: 0, most: 0 };
	const made = new RefreshTimer({
		clock,
		intervalMs: () => 1000,
		isNeeded: () => state.needed,
		async refresh() {
			state.most = Math.max(state.most, ++state.running);
			await new Promise(resolve => setImmediate(resolve));
			state.running--;
			const outcome = outcomes.shift();
			state.needed = outcomes.length > 0;
			return outcome;
		},
	});
	return { made, clock, state, done: () => waitFor('the last refresh', () => !state.needed && state.running === 0) };
}

describe('the refresh timer', () => {
	it('refreshes one at a time while that is needed, however often it is woken', async () => {
		const { made, clock, state, done } = timer([undefined, undefined, undefined]);
		made.wake();
		made.wake();
		await done();
		assert.deepEqual(clock.waits, [1000, 1000, 1000]);
		assert.equal(state.most, 1);
	});

	it('does nothing while it is not needed', () => {
		const { made, clock, state } = timer([undefined]);
		state.needed = false;
		made.wake();
		assert.deepEqual(clock.waits, []);
	});

	it('waits ever longer while refreshing fails, up to five minutes, and as before once it works', async () => {
		const failures = Array.from({ length: 10 }, () => 0);
		const { made, clock, done } = timer([...failures, undefined, undefined]);
		made.wake();
		await done();
		assert.deepEqual(
			clock.waits,
			[1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 1].map(seconds => seconds * 1000),
		);
	});

	it('waits as long as the service asks', async () => {
		const { made, clock, done } = timer([60_000, undefined]);
		made.wake();
		await done();
		assert.deepEqual(clock.waits, [1000, 60_000]);
	});

	it('takes only a sensible interval from the settings', () => {
		assert.equal(intervalMsOf(15), 15_000);
		assert.equal(intervalMsOf(0), 2000);
		for (const setting of ['fast', Number.NaN, null, undefined, {}]) {
			assert.equal(intervalMsOf(setting), 15_000);
		}
	});

	it('stops when it is disposed', async () => {
		const { made, clock } = timer([undefined, undefined]);
		made.wake();
		made.dispose();
		made.wake();
		await new Promise(resolve => setImmediate(resolve));
		assert.equal(clock.waits.length, 1);
	});

	it('knows a window as left once it was without the focus for more than ten minutes', () => {
		assert.ok(!isLongAway(undefined, 1e12));
		assert.ok(!isLongAway(0, 600_000));
		assert.ok(isLongAway(0, 600_001));
	});
});
