import assert from 'node:assert/strict';
import type { KnownCost } from '../../../src/base/knownCost.ts';
import { ReplySums } from '../../../src/base/replySums.ts';

const dollars = (amount: number): KnownCost => ({ known: 'whole', dollars: amount, isEstimated: false });
const reply = { model: 'small', provider: 'alpha', inputTokens: 100, outputTokens: 10, cost: dollars(0.5) };

describe('the sums of replies', () => {
	it('are empty before the first reply', () => {
		assert.deepEqual(new ReplySums().used(), []);
	});

	it('add up the replies of one model of one provider', () => {
		const sums = new ReplySums();
		sums.add('acme', '2026-11', reply);
		sums.add('acme', '2026-11', { ...reply, inputTokens: 1, outputTokens: 2, cost: dollars(0.25) });
		const parts = [{ ...reply, count: 2, inputTokens: 101, outputTokens: 12, cost: dollars(0.75) }];
		assert.deepEqual(sums.used(), [{ connection: 'acme', months: [{ month: '2026-11', parts }] }]);
	});

	it('keep connections, months, models and providers apart, also a provider that is not known', () => {
		const sums = new ReplySums();
		sums.add('acme', '2026-11', reply);
		sums.add('acme', '2026-12', reply);
		sums.add(undefined, '2026-11', reply);
		sums.add('acme', '2026-11', { ...reply, model: 'large' });
		sums.add('acme', '2026-11', { ...reply, provider: undefined });
		const once = { ...reply, count: 1 };
		assert.deepEqual(sums.used(), [
			{
				connection: 'acme',
				months: [
					{
						month: '2026-11',
						parts: [once, { ...once, model: 'large' }, { ...once, provider: undefined }],
					},
					{ month: '2026-12', parts: [once] },
				],
			},
			{ connection: undefined, months: [{ month: '2026-11', parts: [once] }] },
		]);
	});

	it('count replies without a price separately', () => {
		const sums = new ReplySums();
		sums.add('acme', '2026-11', reply);
		sums.add('acme', '2026-11', { ...reply, cost: { known: 'nothing' } });
		assert.deepEqual(
			sums.used()[0]?.months[0]?.parts.map(({ count, cost }) => [count, cost.known]),
			[
				[1, 'whole'],
				[1, 'nothing'],
			],
		);
	});
});
