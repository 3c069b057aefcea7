import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { encodePng } from '../../src/service/images/png.ts';
import { RUNNING_APPLY_FILE } from '../../src/tasks/model/storageKeys.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor, workbenchStands } from '../support/editor.ts';
import {
	acceptPicks,
	answerInput,
	appears,
	dismissInput,
	hiddenWidth,
	openView,
	resizeSideBar,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
	webviewFrame,
} from '../support/editorWindow.ts';
import { chooseInMenu, focusedRow, taskRow, taskShows, walkTo } from '../support/errandWindow.ts';
import { type Files, TaskBranches } from '../support/taskBranches.ts';
import { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';

const MANY = 2_000;

/** How far before the text of a line the editor draws its sign for a new comment, in pixels. */
const SIGN = 22;

const numbered = (word: string, count: number) =>
	Array.from({ length: count }, (_, line) => `${word} ${line + 1}\n`).join('');

const image = (red: number) => encodePng(64, new Uint8Array(64 * 64), [[red, 80, 160]]);

const beginning: Files = {
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

/** The window may stand still so long on a slow machine. */
const FREEZE_MS = 8_000;

interface Framed extends Window {
	longestFrame?: number;
}

/** Begins to note how long the window takes to draw a frame, in milliseconds. */
async function noteFrames(page: Page): Promise<void> {
	await page.evaluate(() => {
		let last = performance.now();
		const note = () => {
			const now = performance.now();
			(window as Framed).longestFrame = Math.max((window as Framed).longestFrame ?? 0, now - last);
			last = now;
			requestAnimationFrame(note);
		};
		note();
	});
}

describe('what a task has changed, in the window', () => {
	let branches: TaskBranches;
	let service: TaskServer;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		[branches, service] = await Promise.all([TaskBranches.create(beginning), TaskServer.start()]);
		const { address } = service;
		server = await startEditor({
			folder: branches.user.path,
			settings: {
				'errand.connections': { acme: { label: 'Acme', apiUrl: address, cloudUrl: address, service: 'acme' } },
				'errand.connection': 'acme',
				'errand.tasks.refreshInterval': 3600,
			},
		});
		({ page } = await openWindow(server));
		await openView(page, 'Errand');
		await runCommand(page, 'Errand: Open Task Log');
		await answerInput(page, 'token-of-acme');
		await page.getByPlaceholder('Choose a task, or paste the id of one').waitFor();
		await dismissInput(page);
		await resizeSideBar(page, 360);
	});

	after(async () => {
		await server?.stop();
		await Promise.all([service?.stop(), branches?.remove()]);
	});

	const refresh = () => runCommand(page, 'Errand: Refresh Tasks');
	const closeAll = () => runCommand(page, 'View: Close All Editors');
	const clearNotices = () => runCommand(page, 'Notifications: Clear All Notifications');
	const own = (name: string) => path.join(branches.user.path, name);
	const read = (name: string) => readFile(own(name), 'utf8');
	const status = () => branches.user.git('status', '--porcelain');

	/** Throws away what the user has done to the files. */
	async function reset(): Promise<void> {
		await branches.user.git('reset', '--quiet', '--hard');
		await branches.user.git('clean', '--quiet', '-d', '--force');
	}

	/** Makes a task that has ended with this commit on a branch of its own, and shows its row. */
	async function endedTask(id: string, prompt: string, files: Files): Promise<void> {
		await branches.commit(`errand/${id}`, files);
		service.add({
			id,
			prompt,
			repoUrl: branches.origin,
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

	async function fold(prompt: string): Promise<void> {
		await taskRow(page, prompt).locator('.monaco-tl-twistie').click();
	}

	it('unfolds into its files with letters and counts, and says what has changed since', async () => {
		await endedTask('rename', 'Rename config keys', work);
		await fold('Rename config keys');
		await fileRow('config.py, app, modified, 2 lines added, 2 removed').waitFor();
		await fileRow('labels.py, app, renamed, 1 lines added, 1 removed, from app/names.py').waitFor();
		await fileRow('old.json, deleted').waitFor();
		await fileRow('logo.png, modified, binary').waitFor();
		await screenshot(page, 'changes-rows');
		for (const [file, letter] of [
			['config.py', 'M'],
			['migrate.py', 'A'],
			['old.json', 'D'],
			['labels.py', 'R'],
		] as const) {
			await until(`${file} has its letter`, async () => (await letterOf(fileRow(file))) === letter);
		}
		assert.deepEqual(await branches.user.branches(), ['main']);
		assert.equal(await status(), '');

		await branches.commit('errand/rename', { 'app/migrate.py': numbered('step', 37), 'app/added.py': 'added\n' });
		Object.assign(service.tasks[0] ?? {}, { completedAt: new Date(Date.now() + 1_000).toISOString() });
		await refresh();
		await fileRow('migrate.py, app, added, 37 lines added, 0 removed, changed since you looked').waitFor();
		await fileRow('added.py, app, added, 1 lines added, 0 removed, new since you looked').waitFor();
		await screenshot(page, 'changes-rows-moved');
	});

	it('has rows that show their names at 200 pixels, and a preview of what would be applied', async () => {
		await resizeSideBar(page, 200);
		await fileRow('config.py').waitFor();
		for (const name of ['config.py', 'migrate.py', 'labels.py', 'old.json']) {
			assert.equal(await hiddenWidth(fileRow(name).locator('.label-name')), 0, name);
		}
		await screenshotInThemes(page, 'changes-rows-200');
		await resizeSideBar(page, 360);
		const preview = async () => {
			await runCommand(page, 'Errand: Apply Task Changes…');
			await page.locator('.quick-input-widget:visible').getByText('Rename config keys').first().click();
			await page.locator('.quick-input-widget:visible').getByText('config.py').waitFor();
		};
		await preview();
		await screenshotInThemes(page, 'changes-preview', preview);
		await dismissInput(page);
	});

	const review = () => page.locator('.multiDiffEditor');

	it('has buttons above the review that compare a file with the user’s own, and apply', async () => {
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
		await screenshot(page, 'changes-review-apply');
		await dismissInput(page);
		await closeAll();
	});

	it('opens as one review, and takes comments, which outlive a reload and become one further prompt', async () => {
		await taskRow(page, 'Rename config keys').hover();
		await taskRow(page, 'Rename config keys').getByRole('button', { name: 'Review Task Changes' }).click();
		await review().getByText('renamed 35').waitFor();
		await screenshot(page, 'changes-review');
		await comment('renamed 3', 'Keep the old name as an alias.', 'changes-comment-writing');
		await comment('renamed 35', 'This one is used by the shop.');
		await screenshot(page, 'changes-comments');
		await reloadWindow(page);
		// The page saves its open editors every few seconds, and may not have come to it before the reload.
		if (!(await appears(review(), 5_000))) {
			await chooseInMenu(page, /^Rename config keys,/, 'Review Task Changes', () => appears(review(), 10_000));
		}
		await review().getByText('Keep the old name as an alias.').waitFor();
		await screenshot(page, 'changes-comments-reloaded');
		await review().getByText('renamed 35').first().click();
		await runCommand(page, 'Errand: Send Comments to Task…');
		const prompt = page.locator('.editor-instance .monaco-editor[data-uri^="errand-follow-up:"]');
		await prompt.getByText('Please deal with each of them').waitFor();
		await screenshot(page, 'changes-follow-up');
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
		await screenshot(page, 'changes-follow-up-sent');
		service.finish('rename', 'completed');
		await taskShows(page, 'Rename config keys', '+40 −7');
		await runCommand(page, 'View: Hide Panel');
	});

	/** Writes a comment on a line of the review. */
	async function comment(line: string, text: string, name?: string): Promise<void> {
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
		if (name) {
			await screenshot(page, name);
		}
		await page.keyboard.press('ControlOrMeta+Enter');
		await page.locator('.review-widget .comment-body').getByText(text).waitFor();
	}

	it('gives one hunk to the user’s file, and takes it back', async () => {
		await closeAll();
		await endedTask('hunks', 'Rename two settings', { 'app/config.py': configOf('renamed 3', 'renamed 35') });
		await fold('Rename two settings');
		await fileRow('config.py, app, modified').click();
		await page.locator('.modified-in-monaco-diff-editor .view-line').getByText('renamed 3', { exact: true }).click();
		await screenshot(page, 'changes-file');
		await runCommand(page, 'Errand: Apply Hunk at Cursor to Your File');
		await until('the hunk is taken', async () => (await read('app/config.py')) === configOf('renamed 3', 'setting 35'));
		await screenshot(page, 'changes-hunk-taken');
		assert.equal(await status(), ' M app/config.py\n');
		await runCommand(page, 'Errand: Undo Last Apply of Task Changes');
		await until('it is taken back', async () => (await status()) === '');
		await clearNotices();
	});

	it('is applied by keyboard alone, with a preview, conflicts that the editor resolves, and a way back', async () => {
		await closeAll();
		await fold('Rename two settings');
		await endedTask('all', 'Apply all of it', work);
		await branches.user.write('app/config.py', configOf('mine 3', 'setting 35'));
		await branches.user.write('README.md', '# Widgets of mine\n\nPrices and stock.\n');
		const dirty = await status();
		await walkTo(page, /^Apply all of it,/);
		await page.keyboard.press('ArrowRight');
		await fileRow('icon.png, added, binary').waitFor();
		await chooseInMenu(page, /^Apply all of it,/, 'Review Task Changes', () => appears(review(), 5_000));
		await review().getByText('renamed 35').waitFor();
		const list = page.locator('.quick-input-widget:visible');
		const isPreviewed = () => appears(list.getByText('conflicts with your edits'), 5_000);
		await chooseInMenu(page, /^Apply all of it,/, 'Apply Task Changes…', isPreviewed);
		await screenshot(page, 'changes-preview');
		await acceptPicks(page, 'conflicts with your edits');
		const done = toast(page, 'Applied 7 files, 1 conflict');
		// The message stays as long as the pointer is over it.
		await done.hover();
		await screenshot(page, 'changes-applied');
		assert.equal(await read('app/migrate.py'), work['app/migrate.py']);
		assert.equal(await read('app/labels.py'), work['app/labels.py']);
		assert.deepEqual(await readFile(own('logo.png')), work['logo.png']);
		assert.deepEqual([existsSync(own('old.json')), existsSync(own('app/names.py'))], [false, false]);
		assert.equal(await read('README.md'), '# Widgets of mine\n\nPrices, stock and names.\n');
		assert.match(await read('app/config.py'), /<<<<<<< .*\nmine 3\n=======\nrenamed 3\n>>>>>>> /);
		assert.equal(await branches.user.git('diff', '--cached', '--name-only'), '');

		await runCommand(page, 'Merge Conflict: Accept All Both');
		// The command ends before the text has changed, and what is saved at once is the conflict.
		await page.locator('.view-line').getByText('<<<<<<<').waitFor({ state: 'detached' });
		await page.keyboard.press('ControlOrMeta+S');
		await until('the conflict is resolved', async () => !(await read('app/config.py')).includes('<<<<<<<'));
		await screenshot(page, 'changes-resolved');
		await done.getByRole('button', { name: 'Undo' }).click();
		const undone = toast(page, 'Took back the changes to');
		await undone.waitFor();
		await screenshot(page, 'changes-undone');
		assert.equal(existsSync(own('app/migrate.py')), false);
		assert.deepEqual(await readFile(own('logo.png')), beginning['logo.png']);
		assert.equal(await read('README.md'), '# Widgets of mine\n\nPrices and stock.\n');
		// The user has resolved the conflict since. What is open is changed in the editor, and not saved.
		await page.keyboard.press('ControlOrMeta+S');
		const mine = configOf('mine 3\nrenamed 3', 'setting 35');
		await until('the other hunk is taken back', async () => (await read('app/config.py')) === mine);
		assert.equal(await status(), dirty);
		await clearNotices();
		await reset();
	});

	it('shows an image, a deleted and a renamed file as what they are', async () => {
		await closeAll();
		await fileRow('icon.png').click();
		await webviewFrame(page, 'img.scale-to-fit, .container.image img');
		await screenshot(page, 'changes-image-added');
		await fileRow('logo.png').click();
		await page.locator('.tab.active').filter({ hasText: 'logo.png' }).waitFor();
		await until('both images are shown', async () => {
			const counts = page.frames().map(frame =>
				frame
					.locator('body.image.ready img')
					.count()
					.catch(() => 0),
			);
			return (await Promise.all(counts)).filter(count => count > 0).length === 2;
		});
		await screenshot(page, 'changes-image-changed');
		const takeHunk = page.locator('.editor-actions').getByLabel('Apply Hunk at Cursor to Your File');
		await fileRow('old.json').click();
		await page.locator('.monaco-diff-editor').getByText('version').first().waitFor();
		await screenshot(page, 'changes-deleted');
		await fileRow('labels.py').click();
		await page.locator('.monaco-diff-editor').getByText('label 8').first().waitFor();
		await takeHunk.first().waitFor();
		await screenshot(page, 'changes-renamed');
		await fileRow('logo.png').click();
		await page.locator('.tab.active').filter({ hasText: 'logo.png' }).waitFor();
		await until('an image has no hunk to take', async () => (await takeHunk.count()) === 0);
		await closeAll();
	});

	it(`shows ${MANY} files in pages, in the list and in the review, and stays at hand`, async () => {
		await fold('Apply all of it');
		const files = Array.from({ length: MANY }, (_, at) => [`many/${String(at).padStart(4, '0')}.txt`, `file ${at}\n`]);
		await endedTask('many', 'Change very many', Object.fromEntries(files));
		await fold('Change very many');
		await fileRow('0000.txt, many, added').waitFor();
		await noteFrames(page);
		await screenshot(page, 'changes-many');
		await walkTo(page, /^0000\.txt/);
		await page.keyboard.press('End');
		await until('the end of the page has the keyboard', async () => {
			await page.keyboard.press('ArrowUp');
			return /^200 of 2,000 files are shown/.test(await focusedRow(page));
		});
		await screenshot(page, 'changes-many-end');
		await page.keyboard.press('Enter');
		await until('the next file has the keyboard', async () => /^0200\.txt/.test(await focusedRow(page)));
		await screenshot(page, 'changes-many-more');
		await page.keyboard.press('Home');
		await chooseInMenu(page, /^Change very many,/, 'Review Task Changes', () => appears(review(), 10_000));
		const next = toast(page, 'This review shows files 1 to 200 of 2,000.');
		// The message stays as long as the pointer is over it.
		await next.hover();
		await page.locator('.tab.active').filter({ hasText: 'files 1 to 200 of 2,000' }).waitFor();
		await review().getByText('file 0', { exact: true }).waitFor();
		await screenshot(page, 'changes-many-review');
		await next.getByRole('button', { name: 'Show the Next Files' }).click();
		await review().getByText('file 200', { exact: true }).waitFor();
		await screenshot(page, 'changes-many-review-next');
		const longest = await page.evaluate(() => (window as Framed).longestFrame ?? Number.POSITIVE_INFINITY);
		assert.ok(longest < FREEZE_MS, `the window stood still for ${longest} ms`);
		await clearNotices();
	});

	it('that are being applied when everything ends says so in the next window, which takes them back', async () => {
		await closeAll();
		const running = () => globSync(`**/${RUNNING_APPLY_FILE}`, { cwd: server.dataFolder })[0];
		const list = page.locator('.quick-input-widget:visible');
		const isPreviewed = () => appears(list.getByText('0000.txt'), 10_000);
		await chooseInMenu(page, /^Change very many,/, 'Apply Task Changes…', isPreviewed);
		// It is watched from here on, because it may be over by the time that the window tells of it. Its process stands
		// still until the window is gone: a window starts a killed one anew at once, and would tell of this itself.
		const stopped = waitFor('some files to be there', () => existsSync(own('many/0020.txt')), 120_000).then(() => {
			const file = running() ?? assert.fail('nothing is being applied');
			const noted = readFileSync(path.join(server.dataFolder, file), 'utf8');
			const applying = Number(/"process":(\d+)/.exec(noted)?.[1]);
			process.kill(applying, 'SIGSTOP');
			return applying;
		});
		await acceptPicks(page, '0000.txt');
		const applying = await stopped;
		await page.goto('about:blank');
		process.kill(applying, 'SIGKILL');
		await page.goto(server.address(), { waitUntil: 'commit' });
		await workbenchStands(page);
		const interrupted = toast(page, 'Applying changes was interrupted when this window closed');
		await interrupted.waitFor();
		await screenshot(page, 'changes-interrupted');
		const applied = readdirSync(own('many')).length;
		assert.ok(applied < MANY);
		assert.match((await interrupted.innerText()).replaceAll('\u00a0', ' '), new RegExp(`${applied} of ${MANY} files`));
		assert.equal(running(), undefined);
		await interrupted.getByRole('button', { name: 'Undo' }).click();
		await toast(page, `Took back the changes to ${applied} files.`).waitFor();
		assert.equal(existsSync(own('many')), false);
		await clearNotices();
	});
});
