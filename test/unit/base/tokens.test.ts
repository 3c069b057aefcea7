import assert from 'node:assert/strict';
import { estimateTokens } from '../../../src/base/tokens.ts';

describe('the tokens of a text', () => {
	it('are counted on the safe side, other scripts by their characters', () => {
		assert.equal(estimateTokens(''), 0);
		assert.equal(estimateTokens('a'.repeat(35)), 10);
		assert.equal(estimateTokens('日本語'), 3);
	});
});
