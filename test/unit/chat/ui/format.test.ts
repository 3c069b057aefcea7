import assert from 'node:assert/strict';
import { formatDuration, formatMoment } from '../../../../src/chat/ui/format.ts';

describe('words with values', () => {
	it('says a duration in the unit a person would say', () => {
		const said = (milliseconds: number, language = 'en') => formatDuration(milliseconds, language);
		assert.equal(said(40), '< 0.1 s');
		assert.equal(said(1_234), '1.2 s');
		assert.equal(said(1_234, 'de'), '1,2 s');
		assert.equal(said(42_900), '43 s');
		assert.equal(said(185_000), '3 min 5 s');
		assert.equal(said(59_700), '1 min 0 s', 'never 60 s');
		assert.equal(said(-5), '< 0.1 s', 'a clock that was set back');
	});

	it('says the time of today and the date of another day', () => {
		const now = new Date(2026, 10, 21, 12, 0);
		assert.match(formatMoment(new Date(2026, 10, 21, 9, 30), now, 'en'), /9:30/);
		assert.match(formatMoment(new Date(2026, 10, 20, 9, 30), now, 'en'), /Nov 20, 2026/);
	});
});
