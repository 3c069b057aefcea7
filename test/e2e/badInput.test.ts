import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { dismissInput, pickItem, pickThrough, screenshot, until } from '../support/editorWindow.ts';
import { logText, openChat, openPrompt, startTask, taskLine, taskShows, writePrompt } from '../support/errandWindow.ts';

describe('the command “Start Task”', () => {
	let server: EditorServer;
	let scratch: string;
	let folder: string;
	let page: Page;

	before(async () => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-bad-input-'));
		folder = path.join(scratch, 'widgets');
		mkdirSync(folder);
		writeFileSync(path.join(folder, 'notes.txt'), 'nothing of git here\n');
		server = await startEditor({ folder });
		({ page } = await openWindow(server));
		await openChat(page);
	});

	after(async () => {
		await server?.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const git = (where: string, ...args: string[]) => execFileSync('git', args, { cwd: where, encoding: 'utf8' }).trim();

	const says = async (text: string | RegExp) => {
		// A quick input that has been closed keeps its rows, hidden.
		const said = page.locator('.notification-toast, .quick-input-widget').getByText(text).filter({ visible: true });
		await until(`the window says ${text}`, async () => (await said.count()) > 0);
	};

	/** Waits until the editor shows what is checked out, because it follows git with some delay. */
	const headIs = (text: string) => page.locator('.statusbar').getByText(text).first().waitFor();

	it('says that a folder without a repository needs one', async () => {
		const line = taskLine(await openPrompt(page));
		await line.getByText('is not a Git repository').waitFor();
		await line.getByRole('button', { name: 'Initialize Repository' }).waitFor();
		await screenshot(page, 'bad-no-repository');
	});

	describe('in a repository', () => {
		let origin: string;

		before(async () => {
			({ origin } = makeSampleRepository(folder));
			await headIs('main');
		});

		const isUntouched = () => assert.equal(git(origin, 'branch', '--list', 'errand/*'), '');

		it('sends nothing for an empty prompt, and says what to write', async () => {
			const frame = await writePrompt(page, '   ');
			await page.keyboard.press('Enter');
			await frame.getByText('Write a message first.').waitFor();
			isUntouched();
		});

		it('names a branch that is gone when the task is sent, and leaves nothing behind', async () => {
			git(folder, 'branch', 'short-lived');
			git(folder, 'push', '--quiet', 'origin', 'short-lived');
			await writePrompt(page, 'Work on what is gone');
			await page.keyboard.press('Enter');
			await pickThrough(page, 'Branch', 'short-lived');
			await pickItem(page, 'short-lived');
			await page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: 'Start Task' }).waitFor();
			git(origin, 'branch', '-D', 'short-lived');
			git(folder, 'branch', '-D', 'short-lived');
			await pickItem(page, 'Start Task');
			await says('Branch “short-lived” is gone.');
			await screenshot(page, 'bad-branch-gone');
			await dismissInput(page);
			isUntouched();
		});

		it('says that HEAD is detached, and lets a branch be chosen', async () => {
			git(folder, 'checkout', '--quiet', '--detach', 'HEAD');
			await headIs(git(folder, 'rev-parse', '--short', 'HEAD'));
			await writePrompt(page, 'Work on a branch');
			await page.keyboard.press('Enter');
			await says(/detached|not on a branch/i);
			await screenshot(page, 'bad-detached-head');
			await pickItem(page, 'main');
			await says(/main @ /);
			await page.keyboard.press('Escape');
			isUntouched();
		});

		it('runs none of the hostile configuration and hooks of the repository', async () => {
			git(folder, 'checkout', '--quiet', 'main');
			await headIs('main');
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
			// The editor's own git extension may have run some of it since; only what happens from here on is ours.
			rmSync(mark, { force: true });
			await startTask(page, 'Look at a hostile repository');
			await taskShows(page, 'Look at a hostile repository', 'in 1 file');
			await until('the log is whole', async () =>
				/git committed/.test(logText(server, 'Look at a hostile repository')),
			);
			assert.equal(existsSync(mark) ? readFileSync(mark, 'utf8') : '', '');
			assert.notEqual(git(origin, '-c', 'core.hooksPath=/dev/null', 'branch', '--list', 'errand/*'), '');
		});
	});
});
