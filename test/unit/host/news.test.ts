import assert from 'node:assert/strict';
import { wayToTell } from '../../../src/platform/news.ts';

describe('what is told of what has ended or waits', () => {
	it('is nothing where the user sees it', () => {
		assert.equal(wayToTell({ isFocused: true, isInView: true }), 'nothing');
		assert.equal(wayToTell({ isFocused: true, isInView: true, took: 60_000 }), 'nothing');
	});

	it('is told in a window that was left, whatever it shows, and in one that shows something else', () => {
		for (const isInView of [true, false]) {
			assert.equal(wayToTell({ isFocused: false, isInView }), 'notification');
			assert.equal(wayToTell({ isFocused: false, isInView, took: 10_000 }), 'notification');
		}
		assert.equal(wayToTell({ isFocused: true, isInView: false, took: 10 }), 'notification');
	});

	it('is a badge alone for a short reply in a window that was left', () => {
		for (const isInView of [true, false]) {
			assert.equal(wayToTell({ isFocused: false, isInView, took: 9_999 }), 'badge');
		}
	});
});
