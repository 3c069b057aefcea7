import assert from 'node:assert/strict';
import { inParallel } from '../../../src/base/async.ts';

const never = new AbortController().signal;
const items = Array.from({ length: 20 }, (_, index) => index);

/** Lets everything go on that waits for nothing but its turn. */
const turn = () => new Promise(resolve => setImmediate(resolve));

describe('inParallel', () => {
	it('gives results in the order of the items, whichever ends first', async () => {
		const results = await inParallel([3, 1, 2], 3, never, async item => {
			for (let turns = 0; turns < item; turns++) {
				await turn();
			}
			return item * 10;
		});
		assert.deepEqual(results, [30, 10, 20]);
		assert.deepEqual(await inParallel([], 4, never, async () => 1), []);
	});

	it('runs as many at a time as it may, and never more', async () => {
		let running = 0;
		let most = 0;
		await inParallel(items, 4, never, async () => {
			most = Math.max(most, ++running);
			await turn();
			running--;
		});
		assert.equal(most, 4);
	});

	it('throws the first failure after all have ended, begins no more, and aborts the others with it', async () => {
		const failure = new Error('third');
		const begun: number[] = [];
		const ended: unknown[] = [];
		const run = inParallel(items, 4, never, async (item, signal) => {
			begun.push(item);
			await turn();
			if (item === 2) {
				throw failure;
			}
			while (!signal.aborted) {
				await turn();
			}
			await turn();
			ended.push(signal.reason);
		});
		await assert.rejects(run, failure);
		assert.deepEqual(begun, [0, 1, 2, 3]);
		assert.deepEqual(ended, [failure, failure, failure]);
	});

	it('throws the reason of its signal', async () => {
		const gone = new AbortController();
		const reason = new Error('gone');
		const run = inParallel(items, 2, gone.signal, async (_, signal) => {
			gone.abort(reason);
			signal.throwIfAborted();
		});
		await assert.rejects(run, reason);
		await assert.rejects(
			inParallel(items, 2, gone.signal, async () => assert.fail('nothing may begin')),
			reason,
		);
	});
});
