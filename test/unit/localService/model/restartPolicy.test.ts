import assert from 'node:assert/strict';
import { CRASH_WINDOW_MS, RestartPolicy } from '../../../../src/localService/model/restartPolicy.ts';

describe('RestartPolicy', () => {
	it('restarts once, and again only after a quiet time', () => {
		const policy = new RestartPolicy();
		assert.ok(policy.mayRestart(0));
		assert.equal(policy.mayRestart(CRASH_WINDOW_MS - 1), false);
		assert.equal(policy.mayRestart(2 * CRASH_WINDOW_MS - 2), false);
		assert.ok(policy.mayRestart(3 * CRASH_WINDOW_MS));
	});
});
