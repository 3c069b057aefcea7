import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import { SharedState } from '../../../../src/platform/sharedState.ts';
import { PromptDraft } from '../../../../src/tasks/launch/promptFile.ts';

class FullState extends SharedState {
	isFull = false;

	override async update(key: string, value: unknown): Promise<void> {
		if (this.isFull) {
			throw new Error('no space left');
		}
		await super.update(key, value);
	}
}

describe('the prompt that was written and not sent', () => {
	let folder: string;
	const open = () => new PromptDraft(new SharedState(folder, nullLogger));

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-draft-'));
	});

	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it('is there again, as is the place of the next task, and gone once it was used', async () => {
		await open().write('Fix it.\n');
		await open().writePlace({ branch: 'main' });
		assert.deepEqual([open().text, open().place], ['Fix it.\n', { branch: 'main' }]);
		await open().forget('Fix it.');
		assert.deepEqual([open().text, open().place], ['', { branch: 'main' }]);
		await open().writePlace({});
		assert.deepEqual([open().place, new SharedState(folder, nullLogger).keys()], [{}, []]);
	});

	it('stays where another window has written on while its task was made', async () => {
		await open().write('Fix it.');
		await open().writePlace({ branch: 'main' });
		await open().write('Fix it, and test it.');
		await open().forget('Fix it.');
		assert.deepEqual([open().text, open().place], ['Fix it, and test it.', { branch: 'main' }]);
	});

	it('is emptied with its editor, but not of what another window has written', async () => {
		const [here, there] = [open(), open()];
		await here.write('Fix it.');
		await here.write('');
		assert.equal(open().text, '');
		await here.write('Fix it.');
		await there.write('Test it.');
		await here.write('');
		assert.equal(open().text, 'Test it.');
		here.read();
		await here.write('');
		assert.equal(open().text, '');
	});

	it('is emptied with its editor also after a change that could not be kept', async () => {
		const state = new FullState(folder, nullLogger);
		const draft = new PromptDraft(state);
		await draft.write('Fix it.');
		state.isFull = true;
		await assert.rejects(draft.write('Fix it'));
		state.isFull = false;
		await draft.write('');
		assert.equal(open().text, '');
	});

	it('is what was written last, however long an earlier write takes', async () => {
		const draft = open();
		await Promise.all([draft.write('Fix it.'), draft.write('Fix it'), draft.write('')]);
		assert.equal(open().text, '');
	});
});
