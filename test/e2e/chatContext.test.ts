import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { dialog, runCommand, screenshot, until } from '../support/editorWindow.ts';
import { ask, openChat, replyEnds, turns } from '../support/errandWindow.ts';

describe('context in the window', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		server = await startEditor();
		writeFileSync(path.join(server.folder, '.env'), 'API_KEY=9f8a7b6c5d4e3f2a1b0c\n');
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});

	after(() => server?.stop());

	const chips = () => frame.locator('chat-composer chat-chips .label').allInnerTexts();
	const has = (...labels: string[]) =>
		until(`the chips are ${labels.join(', ')}`, async () => (await chips()).join() === labels.join());

	it('is added with #, removed by keyboard, and goes with the message', async () => {
		const composer = frame.locator('chat-composer textarea');
		await composer.click();
		await composer.pressSequentially('What is this? #price.t');
		await frame.getByRole('option').filter({ hasText: 'price.ts' }).first().waitFor();
		await composer.press('Enter');
		await until('the file is a chip', async () => (await chips()).length === 1);
		await runCommand(page, 'Errand: Add Uncommitted Changes to Chat');
		await has('price.ts', '1 changed file');
		await screenshot(page, 'context-chips');
		await frame.getByRole('button', { name: 'Remove 1 changed file' }).click();
		await has('price.ts');
		await ask(frame, 'What does it cost?');
		await replyEnds(frame);
		await has();
		assert.deepEqual(await turns(frame).last().locator('chat-chips .label').allInnerTexts(), ['price.ts']);
		await turns(frame).last().locator('chat-chips .open').click();
		await page.locator('.tab.active').filter({ hasText: 'price.ts' }).waitFor();
		await screenshot(page, 'context-sent');
	});

	it('takes the selection and the open editors by command', async () => {
		await page.locator('.monaco-editor .view-lines').first().click();
		await page.keyboard.press('ControlOrMeta+A');
		await runCommand(page, 'Errand: Ask About Selection');
		await until('the selection is a chip', async () => /^price\.ts:1-\d+$/.test((await chips()).join()));
		await frame.getByRole('button', { name: /^Remove price/ }).click();
		await has();
		await runCommand(page, 'Errand: Add Open Editors to Chat');
		await has('price.ts');
		await frame.getByRole('button', { name: /^Remove price/ }).click();
		await has();
	});

	it('asks before it takes what looks like a secret', async () => {
		await runCommand(page, 'Errand: Add File to Chat');
		await page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: '.env' }).first().click();
		await page.keyboard.press('Enter');
		const question = dialog(page, 'Add “.env” to the chat?');
		await question.getByText('Files of this name usually hold secrets.').waitFor();
		await screenshot(page, 'context-secret');
		await question.getByRole('button', { name: 'Cancel' }).click();
		await has();
	});
});
