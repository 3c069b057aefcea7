import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { changeSettings, dialog, pickItem, runCommand, screenshot, until } from '../support/editorWindow.ts';
import { ask, openChat, replyEnds, turns } from '../support/errandWindow.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

describe('context in the window', function () {
	this.timeout(120_000);
	let recorder: UpstreamServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		recorder = await UpstreamServer.start();
		server = await startEditor({
			settings: {
				'errand.local.upstreams': {
					ollama: false,
					recorder: { url: recorder.url, models: [{ id: 'small', contextLength: 4_000 }] },
				},
				'errand.chat.model': 'small',
			},
		});
		const write = (name: string, text: string) => writeFileSync(path.join(server.folder, name), text);
		write('.env', 'API_KEY=9f8a7b6c5d4e3f2a1b0c\n');
		write('.gitignore', 'node_modules/\nignored.txt\n');
		write('ignored.txt', 'nothing\n');
		write('large.txt', 'a line of a file that is long\n'.repeat(1_000));
		write('notes.txt', 'notes\n');
		({ page } = await openWindow(server));
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		frame = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await recorder?.stop();
	});

	const composer = () => frame.locator('chat-composer textarea');
	const chips = () => frame.locator('chat-composer chat-chips .label').allInnerTexts();
	const has = (...labels: string[]) =>
		until(`the chips are ${labels.join(', ')}`, async () => (await chips()).join() === labels.join());
	const clear = async () => {
		await composer().focus();
		await page.keyboard.press('Shift+Tab');
		for (let left = (await chips()).length; left > 0; left--) {
			await page.keyboard.press('Delete');
			await until('a chip goes', async () => (await chips()).length === left - 1);
		}
	};
	const complete = async (word: string, label: string) => {
		await composer().click();
		await composer().pressSequentially(`#${word}`);
		await frame.getByRole('option').filter({ hasText: label }).first().waitFor();
		await composer().press('Enter');
		await until('it is a chip', async () => (await chips()).includes(label));
	};
	const inExplorer = async (name: string, item: string) => {
		await page
			.locator('.activitybar')
			.getByRole('tab', { name: /^Explorer/ })
			.click();
		const row = page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: name }).first();
		await row.click({ button: 'right' });
		// A click that comes too soon after the menu is taken for the end of the one that opened it.
		await until('the menu has taken the click', async () => {
			await page
				.getByRole('menuitem', { name: item })
				.click({ timeout: 1_000 })
				.catch(() => {});
			return (await page.locator('.monaco-menu').count()) === 0;
		});
	};
	const lines = () => page.locator('.editor-instance .monaco-editor .view-lines').first();

	it('is added with #, removed by keyboard, and goes with the message', async () => {
		await complete('price.t', 'price.ts');
		await runCommand(page, 'Errand: Add Uncommitted Changes to Chat');
		await has('price.ts', '4 changed files');
		await screenshot(page, 'context-chips');
		await frame.getByRole('button', { name: 'Remove 4 changed files' }).click();
		await has('price.ts');
		await ask(frame, 'What does it cost?');
		await replyEnds(frame);
		await has();
		assert.deepEqual(await turns(frame).last().locator('chat-chips .label').allInnerTexts(), ['price.ts']);
		await turns(frame).last().locator('chat-chips .open').click();
		await page.locator('.tab.active').filter({ hasText: 'price.ts' }).waitFor();
		await screenshot(page, 'context-sent');
	});

	it('takes the selection by its keys, and the open editors by command', async () => {
		await lines().click();
		await page.keyboard.press('ControlOrMeta+A');
		await page.keyboard.press('ControlOrMeta+K');
		await page.keyboard.press('a');
		await until('the selection is a chip', async () => /^price\.ts:1-\d+$/.test((await chips()).join()));
		await clear();
		await runCommand(page, 'Errand: Add Open Editors to Chat');
		await has('price.ts');
		await clear();
	});

	it('takes files and folders from the explorer, a tab that is dropped with Shift, and what is pasted', async () => {
		await inExplorer('package.json', 'Add File to Errand Chat');
		frame = await openChat(page);
		await has('package.json');
		await inExplorer('src', 'Add Folder to Errand Chat');
		frame = await openChat(page);
		await has('package.json', 'src/ · 3 files');
		await clear();
		await page.locator('.tab.active').hover();
		await page.mouse.down();
		await page.mouse.move(700, 400, { steps: 5 });
		// Only then the editor lets the drag through to a webview.
		await page.keyboard.down('Shift');
		await until('the page takes it', async () => {
			await page.mouse.move(190, 300, { steps: 5 });
			await page.mouse.move(200, 310);
			return (await frame.getByText('Drop to add to the chat').count()) > 0;
		});
		await screenshot(page, 'context-drag');
		await page.mouse.up();
		await page.keyboard.up('Shift');
		await has('price.ts');
		await clear();
		await lines().click();
		await page.keyboard.press('ControlOrMeta+A');
		await page.keyboard.press('ControlOrMeta+C');
		await composer().click();
		await page.keyboard.press('ControlOrMeta+V');
		await until('what was copied is a chip', async () => /^price\.ts:1-\d+$/.test((await chips()).join()));
		assert.equal(await composer().inputValue(), '');
		await clear();
	});

	it('asks before it takes what looks like a secret', async () => {
		await runCommand(page, 'Errand: Add File to Errand Chat');
		await page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: '.env' }).first().click();
		await page.keyboard.press('Enter');
		const question = dialog(page, 'Add “.env” to the chat?');
		await question.getByText('Files of this name usually hold secrets.').waitFor();
		await screenshot(page, 'context-secret');
		await question.getByRole('button', { name: 'Cancel' }).click();
		await has();
	});

	it('goes where the status bar says', async () => {
		const item = page.locator('.statusbar-item[id$="errand.connection"]');
		assert.equal(await item.getAttribute('aria-label'), 'Errand: Messages go to small on Local.');
		await changeSettings(page, server, { 'errand.connection': 'nowhere' });
		await until('it says what is wrong', async () =>
			((await item.getAttribute('aria-label')) ?? '').includes('There is no connection named “nowhere”'),
		);
		await screenshot(page, 'status-problem');
		await item.click();
		await pickItem(page, 'Local');
		await until('it is well again', async () => (await item.innerText()).trim() === 'Local · small');
	});
});
