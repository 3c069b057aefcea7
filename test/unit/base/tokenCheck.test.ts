import assert from 'node:assert/strict';
import { createTokenCheck, createTokenMatch } from '../../../src/base/tokenCheck.ts';

describe('the check of a token', () => {
	it('tells the token from every other text, whatever its length', () => {
		const isToken = createTokenMatch('to-ken');
		assert.equal(isToken('to-ken'), true);
		for (const text of ['', 'to-ke', 'to-kenn', 'TO-KEN', 'x'.repeat(100_000)]) {
			assert.equal(isToken(text), false);
		}
	});

	it('reads it from a header', () => {
		const check = createTokenCheck('to-ken');
		assert.equal(check('Bearer to-ken'), 'right');
		assert.equal(check('bearer to-ken'), 'right');
		assert.equal(check('Bearer another'), 'wrong');
		for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic to-ken', 'to-ken', 'Bearer to-ken x']) {
			assert.equal(check(header), 'none', header);
		}
	});
});
