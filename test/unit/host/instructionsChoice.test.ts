import assert from 'node:assert/strict';
import { instructionsChoice } from '../../../src/chat/context/contextChoices.ts';

describe('the instructions that a conversation has left out', () => {
	it('are back once they are chosen, and a failure to bring them back is not swallowed', async () => {
		let isBack = false;
		const bringBack = async () => {
			await new Promise(setImmediate);
			isBack = true;
		};
		assert.deepEqual(await instructionsChoice(bringBack).sources(), []);
		assert.ok(isBack);
		const full = () => Promise.reject(new Error('the disk is full'));
		await assert.rejects(async () => instructionsChoice(full).sources(), /the disk is full/);
	});
});
