import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { encodePng } from '../../src/service/images/png.ts';
import { reloadWindow } from '../support/editor.ts';
import {
	acceptPicks,
	answerInput,
	appears,
	dismissInput,
	openView,
	resizeSideBar,
	runCommand,
	toast,
	until,
} from '../support/editorWindow.ts';
import { chooseInMenu, taskRow, taskShows, unfold } from '../support/errandWindow.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { type Files, TaskBranches } from '../support/taskBranches.ts';
import { TaskServer } from '../support/taskServer.ts';
import { useWindow } from '../support/useWindow.ts';

/** How far before the text of a line the editor draws its sign for a new comment, in pixels. */
const SIGN = 22;

const numbered = (word: string, count: number) =>
	Array.from({ length: count }, (_, line) => `${word} ${line + 1}\n`).join('');

const image = (red: number) => encodePng(64, new Uint8Array(64 * 64), [[red, 80, 160]]);

const beginning = {
	'app/config.py': numbered('setting', 40),
	'app/names.py': numbered('name', 30),
	'README.md': '# Widgets\n\nPrices and stock.\n',
	'old.json': '{\n\t"version": 1\n}\n',
	'logo.png': image(0),
};

/** Two hunks, far from each other. */
const configOf = (first: string, second: string) =>
	numbered('setting', 40).replace('setting 3\n', `${first}\n`).replace('setting 35\n', `${second}\n`);

const work: Files = {
	'app/config.py': configOf('renamed 3', 'renamed 35'),
	'app/labels.py': numbered('name', 30).replace('name 8\n', 'label 8\n'),
	'app/names.py': undefined,
	'app/migrate.py': numbered('step', 36),
	'README.md': '# Widgets\n\nPrices, stock and names.\n',
	'old.json': undefined,
	'logo.png': image(200),
	'icon.png': image(120),
};

