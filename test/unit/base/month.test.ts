import assert from 'node:assert/strict';
import { monthOf } from '../../../src/base/replySums.ts';

describe('the month of a time', () => {
	it('is that of this machine’s calendar, with two digits', () => {
		assert.equal(monthOf(new Date(2026, 0, 1).getTime()), '2026-01');
		assert.equal(monthOf(new Date(2026, 10, 30, 23, 59, 59).getTime()), '2026-11');
		assert.equal(monthOf(new Date(2026, 11, 1).getTime()), '2026-12');
	});
});
