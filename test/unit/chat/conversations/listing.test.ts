import assert from 'node:assert/strict';
import { ageText } from '../../../../src/chat/conversations/listing.ts';

describe('how long ago', () => {
	const now = Date.UTC(2026, 10, 20, 12);
	const MINUTE = 60_000;

	it('is said in the unit a person would say', () => {
		const said = (minutes: number) => ageText(now - minutes * MINUTE, now, 'en');
		assert.equal(said(0.5), 'now');
		assert.equal(said(4), '4 min. ago');
		assert.equal(said(3 * 60), '3 hr. ago');
		assert.equal(said(24 * 60), 'yesterday');
		assert.equal(said(3 * 24 * 60), '3 days ago');
		assert.match(said(8 * 24 * 60), /Nov 12, 2026/);
	});

	it('is never in the future', () => {
		assert.equal(ageText(now + MINUTE, now, 'en'), 'now');
	});
});
