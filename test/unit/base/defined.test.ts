import assert from 'node:assert/strict';
import { defined } from '../../../src/base/defined.ts';

describe('the members that are defined', () => {
	it('leave out what is undefined, and nothing else', () => {
		const given: { a: string | undefined; b: number; c: null; d: boolean; e: string } = {
			a: undefined,
			b: 0,
			c: null,
			d: false,
			e: '',
		};
		assert.deepEqual(Object.entries(defined(given)), [
			['b', 0],
			['c', null],
			['d', false],
			['e', ''],
		]);
	});
});
