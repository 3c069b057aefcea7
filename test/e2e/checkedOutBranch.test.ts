import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { answerInput, openView, pickItem, runCommand, screenshot, toast, until } from '../support/editorWindow.ts';
import { startTask, taskShows } from '../support/errandWindow.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';

describe('a task whose branch the user has checked out', function () {
	this.timeout(180_000);
	let repository: TemporaryRepository;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
		server = await startEditor({ folder: repository.path });
		({ page } = await openWindow(server));
		await openView(page, 'Errand');
	});

	after(async () => {
		await server?.stop();
		await repository?.remove();
	});

	it('is gone on with on a branch of its own, which the user’s files come to on a yes', async () => {
		await startTask(page, 'Begin the work');
		await taskShows(page, 'Begin the work', 'in 1 file');
		const begun = (await repository.branches()).find(name => name.startsWith('errand/')) ?? assert.fail('no branch');
		await repository.git('checkout', '--quiet', begun);
		await repository.write('mine.txt', 'mine\n');
		const tip = await repository.head(begun);

		await runCommand(page, 'Errand: Continue Task…');
		await pickItem(page, 'Begin the work');
		const question = page.locator('.quick-input-widget:visible');
		await question.getByText(`“${begun}” is checked out in ${repository.path}`).waitFor();
		await screenshot(page, 'continue-checked-out');
		await answerInput(page, 'Go on with the work');
		await taskShows(page, 'Go on with the work', 'in 1 file');
		assert.equal(await repository.head(begun), tip);
		assert.equal(await repository.git('status', '--porcelain'), '?? mine.txt\n');

		const offer = toast(page, `as “${begun}” is checked out in`);
		await offer.waitFor();
		await screenshot(page, 'continue-fast-forward');
		await offer.getByRole('button', { name: 'Fast-Forward' }).click();
		await toast(page, `“${begun}” is now where`).waitFor();
		const made =
			(await repository.branches()).find(name => name.startsWith('errand/go-on')) ?? assert.fail('no branch');
		assert.equal(await repository.head(begun), await repository.head(made));
		await until('the files have come', async () => (await readdir(repository.path)).includes('errand-demo-2.md'));
		assert.equal(await repository.git('status', '--porcelain'), '?? mine.txt\n');
	});
});
