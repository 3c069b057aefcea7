import assert from 'node:assert/strict';
import { LIMITS } from '../../../../src/client/core/limits.ts';

describe('the limits of the client', () => {
	it('are those that its users are told', () => {
		assert.deepEqual(LIMITS, {
			connectMs: 10_000,
			streamFirstByteMs: 120_000,
			replyFirstByteMs: 300_000,
			lookUpFirstByteMs: 30_000,
			idleMs: 180_000,
			followSilenceMs: 15_000,
			jsonBytes: 16_777_216,
			eventLength: 4_194_304,
			errorBodyBytes: 65_536,
			retryAfterMs: 60_000,
			tries: 3,
		});
	});
});
