import assert from 'node:assert/strict';
import { requestBudget, tokensWithin } from '../../../src/contract/modelLimits.ts';

describe('the room for a request', () => {
	it('leaves a part of the length for the reply', () => {
		assert.equal(requestBudget({}), undefined);
		assert.equal(requestBudget({ contextLength: 32_000 }), 32_000 - 4_096);
		assert.equal(requestBudget({ contextLength: 32_000, maxOutputTokens: 1_000 }), 31_000);
		assert.equal(requestBudget({ contextLength: 4_000, maxOutputTokens: 4_000 }), 3_000);
	});
});

describe('the tokens that an agent wants', () => {
	it('are as many as the model has at most, and at least one', () => {
		assert.equal(tokensWithin({}, 32_000), 32_000);
		assert.equal(tokensWithin({ contextLength: 1000, maxOutputTokens: undefined }, 32_000), 999);
		assert.equal(tokensWithin({ contextLength: 1000, maxOutputTokens: 400 }, 32_000), 400);
		assert.equal(tokensWithin({ contextLength: 1 }, 32_000), 1);
	});
});
