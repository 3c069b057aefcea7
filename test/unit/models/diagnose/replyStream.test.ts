import assert from 'node:assert/strict';
import { streamVerdict } from '../../../../src/models/diagnose/replyStream.ts';

describe('the timing of a reply', () => {
	it('flows where its parts come one after another', () => {
		assert.equal(streamVerdict([300, 350, 420, 900]), 'flows');
		assert.equal(streamVerdict([300, 2400]), 'flows');
	});

	it('is held back where all of it comes at once after a wait', () => {
		assert.equal(streamVerdict([4000, 4001, 4001, 4002, 4003]), 'held-back');
	});

	it('tells nothing where it is short, at once, or absent', () => {
		assert.equal(streamVerdict([4000, 4001]), 'too-short');
		assert.equal(streamVerdict([80, 81, 82, 83, 90]), 'too-fast');
		assert.equal(streamVerdict([]), 'nothing');
	});
});
