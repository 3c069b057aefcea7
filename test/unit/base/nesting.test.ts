import assert from 'node:assert/strict';
import { isDeeperThan } from '../../../src/base/nesting.ts';

describe('the nesting of a value', () => {
	it('counts lists and objects alike, each branch for itself', () => {
		for (const value of [1, 'text', null, undefined]) {
			assert.ok(!isDeeperThan(value, 0));
		}
		const value = { a: [{ b: 1 }], c: 2 };
		assert.deepEqual(
			[0, 1, 2, 3].map(levels => isDeeperThan(value, levels)),
			[true, true, true, false],
		);
	});

	it('does not run out of room', () => {
		const levels = 300_000;
		assert.ok(isDeeperThan(JSON.parse('['.repeat(levels) + ']'.repeat(levels)), levels - 2));
	});
});
