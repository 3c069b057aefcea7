import assert from 'node:assert/strict';
import { readPrices } from '../../../src/contract/prices.ts';

describe('the prices that a connection states', () => {
	it('are read where the input or the output has one, with that of cached input', () => {
		assert.deepEqual(readPrices({ input: 1, output: 2, cachedInput: 0.1, other: 9 }), {
			input: 1,
			output: 2,
			cachedInput: 0.1,
		});
		assert.deepEqual(readPrices({ output: 0 }), { output: 0 });
	});

	it('are unknown where neither is a price', () => {
		assert.equal(readPrices(undefined), undefined);
		assert.equal(readPrices({ cachedInput: 1 }), undefined);
		assert.equal(readPrices({ input: -1, output: Number.NaN }), undefined);
	});
});
