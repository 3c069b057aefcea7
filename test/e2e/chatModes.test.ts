import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor, workbenchStands } from '../support/editor.ts';
import { answerInput, pickItem, runCommand, screenshot, toast, until, useTheme } from '../support/editorWindow.ts';
import { ask, openChat, replyEnds, turns } from '../support/errandWindow.ts';

describe('Search and pictures in the window', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		server = await startEditor();
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});

	after(() => server?.stop());

	const mark = (number: number) => turns(frame).last().locator(`.citation[data-source="${number}"]`).first();
	const picture = () => turns(frame).last().locator('chat-picture img');
	const isShown = () => picture().evaluate(image => (image as HTMLImageElement).naturalWidth === 256);
	const choice = () => frame.getByRole('button', { name: /^Choose What Messages Ask For/ });

	/** Once the editor's dialog has its own proposal, which would take the place of what was typed before. */
	const saveAs = async (file: string) => {
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await until('a name is proposed', async () => (await input.inputValue()).endsWith('a-fox-in-the-snow.png'));
		await answerInput(page, file);
	};

	it('answers /search with marks, a card for each, and the list of the sources', async () => {
		await ask(frame, '/search who wrote it?');
		assert.match(await replyEnds(frame), /who wrote it\?/);
		await mark(2).hover();
		await frame.getByText('An excerpt that was made up for the second example.').waitFor();
		await screenshot(page, 'window-search-card');
		assert.equal(await turns(frame).last().locator('.sources li').count(), 3);
		// The card stays while the pointer is on it, and may lie over the list.
		await frame.locator('chat-composer textarea').hover();
		await frame.locator('.citation-card').waitFor({ state: 'hidden' });
		await turns(frame).last().locator('.sources a').first().click();
		// The editor itself asks before it opens anything.
		await page.getByText('https://example.com/source-1').filter({ visible: true }).first().waitFor();
		await page.keyboard.press('Escape');
	});

	it('makes a picture with the mode of the conversation, and keeps it over a reload', async () => {
		await choice().click();
		await pickItem(page, 'Image');
		await until('the mode is shown', async () => (await choice().innerText()).includes('Image'));
		await ask(frame, 'a fox in the snow');
		await picture().waitFor();
		await until('the picture is shown', isShown);
		assert.equal(await picture().getAttribute('alt'), 'a fox in the snow');
		await screenshot(page, 'window-picture');
		await page.reload();
		await workbenchStands(page);
		frame = await openChat(page);
		await until('the picture is shown again', async () => (await picture().count()) === 1 && (await isShown()));
		assert.match(await choice().innerText(), /Image/);
	});

	it('saves a picture into the workspace, and inserts it at the cursor of a file', async () => {
		const file = path.join(server.folder, 'fox.png');
		await turns(frame).last().hover();
		await turns(frame).last().getByRole('button', { name: 'Save Picture…' }).click();
		await saveAs(file);
		await toast(page, 'The picture was saved').waitFor();
		assert.equal(fs.readFileSync(file).subarray(1, 4).toString(), 'PNG');
		await runCommand(page, 'File: New Untitled Text File');
		await frame.locator('chat-composer textarea').focus();
		await turns(frame).last().hover();
		await turns(frame).last().getByRole('button', { name: 'Insert as Markdown…' }).click();
		await saveAs(path.join(server.folder, 'second.png'));
		await page.locator('.monaco-editor .view-lines').getByText('![a fox in the snow](second.png)').waitFor();
		assert.ok(fs.existsSync(path.join(server.folder, 'second.png')));
	});

	it('looks right in light and in high contrast', async () => {
		for (const theme of ['light', 'high-contrast'] as const) {
			await useTheme(page, theme);
			await turns(frame).last().hover();
			await screenshot(page, `window-picture-${theme}`);
		}
	});
});
