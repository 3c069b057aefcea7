import fs from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import { screenshot, toast } from '../support/editorWindow.ts';
import { ask, openChat, turns } from '../support/errandWindow.ts';

/** A part of the extension that loads when it is first needed, such as an update or a virus scanner takes away. */
const PART = /^replyTools-\w+\.js$/;
const FAULT = 'Errand ran into a fault of its own';

describe('an extension of which a part is missing', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let window: EditorWindow;
	let chat: Frame;

	before(async () => {
		server = await startEditor();
		const extensions = path.join(server.dataFolder, 'extensions');
		for (const file of fs.globSync('*/dist/chunks/*.js', { cwd: extensions })) {
			if (PART.test(path.basename(file))) {
				fs.rmSync(path.join(extensions, file));
			}
		}
		window = await openWindow(server);
		chat = await openChat(window.page);
		await ask(chat, '/demo markdown');
		await turns(chat).last().getByRole('button', { name: 'Copy Reply' }).waitFor({ state: 'attached' });
	});

	after(() => server?.stop());

	it('says at the image that is to be loaded why it is not, and lets it be asked for again', async () => {
		const image = turns(chat)
			.last()
			.getByRole('link', { name: /^Image: / });
		const told = chat.locator(`a.image[data-state^="${FAULT}"]:not([aria-busy])`);
		await image.click();
		await told.waitFor();
		await screenshot(window.page, 'fault-image');
		await image.click();
		await told.waitFor();
	});

	it('says in a notification why code was not opened', async () => {
		const block = turns(chat).last().locator('.code').first();
		await block.hover();
		await block.getByRole('button', { name: 'New File' }).click();
		await toast(window.page, FAULT).getByRole('button', { name: 'Show Log' }).waitFor();
		await screenshot(window.page, 'fault-code');
	});
});
