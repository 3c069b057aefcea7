import assert from 'node:assert/strict';
import { requestBudget } from '../../../src/contract/modelLimits.ts';

describe('the room for a request', () => {
	it('leaves a part of the length for the reply', () => {
		assert.equal(requestBudget({}), undefined);
		assert.equal(requestBudget({ contextLength: 32_000 }), 32_000 - 4_096);
		assert.equal(requestBudget({ contextLength: 32_000, maxOutputTokens: 1_000 }), 31_000);
		assert.equal(requestBudget({ contextLength: 4_000, maxOutputTokens: 4_000 }), 3_000);
	});
});
