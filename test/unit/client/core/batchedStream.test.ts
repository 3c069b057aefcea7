import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { BatchedStream, type BatchSource } from '../../../../src/client/core/batchedStream.ts';
import { collect } from '../testClient.ts';

describe('BatchedStream', () => {
	it('gives the items of its lots one by one, passing over empty ones', async () => {
		const stream = new BatchedStream(undefined, async function* () {
			yield [];
			yield [1, 2];
			yield [];
			yield [3];
		});
		assert.deepEqual(await collect(stream), { events: [1, 2, 3], error: undefined });
	});

	it('asks for a lot only when the one before is used up', async () => {
		let asked = 0;
		const stream = new BatchedStream(undefined, async function* (): AsyncGenerator<number[], void> {
			for (;;) {
				asked++;
				yield [asked, asked];
			}
		});
		assert.equal(asked, 0);
		await stream.next();
		await stream.next();
		assert.equal(asked, 1);
		await stream.next();
		assert.equal(asked, 2);
		await stream.return();
	});

	it('gives what arrived with the item read last, once, and nothing when it is aborted', async () => {
		const controller = new AbortController();
		const stream = new BatchedStream(controller.signal, async function* () {
			yield [1, 2, 3];
			yield [4, 5];
		});
		assert.deepEqual(await stream.next(), { done: false, value: 1 });
		assert.deepEqual(stream.takeArrived(), [2, 3]);
		assert.deepEqual(stream.takeArrived(), []);
		assert.deepEqual(await stream.next(), { done: false, value: 4 });
		controller.abort();
		assert.deepEqual(stream.takeArrived(), []);
		await assert.rejects(stream.next());
	});

	it('gives what came before a failure, then the failure once, then nothing', async () => {
		const failure = new Error('no');
		const stream = new BatchedStream(undefined, async function* (): AsyncGenerator<string[], void> {
			yield ['a'];
			throw failure;
		});
		assert.deepEqual(await collect(stream), { events: ['a'], error: failure });
		assert.deepEqual(await stream.next(), { done: true, value: undefined });
	});

	it('keeps the order of requests that do not wait for each other', async () => {
		const stream = new BatchedStream(undefined, async function* () {
			yield [1];
			await new Promise(resolve => setImmediate(resolve));
			yield [2, 3];
		});
		const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next(), stream.next()]);
		assert.deepEqual(
			results.map(({ value }) => value),
			[1, 2, 3, undefined, undefined],
		);
	});

	it('aborts its producer and runs its clean-up when the reader leaves', async () => {
		let isCleaned = false;
		let signal: AbortSignal | undefined;
		const stream = new BatchedStream(undefined, async function* (own) {
			signal = own;
			try {
				yield [1, 2];
			} finally {
				isCleaned = true;
			}
		});
		for await (const _ of stream) {
			break;
		}
		assert.ok(isCleaned && signal?.aborted);
		assert.deepEqual(await stream.next(), { done: true, value: undefined });
	});

	it('passes over empty lots for ever without holding on to what was', async () => {
		let remaining = 100_000;
		const stream = new BatchedStream(undefined, async function* () {
			while (remaining-- > 0) {
				yield [];
			}
			yield ['at last'];
		});
		assert.deepEqual(await stream.next(), { done: false, value: 'at last' });
	});

	it('tells its reader what its producer makes of a failure', async () => {
		const lots: BatchSource<string> = {
			next: () => Promise.reject(new Error('inside')),
			return: () => Promise.resolve(),
			failure: error => new Error(`outside, of ${(error as Error).message}`),
		};
		await assert.rejects(new BatchedStream(undefined, () => lots).next(), { message: 'outside, of inside' });
	});

	it('leaves no listener on the reader’s signal', async () => {
		const { signal } = new AbortController();
		const one = async function* () {
			yield [1];
		};
		await collect(new BatchedStream(signal, one));
		const left = new BatchedStream(signal, one);
		await left.next();
		await left.return();
		await collect(
			new BatchedStream(signal, async function* (): AsyncGenerator<number[], void> {
				yield [1];
				throw new Error('no');
			}),
		);
		assert.equal(getEventListeners(signal, 'abort').length, 0);
	});
});
