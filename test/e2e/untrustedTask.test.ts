import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor } from '../support/editor.ts';
import { runCommand, toast } from '../support/editorWindow.ts';
import { openChat, writePrompt } from '../support/errandWindow.ts';

describe('a task in the window of a folder that is not trusted', function () {
	this.timeout(180_000);
	let server: EditorServer;
	let page: Page;

	before(async () => {
		server = await startEditor({
			settings: {
				'security.workspace.trust.enabled': true,
				'security.workspace.trust.startupPrompt': 'never',
			},
		});
		({ page } = await openWindow(server));
		await openChat(page);
	});

	after(() => server?.stop());

	it('is not started on the local connection, whose agents would run here, and the prompt is kept', async () => {
		const reason = toast(page, 'This workspace is not trusted, so its repository is not read.');
		const editor = await writePrompt(page, 'Do it');
		await reason.first().waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await reason.first().waitFor({ state: 'detached' });
		await editor.click();
		await page.keyboard.press('ControlOrMeta+Enter');
		await reason.first().waitFor();
		assert.equal(await page.locator('.quick-input-widget:visible .monaco-list-row').count(), 0);
		assert.equal(await editor.count(), 1);
	});
});
