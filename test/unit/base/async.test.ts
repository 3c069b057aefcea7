import assert from 'node:assert/strict';
import { SerialQueue, singleFlight, systemClock, untilAborted } from '../../../src/base/async.ts';

describe('systemClock.sleep', () => {
	it('waits where the wait is longer than a timer can be', async () => {
		const controller = new AbortController();
		let isOver = false;
		const waiting = systemClock.sleep(2 ** 40, controller.signal).then(() => {
			isOver = true;
		});
		await systemClock.sleep(20);
		assert.equal(isOver, false);
		controller.abort(new Error('enough'));
		await assert.rejects(waiting, /enough/);
	});

	it('rejects with the reason of its signal, before and during the wait', async () => {
		await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(new Error('early'))), /early/);
		const controller = new AbortController();
		const waiting = systemClock.sleep(60_000, controller.signal);
		controller.abort(new Error('late'));
		await assert.rejects(waiting, /late/);
	});

	it('resolves after its time', async () => {
		const before = performance.now();
		await systemClock.sleep(20);
		assert.ok(performance.now() - before >= 19);
	});
});

describe('SerialQueue', () => {
	it('runs one after another, in order, past a failure', async () => {
		const queue = new SerialQueue();
		const order: string[] = [];
		const task = (name: string) => async () => {
			order.push(`${name} starts`);
			await Promise.resolve();
			order.push(`${name} ends`);
			if (name === 'first') {
				throw new Error('failed');
			}
			return name;
		};
		const first = queue.run(task('first'));
		const second = queue.run(task('second'));
		await assert.rejects(first, /failed/);
		assert.equal(await second, 'second');
		assert.deepEqual(order, ['first starts', 'first ends', 'second starts', 'second ends']);
	});
});

describe('singleFlight', () => {
	it('shares one run among callers at the same time, and runs anew after it, also after a failure', async () => {
		let runs = 0;
		const run = singleFlight(async () => {
			runs++;
			await Promise.resolve();
			if (runs === 1) {
				throw new Error('failed');
			}
			return runs;
		});
		const outcomes = await Promise.allSettled([run(), run()]);
		assert.deepEqual(
			outcomes.map(({ status }) => status),
			['rejected', 'rejected'],
		);
		assert.equal(runs, 1);
		assert.equal(await run(), 2);
	});
});

describe('untilAborted', () => {
	it('comes to what the promise does where no signal aborts', async () => {
		const { signal } = new AbortController();
		for (const given of [undefined, signal]) {
			assert.equal(await untilAborted(Promise.resolve(1), given), 1);
			await assert.rejects(untilAborted(Promise.reject(new Error('no')), given), /no/);
		}
	});

	it('ends with the signal, before or while it waits, whatever the promise does later', async () => {
		const controller = new AbortController();
		let fail = (_: Error) => {};
		const late = new Promise<never>((_, reject) => {
			fail = reject;
		});
		const outcome = assert.rejects(untilAborted(late, controller.signal), /gone/);
		controller.abort(new Error('gone'));
		await outcome;
		fail(new Error('too late'));
		await assert.rejects(untilAborted(Promise.resolve(1), controller.signal), /gone/);
	});
});
