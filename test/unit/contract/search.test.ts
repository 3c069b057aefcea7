import assert from 'node:assert/strict';
import { usageSchema } from '../../../src/contract/chatReply.ts';
import { searchCost } from '../../../src/contract/search.ts';

describe('searchCost', () => {
	for (const [usage, usd] of [
		[{ prompt_tokens: 1000, completion_tokens: 1000 }, 0.03 + 0.0002 + 0.0005],
		[{ prompt_tokens: 1_000_000 }, 0.03 + 0.2],
		[{ completion_tokens: 2000, prompt_tokens: 'None' }, 0.03 + 0.001],
		[{}, 0.03],
	] as const) {
		it(`is at least ${usd} dollars for ${JSON.stringify(usage)}`, () => {
			const cost = searchCost(usageSchema.parse(usage));
			assert.ok(Math.abs(cost.usd - usd) < 1e-12, `${cost.usd}`);
			assert.equal(cost.atLeast, true);
		});
	}

	it('is at least one query where nothing is told', () => {
		assert.deepEqual(searchCost(undefined), { usd: 0.03, atLeast: true });
	});

	it('is never below that', () => {
		assert.equal(searchCost(usageSchema.parse({ prompt_tokens: -1e9 })).usd, 0.03);
	});
});
