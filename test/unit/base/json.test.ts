import assert from 'node:assert/strict';
import { isDeeperThan, parseJson } from '../../../src/base/json.ts';

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

describe('parseJson', () => {
	it('returns the value of JSON, and undefined for any other text', () => {
		assert.deepEqual(parseJson('{"a": [null]}'), { a: [null] });
		assert.equal(parseJson('null'), null);
		for (const text of ['', '{', 'undefined', '<html>']) {
			assert.equal(parseJson(text), undefined, text);
		}
	});
});
