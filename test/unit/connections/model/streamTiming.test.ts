import assert from 'node:assert/strict';
import { logVerdict, replyVerdict } from '../../../../src/connections/model/streamTiming.ts';

const ended = (...arrivals: number[]) => ({ arrivals, hasEnded: true });
const left = (...arrivals: number[]) => ({ arrivals, hasEnded: false });

describe('the timing of a reply', () => {
	it('flows where its parts come one after another', () => {
		assert.equal(replyVerdict(ended(300, 350, 420, 900)), 'flows');
		assert.equal(replyVerdict(left(300, 2400)), 'flows');
	});

	it('is held back where all of it comes at once after a wait', () => {
		assert.equal(replyVerdict(ended(4000, 4001, 4001, 4002, 4003)), 'held-back');
	});

	it('tells nothing where it is short, at once, or absent', () => {
		assert.equal(replyVerdict(ended(4000, 4001)), 'too-short');
		assert.equal(replyVerdict(ended(80, 81, 82, 83, 90)), 'too-fast');
		assert.equal(replyVerdict(ended()), 'nothing');
	});
});

describe('the timing of the log of a task at work', () => {
	it('flows where it has begun and goes on', () => {
		assert.equal(logVerdict(left(50)), 'flows');
		assert.equal(logVerdict(ended(50, 300)), 'flows');
	});

	it('is held back where nothing has come, or all of it at its end', () => {
		assert.equal(logVerdict(left()), 'held-back');
		assert.equal(logVerdict(ended(5000, 5001)), 'held-back');
	});

	it('tells nothing where the task ended at once', () => {
		assert.equal(logVerdict(ended(50, 51)), 'too-short');
		assert.equal(logVerdict(ended()), 'nothing');
	});
});
