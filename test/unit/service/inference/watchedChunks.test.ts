import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../../../src/base/async.ts';
import {
	ProviderFailure,
	type ReplyChunk,
	type ReplyChunkIterator,
} from '../../../../src/service/inference/provider.ts';
import { type OnEnd, WatchedChunks } from '../../../../src/service/inference/watchedChunks.ts';

const piece = (content: string): ReplyChunk => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** Each step of the provider takes a tenth of a second; the reader takes what the test says. */
function watch(lots: (ReplyChunk | ProviderFailure)[][]) {
	let now = 0;
	const clock: Clock = { ...systemClock, elapsed: () => now };
	const ends: Parameters<OnEnd>[] = [];
	let returned = 0;
	let lot: (ReplyChunk | ProviderFailure)[] = [];
	const rest: ReplyChunkIterator = {
		async next() {
			if (lot.length === 0) {
				now += 100;
				lot = lots.shift() ?? [];
			}
			const value = lot.shift();
			if (value instanceof ProviderFailure) {
				throw value;
			}
			return value === undefined ? { done: true, value: undefined } : { done: false, value };
		},
		takeArrived: () => lot.splice(0) as ReplyChunk[],
		async return() {
			returned++;
			return { done: true, value: undefined };
		},
	};
	const chunks = new WatchedChunks(piece('first'), rest, clock, (...end) => ends.push(end));
	const takeTime = (ms: number) => {
		now += ms;
	};
	return { chunks, ends, takeTime, returned: () => returned };
}

describe('the watched chunks of a reply', () => {
	it('are all there in their order, those that came together without waiting, and tell the speed of all', async () => {
		const { chunks, ends } = watch([[piece('a'), piece('b')], [piece('c')]]);
		const read: unknown[] = [];
		for await (const chunk of chunks) {
			read.push(...[chunk, ...chunks.takeArrived()].map(({ choices }) => choices[0]?.delta.content));
		}
		assert.deepEqual(read, ['first', 'a', 'b', 'c']);
		// Four pieces in three tenths of a second.
		assert.equal(ends.length, 1);
		assert.equal(ends[0]?.[0], 'whole');
		assert.ok(Math.abs((ends[0]?.[1] ?? 0) - 4 / 0.3) < 0.001);
	});

	it('tell no speed where the reader held them back', async () => {
		const { chunks, ends, takeTime } = watch([[piece('a')]]);
		for await (const _ of chunks) {
			takeTime(1000);
		}
		assert.deepEqual(ends, [['whole', undefined]]);
	});

	it('tell of a failure once, and end with it', async () => {
		const failure = new ProviderFailure('upstream_error', 'It failed.');
		const { chunks, ends } = watch([[failure]]);
		await chunks.next();
		await assert.rejects(chunks.next(), failure);
		assert.deepEqual(await chunks.next(), { done: true, value: undefined });
		assert.deepEqual(ends, [[failure, undefined]]);
	});

	it('are ended, once, when the reader leaves, and then tell nothing of the speed', async () => {
		const { chunks, ends, returned } = watch([[piece('a')]]);
		for await (const _ of chunks) {
			break;
		}
		await chunks.return();
		assert.equal(returned(), 1);
		assert.deepEqual(ends, [['left', undefined]]);
		assert.deepEqual(await chunks.next(), { done: true, value: undefined });
	});
});
