import assert from 'node:assert/strict';
import { addCosts, type KnownCost } from '../../../src/base/knownCost.ts';

const whole = (dollars: number, isEstimated = false): KnownCost => ({ known: 'whole', dollars, isEstimated });
const nothing: KnownCost = { known: 'nothing' };

describe('a sum of costs', () => {
	it('is whole where every part is, and estimated where one part is', () => {
		assert.deepEqual(addCosts([whole(1), whole(2)]), whole(3));
		assert.deepEqual(addCosts([whole(1), whole(2, true)]), whole(3, true));
	});

	it('is a lower bound where a part is not known, or is one itself', () => {
		assert.deepEqual(addCosts([whole(1), nothing]), { known: 'part', dollars: 1 });
		assert.deepEqual(addCosts([whole(1), { known: 'part', dollars: 2 }]), { known: 'part', dollars: 3 });
	});

	it('is not known where nothing of it is, and never zero instead', () => {
		assert.deepEqual(addCosts([nothing, nothing]), nothing);
		assert.deepEqual(addCosts([whole(0), nothing]), nothing);
	});

	it('of what costs nothing is zero, and of nothing at all is none', () => {
		assert.deepEqual(addCosts([whole(0)]), whole(0));
		assert.equal(addCosts([]), undefined);
	});
});
