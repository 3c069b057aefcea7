import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { makeSampleRepository, type SampleRepository } from '../../scripts/sampleRepository.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	dialog,
	dismissInput,
	openView,
	pickItem,
	quickRow,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import { chooseInMenu, startTask, taskRow, taskShows, walkTo } from '../support/errandWindow.ts';

const SLOW = 'Look at it slowly';
const SORT = 'Sort the notes';

describe('what the branch of a task can be brought to', () => {
	let scratch: string;
	let sample: SampleRepository;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-branches-'));
		sample = makeSampleRepository(path.join(scratch, 'widgets'));
		server = await startEditor({ folder: sample.folder, settings: { 'errand.tasks.refreshInterval': 5 } });
		({ page } = await openWindow(server));
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await openView(page, 'Errand');
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const git = (...args: string[]) => execFileSync('git', ['-C', sample.folder, ...args], { encoding: 'utf8' }).trim();
	const origin = (...args: string[]) =>
		execFileSync('git', ['-C', sample.origin, ...args], { encoding: 'utf8' }).trim();
	const branchOf = (name: string) =>
		origin('for-each-ref', '--format=%(refname:short)', `refs/heads/errand/${name}*`) || assert.fail(`no ${name}`);
	const choose = (prompt: string, item: string, shown: Locator) =>
		chooseInMenu(page, new RegExp(prompt), item, () => shown.isVisible(), 'Branch');
	const messageText = async () =>
		(await page.locator('.part.sidebar .tree-explorer-viewlet-tree-view .message').allInnerTexts()).join('').trim();

	it('is told of when its task ends out of sight, in a notice, on the view and in its row, once each', async () => {
		// The log of this task is in view, so only the other one is told of.
		await startTask(page, SORT);
		await taskShows(page, SORT, 'in 1 file');
		await startTask(page, `${SLOW} /demo slow`);
		const statusItem = page.locator('.statusbar-item').filter({ hasText: SLOW });
		await statusItem.getByText('live').waitFor();
		assert.equal(await messageText(), '');
		await screenshot(page, 'branches-live');
		await runCommand(page, 'View: Hide Panel');
		const notice = toast(page, `“${SLOW} /demo slow” has finished: `);
		await notice.waitFor({ timeout: 90_000 });
		for (const button of ['Review', 'Apply…', 'Log']) {
			await notice.getByRole('button', { name: button, exact: true }).waitFor();
		}
		const badge = page.locator('.activitybar .badge-content');
		await badge.getByText('1', { exact: true }).first().waitFor();
		await screenshot(page, 'branches-notice');
		assert.equal(await toast(page, SORT).count(), 0);
		await notice.getByRole('button', { name: 'Log', exact: true }).click();
		await until('nothing is left to look at', async () => !(await badge.first().isVisible()));
	});

	it('is checked out where a file stands in the way, which is stashed after a question', async () => {
		const branch = branchOf('sort');
		writeFileSync(path.join(sample.folder, 'errand-demo.md'), 'mine\n');
		const question = dialog(page, 'stands in the way');
		await choose(SORT, 'Check Out Task Branch…', question);
		assert.match(await question.innerText(), /errand-demo\.md/);
		await screenshot(page, 'branches-in-the-way');
		await question.getByRole('button', { name: 'Stash These Files' }).click();
		const done = toast(page, `“${branch}” is checked out.`);
		await done.getByText(`is in the stash “Before ${branch}”`).waitFor();
		await done.getByRole('button', { name: 'View Stash…' }).waitFor();
		await screenshot(page, 'branches-checked-out');
		assert.equal(git('branch', '--show-current'), branch);
		assert.match(git('stash', 'list'), new RegExp(`Before ${branch}`));
		assert.match(readFileSync(path.join(sample.folder, 'errand-demo.md'), 'utf8'), /Errand demo/);
		assert.equal(git('status', '--porcelain'), '');
	});

	it('is opened in a worktree, in a window of its own', async () => {
		const branch = branchOf('look');
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await choose(SLOW, 'Open Task Branch in a Worktree…', input);
		const folder = await input.inputValue();
		assert.equal(path.dirname(folder), scratch);
		await screenshot(page, 'branches-worktree');
		const opened = page.context().waitForEvent('page', { timeout: 60_000 });
		await input.press('Enter');
		const other = await opened;
		await until('the window shows the folder', async () => decodeURIComponent(other.url()).includes(folder));
		await other.close();
		assert.match(git('worktree', 'list'), new RegExp(`${folder} .*\\[${branch}\\]`));
	});

	it('is merged into the current branch after saying what comes of it', async () => {
		const branch = branchOf('sort');
		git('switch', '--quiet', 'main');
		const question = dialog(page, `Merge “${branch}” into “main”?`);
		await choose(SORT, 'Merge Task Branch…', question);
		assert.match(await question.innerText(), /It merges cleanly: 1 file changes\. “main” is fast-forwarded\./);
		await screenshot(page, 'branches-merge');
		await question.getByRole('button', { name: 'Merge', exact: true }).click();
		await toast(page, `“${branch}” is merged into “main”.`).waitFor();
		assert.equal(git('rev-parse', 'main'), origin('rev-parse', branch));
	});

	it('is deleted here and on the remote after a yes for each, and made again by Undo', async () => {
		const branch = branchOf('sort');
		const commit = origin('rev-parse', branch);
		const here = dialog(page, `Delete the branch “${branch}” in this repository?`);
		await choose(SORT, 'Delete Task Branch…', here);
		await screenshot(page, 'branches-delete-here');
		await here.getByRole('button', { name: 'Delete', exact: true }).click();
		const there = dialog(page, `Delete the branch “${branch}” on origin?`);
		await there.waitFor();
		await screenshot(page, 'branches-delete-there');
		await there.getByRole('button', { name: 'Delete', exact: true }).click();
		const done = toast(page, `The branch “${branch}” is deleted (here, origin).`);
		await done.waitFor();
		await screenshot(page, 'branches-deleted');
		assert.equal(git('branch', '--list', branch), '');
		assert.equal(origin('branch', '--list', branch), '');
		await done.getByRole('button', { name: 'Undo' }).click();
		await until('it is made again', async () => origin('branch', '--list', branch) !== '');
		assert.deepEqual([git('rev-parse', branch), origin('rev-parse', branch)], [commit, commit]);
	});

	it('is copied by its name, as its task is by its id', async () => {
		const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
		const copy = async (submenu: 'Branch' | 'Log', row: string) => {
			const asks = () => quickRow(page, row).first().isVisible();
			await chooseInMenu(page, new RegExp(SORT), 'Copy Task ID or Branch Name…', asks, submenu);
			await screenshot(page, 'branches-copy');
			await pickItem(page, row);
		};
		await copy('Branch', branchOf('sort'));
		await until('the name is copied', async () => (await clipboard()) === branchOf('sort'));
		await copy('Log', 'task ID');
		await until('the id is copied', async () => /^(?!errand\/)\S+$/.test(await clipboard()));
	});

	it('leads to the page of its host for a pull request, which the editor asks about', async () => {
		git('remote', 'set-url', '--push', 'origin', 'https://github.com/acme/widgets.git');
		const question = dialog(page, 'external website');
		await choose(SORT, 'Open or Create Pull Request…', question);
		const branch = branchOf('sort');
		assert.match(
			await question.innerText(),
			new RegExp(`https://github\\.com/acme/widgets/compare/main\\.\\.\\.${branch}\\?expand=1`),
		);
		await screenshot(page, 'branches-pull-request');
		await question.getByRole('button', { name: 'Cancel' }).click();
	});

	it('leaves the list with its task, and comes back with the filter for archived tasks', async () => {
		const isGone = async () => (await taskRow(page, SORT).count()) === 0;
		await chooseInMenu(page, new RegExp(SORT), 'Archive or Unarchive Task…', isGone);
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Show archived tasks');
		await dismissInput(page);
		await taskShows(page, SORT, 'archived');
		assert.equal(await messageText(), 'Filter: with archived tasks');
		await walkTo(page, new RegExp(SORT));
		await page.keyboard.press('ArrowRight');
		await taskRow(page, 'errand-demo.md').first().waitFor();
		await screenshotInThemes(page, 'branches-archived');
	});

	it('is gone on with on one of its own where the user has it checked out, whose files come to it on a yes', async () => {
		// Without a remote, the task works on the repository of the user itself.
		git('remote', 'remove', 'origin');
		git('config', 'receive.denyCurrentBranch', 'updateInstead');
		const here = (name: string) =>
			git('for-each-ref', '--format=%(refname:short)', `refs/heads/errand/${name}*`) || assert.fail(`no ${name}`);
		await startTask(page, 'Begin the work');
		await taskShows(page, 'Begin the work', 'in 1 file');
		const begun = here('begin');
		git('checkout', '--quiet', begun);
		writeFileSync(path.join(sample.folder, 'mine.txt'), 'mine\n');
		const tip = git('rev-parse', begun);

		await runCommand(page, 'Errand: Continue Task…');
		await pickItem(page, 'Begin the work');
		const question = page.locator('.quick-input-widget:visible');
		await question.getByText(`“${begun}” is checked out in ${sample.folder}`).waitFor();
		await screenshot(page, 'continue-checked-out');
		await answerInput(page, 'Go on with the work');
		await taskShows(page, 'Go on with the work', 'in 1 file');
		assert.equal(git('rev-parse', begun), tip);
		assert.equal(git('status', '--porcelain'), '?? mine.txt');

		const offer = toast(page, `as “${begun}” is checked out in`);
		await offer.waitFor();
		await screenshot(page, 'continue-fast-forward');
		await offer.getByRole('button', { name: 'Fast-Forward' }).click();
		await toast(page, `“${begun}” is now where`).waitFor();
		assert.equal(git('rev-parse', begun), git('rev-parse', here('go-on')));
		await until('the files have come', async () => existsSync(path.join(sample.folder, 'errand-demo-3.md')));
		assert.equal(git('status', '--porcelain'), '?? mine.txt');
	});
});
