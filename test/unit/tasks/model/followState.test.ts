import assert from 'node:assert/strict';
import { isAttemptShown } from '../../../../src/tasks/model/followState.ts';

describe('attempts to reconnect', () => {
	it('are written down ever more rarely', () => {
		const shown = Array.from({ length: 1000 }, (_, index) => index).filter(isAttemptShown);
		assert.deepEqual(shown, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
	});
});
