import assert from 'node:assert/strict';
import { tokensWithin } from '../../../../src/agents/relay/tokensWithin.ts';

describe('the tokens that an agent wants', () => {
	it('are as many as the model has at most, and at least one', () => {
		assert.equal(tokensWithin({}, 32_000), 32_000);
		assert.equal(tokensWithin({ contextLength: 1000, maxOutputTokens: undefined }, 32_000), 999);
		assert.equal(tokensWithin({ contextLength: 1000, maxOutputTokens: 400 }, 32_000), 400);
		assert.equal(tokensWithin({ contextLength: 1 }, 32_000), 1);
	});
});
