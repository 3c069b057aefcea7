import assert from 'node:assert/strict';
import { cutText } from '../../../../src/agents/session/cutText.ts';
import { heapUsed } from '../../../support/heapUsed.ts';

describe('cutText', () => {
	it('marks what was cut, and leaves alone what fits', () => {
		assert.equal(cutText('hello', 5), 'hello');
		assert.equal(cutText('hello!', 5), 'hell…');
		assert.equal(cutText('', 5), '');
	});

	it('never returns half a character', () => {
		assert.equal(cutText('ab😀cd', 4), 'ab\ufffd…');
	});

	it('does not keep the whole text in memory', () => {
		const large = JSON.stringify('x'.repeat(1024 * 1024));
		const before = heapUsed();
		const kept = Array.from({ length: 50 }, () => cutText(JSON.parse(large) as string, 1_000));
		assert.ok(heapUsed() - before < 20 * 1024 * 1024);
		assert.equal(kept[49]?.length, 1_000);
	});
});
