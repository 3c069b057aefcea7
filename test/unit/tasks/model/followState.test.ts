import assert from 'node:assert/strict';
import { isAttemptShown, staleSince } from '../../../../src/tasks/model/followState.ts';

describe('attempts to reconnect', () => {
	it('are written down ever more rarely', () => {
		const shown = Array.from({ length: 1000 }, (_, index) => index).filter(isAttemptShown);
		assert.deepEqual(shown, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
	});
});

describe('what is shown of a followed task', () => {
	it('is old when nothing was heard for half a minute, since the last word', () => {
		const lost = { kind: 'reconnecting', nextIndex: 3, attempt: 1, since: 1000 } as const;
		assert.equal(staleSince(lost, 30_999), undefined);
		assert.equal(staleSince(lost, 31_000), 1000);
		assert.equal(staleSince({ ...lost, since: undefined }, 1e9), undefined);
		assert.equal(staleSince({ kind: 'live' }, 1e9), undefined);
		assert.equal(staleSince(undefined, 1e9), undefined);
	});
});