describe('what a task has changed, in the window', () => {
	let branches: TaskBranches;
	let service: TaskServer;
	let page: Page;
	let sample: SampleFolder;

	const window = useWindow(async () => {
		service = await TaskServer.start();
		const { address } = service;
		return {
			files: beginning,
			settings: {
				'errand.connections': { quay: { label: 'Quay', apiUrl: address, cloudUrl: address, service: 'quay' } },
				'errand.connection': 'quay',
				'errand.tasks.refreshInterval': 3600,
			},
		};
	});

	before(async () => {
		({ page, sample } = window());
		branches = new TaskBranches(sample);
		await openView(page, 'Errand');
		await runCommand(page, 'Errand: Open Task Log');
		await answerInput(page, 'token-of-quay');
		await page.getByPlaceholder('Select a task, or paste a task ID').waitFor();
		await dismissInput(page);
		await resizeSideBar(page, 360);
	});

	after(async () => {
		await service?.stop();
		branches?.remove();
	});

	const refresh = () => runCommand(page, 'Errand: Refresh Tasks');
	const read = (name: string) => readFile(sample.file(name), 'utf8');
	const status = () => sample.git('status', '--porcelain');

	/** Makes a task that has ended with this commit on a branch of its own, and shows its row. */
	async function endedTask(id: string, prompt: string, files: Files): Promise<void> {
		branches.commit(`errand/${id}`, files);
		service.add({
			id,
			prompt,
			repoUrl: sample.originFolder,
			selectedBranch: 'main',
			branchName: `errand/${id}`,
			status: 'completed',
			completedAt: new Date().toISOString(),
			diffStats: { totalLinesAdded: 40, totalLinesRemoved: 7, totalFilesChanged: Object.keys(files).length },
		});
		await refresh();
		await taskShows(page, prompt, '+40 −7');
	}

	/** A row below that of a task, by the beginning of what a screen reader says. */
	const fileRow = (label: string): Locator => page.locator(`.part.sidebar .monaco-list-row[aria-label^="${label}"]`);

	/** The letter that the editor draws behind a file's name, with the theme's own decoration. */
	const letterOf = (row: Locator) =>
		row
			.locator('.monaco-icon-label')
			.first()
			.evaluate(label => getComputedStyle(label, '::after').content.replaceAll('"', ''));

	const review = () => page.locator('.multiDiffEditor');

	it('has a review with buttons above it, and takes comments there, which outlive a reload and become one further prompt', async () => {
		await endedTask('rename', 'Rename config keys', work);
		await taskRow(page, 'Rename config keys').hover();
		await taskRow(page, 'Rename config keys').getByRole('button', { name: 'Review Task Changes' }).click();
		await review().getByText('renamed 35').first().click();
		const button = (name: string) =>
			page.locator('.editor-group-container.active .editor-actions').getByRole('button', { name });
		await button('Compare Task Version with Your File').click();
		await page.locator('.tab.active').filter({ hasText: 'config.py' }).waitFor();
		await runCommand(page, 'View: Close Editor');
		// The cursor stands there since the first click, and lies over the text.
		await review().getByText('renamed 35').first().click({ force: true });
		await button('Apply Task Changes…').click();
		await page.locator('.quick-input-widget:visible').getByText('config.py').waitFor();
		await dismissInput(page);
		await comment('renamed 3', 'Keep the old name as an alias.');
		await comment('renamed 35', 'This one is used by the shop.');
		await reloadWindow(page);
		// The page saves its open editors every few seconds, and may not have come to it before the reload.
		if (!(await appears(review(), 5_000))) {
			await chooseInMenu(page, /^Rename config keys,/, 'Review Task Changes', () => appears(review(), 10_000));
		}
		await review().getByText('Keep the old name as an alias.').waitFor();
		// The cursor may stand there again, and lies over the text.
		await review().getByText('renamed 35').first().click({ force: true });
		await runCommand(page, 'Errand: Send Comments to Task…');
		const prompt = page.locator('.editor-instance .monaco-editor[data-uri^="errand-follow-up:"]');
		await prompt.getByText('Please deal with each of them').waitFor();
		await page.keyboard.press('ControlOrMeta+Enter');
		await until('the service has the prompt', async () => service.furtherPrompts.length === 1);
		assert.deepEqual(service.furtherPrompts, [
			{
				taskId: 'rename',
				prompt: [
					'These are my comments on your changes. Please deal with each of them.',
					'`app/config.py:3`\n\n```py\nrenamed 3\n```\n\nKeep the old name as an alias.',
					'`app/config.py:35`\n\n```py\nrenamed 35\n```\n\nThis one is used by the shop.',
				].join('\n\n'),
			},
		]);
		await until('the prompt is closed', async () => (await prompt.count()) === 0);
		service.finish('rename', 'completed');
		await taskShows(page, 'Rename config keys', '+40 −7');
		await runCommand(page, 'View: Hide Panel');
	});

	/** Writes a comment on a line of the review. */
	async function comment(line: string, text: string): Promise<void> {
		const at = page.locator('.modified-in-monaco-diff-editor .view-line').getByText(line, { exact: true });
		const form = page.locator('.review-widget').filter({ has: page.locator('.comment-form-container.expand') });
		await until('there is room for a comment', async () => {
			await at.hover();
			const box = await at.boundingBox();
			// The editor draws its sign for a new comment between the number of the line and its text.
			await page.mouse.click((box?.x ?? 0) - SIGN, (box?.y ?? 0) + (box?.height ?? 0) / 2);
			return appears(form.locator('.comment-form .monaco-editor'), 3_000);
		});
		await until('the comment is written', async () => {
			await page.keyboard.press('ControlOrMeta+A');
			await page.keyboard.insertText(text);
			return (await form.locator('.comment-form .view-lines').innerText()).replaceAll('\u00a0', ' ').includes(text);
		});
		await page.keyboard.press('ControlOrMeta+Enter');
		await page.locator('.review-widget .comment-body').getByText(text).waitFor();
	}

	it('is applied by keyboard alone, from rows with letters and counts, with a preview, conflicts that the editor resolves, and a way back', async () => {
		await runCommand(page, 'View: Close All Editors');
		await endedTask('all', 'Apply all of it', work);
		sample.write({
			'app/config.py': configOf('mine 3', 'setting 35'),
			'README.md': '# Widgets of mine\n\nPrices and stock.\n',
		});
		const dirty = status();
		await unfold(page, /^Apply all of it,/);
		await fileRow('icon.png, added, binary').waitFor();
		await fileRow('labels.py, app, renamed, 1 lines added, 1 removed, from app/names.py').waitFor();
		for (const [file, letter] of [
			['config.py', 'M'],
			['migrate.py', 'A'],
			['old.json', 'D'],
			['labels.py', 'R'],
		] as const) {
			await until(`${file} has its letter`, async () => (await letterOf(fileRow(file))) === letter);
		}
		assert.equal(sample.git('branch', '--list', 'errand/*'), '');
		await chooseInMenu(page, /^Apply all of it,/, 'Review Task Changes', () => appears(review(), 5_000));
		await review().getByText('renamed 35').waitFor();
		const list = page.locator('.quick-input-widget:visible');
		const isPreviewed = () => appears(list.getByText('conflicts with your edits'), 5_000);
		await chooseInMenu(page, /^Apply all of it,/, 'Apply Task Changes…', isPreviewed);
		await acceptPicks(page, 'conflicts with your edits');
		const done = toast(page, 'Applied 7 files, 1 conflict');
		// The message stays as long as the pointer is over it.
		await done.hover();
		assert.equal(await read('app/migrate.py'), work['app/migrate.py']);
		assert.equal(await read('app/labels.py'), work['app/labels.py']);
		assert.deepEqual(await readFile(sample.file('logo.png')), work['logo.png']);
		assert.deepEqual([existsSync(sample.file('old.json')), existsSync(sample.file('app/names.py'))], [false, false]);
		assert.equal(await read('README.md'), '# Widgets of mine\n\nPrices, stock and names.\n');
		assert.match(await read('app/config.py'), /<<<<<<< .*\nmine 3\n=======\nrenamed 3\n>>>>>>> /);
		assert.equal(sample.git('diff', '--cached', '--name-only'), '');

		await runCommand(page, 'Merge Conflict: Accept All Both');
		// The command ends before the text has changed, and what is saved at once is the conflict.
		await page.locator('.view-line').getByText('<<<<<<<').waitFor({ state: 'detached' });
		await page.keyboard.press('ControlOrMeta+S');
		await until('the conflict is resolved', async () => !(await read('app/config.py')).includes('<<<<<<<'));
		await done.getByRole('button', { name: 'Undo' }).click();
		const undone = toast(page, 'Undid the changes to');
		await undone.waitFor();
		assert.equal(existsSync(sample.file('app/migrate.py')), false);
		assert.deepEqual(await readFile(sample.file('logo.png')), beginning['logo.png']);
		assert.equal(await read('README.md'), '# Widgets of mine\n\nPrices and stock.\n');
		// The user has resolved the conflict since. What is open is changed in the editor, and not saved.
		await page.keyboard.press('ControlOrMeta+S');
		const mine = configOf('mine 3\nrenamed 3', 'setting 35');
		await until('the other hunk is taken back', async () => (await read('app/config.py')) === mine);
		assert.equal(status(), dirty);
	});
});
