import assert from 'node:assert/strict';
import { estimateTokens, imageTokens } from '../../../src/base/tokens.ts';

describe('the tokens of a text', () => {
	it('are counted on the safe side, other scripts by their characters', () => {
		assert.equal(estimateTokens(''), 0);
		assert.equal(estimateTokens('a'.repeat(35)), 10);
		assert.equal(estimateTokens('日本語'), 3);
	});
});

describe('the tokens of an image', () => {
	it('follow from its size, up to the size to which models scale it down', () => {
		assert.equal(imageTokens({ width: 750, height: 10 }), 10);
		assert.equal(imageTokens({ width: 8_000, height: 4_000 }), 1_600);
	});
});
