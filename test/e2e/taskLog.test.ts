import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	pickItem,
	runCommand,
	screenshot,
	type Theme,
	toast,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import { localService, openChat, startTask, taskRow, taskShows } from '../support/errandWindow.ts';

describe('a task’s log as a document, its tooltip and the filter', function () {
	this.timeout(120_000);
	const prompt = 'Describe the widgets';
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;

	before(async () => {
		server = await startEditor();
		window = await openWindow(server);
		page = window.page;
		await openChat(page);
		await startTask(page, prompt);
		await taskShows(page, prompt, 'in 1 file');
		// The log names it: the agent has made one on its branch.
		writeFileSync(path.join(server.folder, 'errand-demo.md'), 'The same file, here.\n');
	});

	after(() => server?.stop());

	const log = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"]');
	/** Empty while the document is not shown. */
	const logDocumentText = async () =>
		(await log().locator('.view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');

	async function openDocument(): Promise<void> {
		await until('the document is open', async () => {
			await taskRow(page, prompt).first().click({ button: 'right' });
			const entry = page.locator('.monaco-menu').getByText('Open Task Log as Document', { exact: true });
			try {
				// A menu that has just opened takes no click.
				await entry.hover({ timeout: 3_000 });
				await page.keyboard.press('Enter');
				await log().locator('.view-line').first().waitFor({ timeout: 10_000 });
				return true;
			} catch {
				// A row that is drawn again takes its menu with it.
				await page.keyboard.press('Escape');
				return false;
			}
		});
		await until('the document shows the log', async () => /git committed/.test(await logDocumentText()));
	}

	it('shows the whole log with folds by step, an outline and links', async () => {
		await openDocument();
		await until('the document ends with the task', async () => /— completed —/.test(await logDocumentText()));
		await log().click();
		await until('its first line is shown', async () => {
			await page.keyboard.press('ControlOrMeta+Home');
			return /^\d\d:\d\d:\d\d {2}git cloning/m.test(await logDocumentText());
		});
		await log().hover();
		await until('the steps fold', async () => (await log().locator('.codicon-folding-expanded').count()) > 0);
		await runCommand(page, 'Go to Symbol in Editor...');
		const symbols = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
		await until('the outline names the steps', async () =>
			/git cloning[\s\S]*git committed/.test((await symbols.allInnerTexts()).join('\n')),
		);
		await screenshot(page, 'task-log-outline');
		await page.keyboard.press('Escape');
		// The last lines name a file, and only what is in sight is drawn.
		await until('files of the workspace are links', async () => {
			// The list of symbols puts the editor back to where it was, and may do so late.
			await page.keyboard.press('ControlOrMeta+End');
			return appears(log().locator('.detected-link').first(), 2_000);
		});
	});

	for (const theme of ['light', 'dark', 'high-contrast'] satisfies Theme[]) {
		it(`is at home in ${theme}`, async () => {
			await useTheme(page, theme);
			await openDocument();
			await screenshot(page, `task-log-document-${theme}`);
		});
	}

	it('writes the whole log to the file that the user chose', async () => {
		await log().click();
		await runCommand(page, 'Errand: Save Log…');
		const input = page.locator('.quick-input-widget:visible input[type="text"]').first();
		// The proposed name is in the folder that is open.
		await until('the dialog has a name', async () => (await input.inputValue()).endsWith('.log'));
		await input.press('Enter');
		await toast(page, 'The log is saved').waitFor();
		const [file = ''] = globSync('*.log', { cwd: server.folder });
		const text = readFileSync(path.join(server.folder, file), 'utf8');
		assert.match(text, /git cloning[\s\S]*git committed/);
		assert.equal(text.includes('\u001b'), false);
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	it('tells what has no room in the row in a tooltip, and makes no link of it', async () => {
		const hover = page.locator('.workbench-hover').filter({ hasText: 'Started ' });
		// A row that is drawn again takes its tooltip with it, also while that is looked at: one look takes all of it.
		let shown: { text: string; links: number } | undefined;
		await until(
			'the tooltip is there',
			async () => {
				await page.mouse.move(900, 300);
				await taskRow(page, prompt).first().hover();
				// It is made when the pointer rests, by an extension host that may have much else to do.
				await hover.waitFor({ timeout: 10_000 }).catch(() => {});
				[shown] = await hover.evaluateAll(hovers =>
					hovers.map(element => ({
						text: (element as HTMLElement).innerText,
						links: element.querySelectorAll('a, img').length,
					})),
				);
				return shown !== undefined;
			},
			60_000,
		);
		assert.match(shown?.text.replaceAll('\u00a0', ' ') ?? '', /errand\/\S+, from main[\s\S]*Id [\da-f-]{36}/);
		assert.equal(shown?.links, 0);
		await screenshot(page, 'task-tooltip');
		await page.mouse.move(900, 300);
	});

	it('narrows the list to what is asked for, says so, and shows all again', async () => {
		const state = page.locator('.part.sidebar .pane-body .message');
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Failed');
		await state.getByText('Filter: Failed').waitFor();
		await screenshot(page, 'task-filter');
		await page.keyboard.press('Escape');
		await until('no task is shown', async () => (await taskRow(page, prompt).count()) === 0);
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Clear Filter');
		await page.keyboard.press('Escape');
		await taskShows(page, prompt, 'in 1 file');
		await runCommand(page, 'Errand: Filter Tasks…');
		await page.locator('.quick-input-widget').getByPlaceholder('Choose what is shown, or type what').focus();
		// As somebody types who does not look.
		await Promise.all([page.keyboard.insertText('nothing of this kind'), page.keyboard.press('Enter')]);
		await until('no task holds it', async () => (await taskRow(page, prompt).count()) === 0);
		await state.getByText('nothing of this kind').waitFor();
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Clear Filter');
		await page.keyboard.press('Escape');
		await taskShows(page, prompt, 'in 1 file');
	});

	it('is there again after a reload of the window', async () => {
		await openDocument();
		await reloadWindow(page);
		await until('the document shows the log again', async () => /git committed/.test(await logDocumentText()), 60_000);
		await screenshot(page, 'task-log-reloaded');
	});

	it('leaves a service stopped that the user has stopped, says so, and starts it when asked to', async () => {
		await runCommand(page, 'Errand: Stop Local Service');
		await toast(page, 'The local service has stopped').waitFor();
		const start = taskRow(page, 'Start Local Service');
		await start.waitFor();
		await page.locator('.part.sidebar .pane-body .message').getByText('The local service is stopped.').waitFor();
		await until('it is gone', async () => localService(server) === undefined);
		await screenshot(page, 'task-tree-stopped');
		await start.click();
		await until('it runs again', async () => localService(server) !== undefined && (await start.count()) === 0);
		await taskShows(page, prompt, 'in 1 file');
	});
});
