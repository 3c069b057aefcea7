import assert from 'node:assert/strict';
import { append } from '../../../src/base/append.ts';

describe('adding items to a list', () => {
	it('keeps their order, and takes more of them than the stack holds arguments', () => {
		const list = ['first'];
		const many = Array.from({ length: 1_000_000 }, (_, index) => String(index));
		assert.throws(() => [].push(...(many as never[])), RangeError);
		append(list, many);
		assert.equal(list.length, 1_000_001);
		assert.deepEqual([list[0], list[1], list.at(-1)], ['first', '0', '999999']);
		append(list, new Set<string>());
		assert.equal(list.length, 1_000_001);
	});
});
