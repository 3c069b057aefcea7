import assert from 'node:assert/strict';
import { ManualClock } from '../../../../support/manualClock.ts';
import { waitFor } from '../../../../support/waitFor.ts';
import { allOf, refusal as refused, textOf, useGateway } from '../gatewayHarness.ts';

describe('an upstream that is slow', () => {
	const start = useGateway();

	const passing = new Set([2_000]);
	const clock = () => new ManualClock({ passesAtOnce: milliseconds => passing.has(milliseconds) });

	it('is waited for as long as its address or its setting says', async () => {
		const slow = { models: ['small'], behaves: { firstMs: 60_000 } };
		for (const [upstream, milliseconds] of [
			[slow, 1_800_000],
			[{ ...slow, firstByteSeconds: 7_000 }, 7_000_000],
			[{ ...slow, firstByteSeconds: 3 }, 3_000],
		] as const) {
			const time = clock();
			const gateway = await start({ one: upstream }, time);
			const attempt = refused(gateway.chat(), 504);
			await waitFor('the limit', () => time.running(milliseconds) === 1);
			await time.advance(milliseconds);
			assert.match((await attempt).message, /didn’t respond in time/);
		}
	});

	it('is asked again while it says that it is loading the model, until the limit', async () => {
		const words = ['Loading model', 'Model small is currently loading', 'The model is being loaded', 'warming up'];
		const loading = (message = '') => ({ status: 503, body: { error: { message } } });
		const time = clock();
		const gateway = await start(
			{ one: { models: ['small'], behaves: { atRequest: () => (words.length > 0 ? loading(words.shift()) : {}) } } },
			time,
		);
		assert.equal(textOf(await allOf((await gateway.chat()).chunks)), 'Hello there');
		assert.deepEqual(time.waits, [2_000, 2_000, 2_000, 2_000]);
		gateway.server('one').behaviour = loading('Overloaded');
		await refused(gateway.chat(), 503);
		assert.equal(gateway.server('one').chats.length, 6);
	});

	it('is no longer asked when nobody waits for it, or when the limit is over', async () => {
		const loading = { status: 503, body: { error: { message: 'Loading model' } } };
		const time = clock();
		const gateway = await start({ one: { models: ['small'], firstByteSeconds: 5, behaves: loading } }, time);
		assert.match((await refused(gateway.chat(), 503)).message, /Loading model/);
		assert.equal(gateway.server('one').chats.length, 4);
		passing.clear();
		const leaving = new AbortController();
		const attempt = gateway.chat({}, { signal: leaving.signal });
		const isLoading = async () => (await gateway.gateway.describe()).models[0]?.isLoading;
		await waitFor('the wait', () => time.running(2_000) === 1);
		assert.equal(await isLoading(), true);
		leaving.abort(new Error('left'));
		await assert.rejects(attempt, /left/);
		assert.equal(await isLoading(), undefined);
		assert.equal(gateway.server('one').chats.length, 5);
	});
});
