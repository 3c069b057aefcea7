import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, startEditor, workbenchStands } from '../support/editor.ts';
import { pickItem, screenshot, until } from '../support/editorWindow.ts';
import { ask, openChat, replyEnds, sendMessage, turns } from '../support/errandWindow.ts';

describe('Encrypted conversations in the window', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		// Each session of the local service takes one message, and each attestation has a key of its own.
		server = await startEditor({ env: { ERRAND_CHANNEL_TEST: '{"messagesPerSession":1,"rotatesKey":true}' } });
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});

	after(() => server?.stop());

	const words = () => frame.locator('button.encryption .words');
	const says = (text: RegExp) => until(`the heading says ${text}`, async () => text.test(await words().innerText()));

	it('begins from an empty conversation, says what the service on this machine is, and goes on when a session expires', async () => {
		await frame.getByRole('button', { name: 'New Encrypted Conversation' }).click();
		await pickItem(page, 'Shared address');
		await pickItem(page, 'Keep the Conversation');
		await says(/^Local: encrypted, no hardware$/);
		await ask(frame, 'Tell of the lighthouse.');
		await replyEnds(frame);
		await ask(frame, 'And once more.');
		await replyEnds(frame);
		await says(/^Local: encrypted, no hardware$/);
		assert.equal(await turns(frame).count(), 2);
		await screenshot(page, 'encrypted-local');
	});

	it('is the same after a reload, and connects with its next message', async () => {
		await page.reload();
		await workbenchStands(page);
		frame = await openChat(page);
		await says(/^Encrypted, connects with the next message$/);
		await ask(frame, 'Still encrypted?');
		await replyEnds(frame);
		await says(/^Local: encrypted, no hardware$/);
	});

	it('takes no search, and says why', async () => {
		await sendMessage(frame, '/search lighthouses');
		await frame.getByText('Search and pictures have no encrypted way.').first().waitFor();
		await frame.locator('chat-composer textarea').fill('');
	});
});
