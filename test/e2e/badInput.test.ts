import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	dismissInput,
	openView,
	pickItem,
	pickThrough,
	runCommand,
	screenshot,
	until,
} from '../support/editorWindow.ts';
import { logText, openChat, startTask, taskShows, writePrompt } from '../support/errandWindow.ts';

describe('what cannot be a task', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let scratch: string;

	before(async () => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-bad-input-'));
		server = await startEditor();
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const git = (folder: string, ...args: string[]) =>
		execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
	const sample = (name: string) => makeSampleRepository(path.join(scratch, name));

	async function inWindow(folder: string, run: (page: Page) => Promise<void>): Promise<void> {
		const { page, context } = await openWindow(server, { folder });
		try {
			await run(page);
		} finally {
			await context.close();
		}
	}

	const says = async (page: Page, text: string | RegExp) => {
		// A quick input that has been closed keeps its rows, hidden.
		const said = page.locator('.notification-toast, .quick-input-widget').getByText(text).filter({ visible: true });
		await until(`the window says ${text}`, async () => (await said.count()) > 0);
	};

	it('a folder that is no repository: it is named, with what to do', async () => {
		const folder = path.join(scratch, 'plain');
		mkdirSync(folder);
		writeFileSync(path.join(folder, 'notes.txt'), 'nothing of git here\n');
		await inWindow(folder, async page => {
			await openChat(page);
			await runCommand(page, 'Errand: Start Task…');
			await says(page, /repository/i);
			await screenshot(page, 'bad-no-repository');
		});
	});

	describe('in one repository', () => {
		let folder: string;
		let origin: string;
		let page: Page;

		before(async () => {
			({ folder, origin } = sample('one'));
			({ page } = await openWindow(server, { folder }));
			await openChat(page);
		});

		after(() => page?.context().close());

		const isUntouched = () => assert.equal(git(origin, 'branch', '--list', 'errand/*'), '');

		it('an empty prompt: it is said and sends nothing', async () => {
			await writePrompt(page, '   ');
			await page.keyboard.press('ControlOrMeta+Enter');
			await says(page, 'Write what the task should do');
			isUntouched();
		});

		it('a branch that is gone when it is sent: a sentence names it, and nothing is left behind', async () => {
			git(folder, 'branch', 'short-lived');
			git(folder, 'push', '--quiet', 'origin', 'short-lived');
			await writePrompt(page, 'Work on what is gone');
			await page.keyboard.press('ControlOrMeta+Enter');
			await pickThrough(page, 'Branch', 'short-lived');
			await pickItem(page, 'short-lived');
			await page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: 'Start Task' }).waitFor();
			git(origin, 'branch', '-D', 'short-lived');
			git(folder, 'branch', '-D', 'short-lived');
			await pickItem(page, 'Start Task');
			await says(page, 'Branch “short-lived” is gone.');
			await screenshot(page, 'bad-branch-gone');
			await dismissInput(page);
			isUntouched();
		});

		it('a detached HEAD: it is said, and a branch can be chosen', async () => {
			git(folder, 'checkout', '--quiet', '--detach', 'HEAD');
			// The editor follows what git does outside of it with some delay, and shows when it has.
			const head = git(folder, 'rev-parse', '--short', 'HEAD');
			await page.locator('.statusbar').getByText(head).first().waitFor();
			await writePrompt(page, 'Work on a branch');
			await page.keyboard.press('ControlOrMeta+Enter');
			await says(page, /detached|not on a branch/i);
			await screenshot(page, 'bad-detached-head');
			await pickItem(page, 'main');
			await says(page, /main @ /);
			await page.keyboard.press('Escape');
			isUntouched();
		});
	});

	it('two folders open: it asks which repository', async () => {
		const first = sample('first');
		const second = sample('second');
		const workspace = path.join(scratch, 'two.code-workspace');
		writeFileSync(workspace, JSON.stringify({ folders: [{ path: first.folder }, { path: second.folder }] }));
		const { page, context } = await openWindow(server, { folder: workspace });
		try {
			// A served window now and then comes up without having read its workspace file; the next one reads it.
			await until('the window has both folders', async () => {
				const explorer = await openView(page, 'Explorer');
				const folders = explorer.locator('.explorer-folders-view .monaco-list-row');
				const hasRead = await appears(folders.nth(1), 5_000);
				if (!hasRead) {
					await reloadWindow(page);
				}
				return hasRead;
			});
			await openChat(page);
			await until('both repositories are found', async () => {
				await writePrompt(page, 'Work on one of two');
				await page.keyboard.press('ControlOrMeta+Enter');
				const rows = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
				const isAsked = rows.first().waitFor({ timeout: 10_000 });
				// On a busy machine the first answer may be the sentence that the repositories are not open yet.
				const text = await isAsked.then(
					async () => (await rows.allInnerTexts()).join('\n'),
					() => '',
				);
				await screenshot(page, 'bad-two-folders');
				await page.keyboard.press('Escape');
				return text.includes(path.basename(path.dirname(first.folder))) || text.includes(first.folder);
			});
		} finally {
			await context.close();
		}
	});

	it('a repository with hostile configuration and hooks: nothing of it runs through a task', async () => {
		const { folder, origin } = sample('hostile');
		const mark = path.join(scratch, 'hostile-ran');
		const payload = path.join(scratch, 'payload.sh');
		writeFileSync(payload, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexit 0\n`, { mode: 0o755 });
		for (const repository of [path.join(folder, '.git'), origin]) {
			mkdirSync(path.join(repository, 'hooks'), { recursive: true });
			for (const hook of [
				'pre-receive',
				'update',
				'post-receive',
				'post-update',
				'reference-transaction',
				'post-checkout',
			]) {
				writeFileSync(path.join(repository, 'hooks', hook), `#!/bin/sh\n'${payload}' ${hook}\n`, { mode: 0o755 });
			}
			for (const [key, value] of [
				['core.alternateRefsCommand', payload],
				['core.sshCommand', payload],
				['uploadpack.packObjectsHook', payload],
				['core.pager', payload],
				['core.editor', payload],
				['filter.evil.smudge', payload],
				['filter.evil.clean', payload],
			] as const) {
				execFileSync('git', ['config', '--file', path.join(repository, 'config'), key, value]);
			}
		}
		await inWindow(folder, async page => {
			await openChat(page);
			// The editor's own git extension runs the repository's hooks when the user works with it; only what
			// happens from here on is ours.
			rmSync(mark, { force: true });
			await startTask(page, 'Look at a hostile repository');
			await taskShows(page, 'Look at a hostile repository', 'in 1 file');
			await until('the log is whole', async () =>
				/git committed/.test(logText(server, 'Look at a hostile repository')),
			);
		});
		assert.equal(existsSync(mark) ? readFileSync(mark, 'utf8') : '', '');
		assert.notEqual(git(origin, '-c', 'core.hooksPath=/dev/null', 'branch', '--list', 'errand/*'), '');
	});
});
