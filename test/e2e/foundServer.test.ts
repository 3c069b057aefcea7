import assert from 'node:assert/strict';
import os from 'node:os';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import { dismissInput, quickRow, screenshot, toast, until } from '../support/editorWindow.ts';
import { ask, composerHasCursor, lastTurnText, openChat, replyEnds, runInChat } from '../support/errandWindow.ts';
import { canBeAnotherUser, ForeignServer } from '../support/foreignServer.ts';

const MODEL = 'found-model';
const QUESTION = 'Ollama was found on this machine';

describe('a model server that was found, in the window', function () {
	this.timeout(180_000);
	let ollama: ForeignServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		ollama = await ForeignServer.start({ model: MODEL });
		server = await startEditor({ env: { OLLAMA_HOST: `127.0.0.1:${ollama.port}` } });
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});
	after(async () => {
		await server?.stop();
		await ollama?.stop();
	});

	/** The list uses elements again that hold hidden words of earlier rows, so the shown words are read. */
	const shownRows = () => page.locator('.quick-input-widget:visible').innerText();

	/** Opens the list of models, and waits until it holds this. */
	async function openModels(text: string): Promise<void> {
		await until(`the list of models holds ${text}`, async () => {
			await frame.getByRole('button', { name: /^Select Model/ }).click();
			await quickRow(page, 'Through a Provider').first().waitFor();
			const isThere = (await quickRow(page, text).count()) > 0;
			if (!isThere) {
				await dismissInput(page);
			}
			return isThere;
		});
	}

	const answer = (name: string) => toast(page, QUESTION).getByRole('button', { name, exact: true }).click();

	it('is asked about once, by its name, address and user, while the keyboard stays where it is', async () => {
		// The question lies over the composer, as notifications do, so that no pointer reaches it.
		await frame.locator('chat-composer textarea').focus();
		const question = toast(page, QUESTION);
		await question.waitFor();
		const text = await question.innerText();
		assert.match(text, new RegExp(`at 127\\.0\\.0\\.1:${ollama.port}\\.`));
		assert.match(
			text,
			process.platform === 'linux'
				? new RegExp(`It runs as you, ${os.userInfo().username}\\.`)
				: /The system does not tell which user it runs as/,
		);
		await composerHasCursor(frame);
		await page.keyboard.insertText('goes on');
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), 'goes on');
		await screenshot(page, 'found-server-question');
		assert.deepEqual(ollama.chats, []);
	});

	it('is not used after a no, and the list of models says so and asks again', async () => {
		await answer('Don’t Use');
		await toast(page, QUESTION).waitFor({ state: 'hidden' });
		await openModels('Not used, as you chose');
		assert.doesNotMatch(await shownRows(), new RegExp(MODEL));
		await quickRow(page, 'Not used, as you chose').scrollIntoViewIfNeeded();
		await screenshot(page, 'found-server-unused');
		await quickRow(page, 'Not used, as you chose').click();
		await toast(page, QUESTION).waitFor();
		assert.deepEqual(ollama.chats, []);
	});

	it('is used after a yes, and not asked about by the next window', async () => {
		await answer('Use');
		await openModels(MODEL);
		assert.doesNotMatch(await shownRows(), /Not used/);
		await quickRow(page, MODEL).first().click();
		await ask(frame, 'Hello');
		assert.match(await replyEnds(frame), /from elsewhere/);
		await reloadWindow(page);
		frame = await openChat(page);
		await openModels(MODEL);
		await dismissInput(page);
		assert.equal(await toast(page, QUESTION).count(), 0);
	});

	it('is not used where another user listens at its address, and is asked about with that name', async function () {
		if (!canBeAnotherUser) {
			// Only the administrator of a Linux system can start one.
			this.skip();
		}
		const { port } = ollama;
		await ollama.stop();
		ollama = await ForeignServer.start({ user: 12_345, port, model: MODEL });
		await ask(frame, 'Still you?');
		await until('the chat says why', async () =>
			/another user than the one who was agreed to/.test(await lastTurnText(frame)),
		);
		assert.deepEqual(ollama.chats, []);
		await runInChat(page, frame, 'Errand: New Conversation');
		await openModels('Not used until you agree');
		await dismissInput(page);
		const question = toast(page, QUESTION);
		await question.waitFor();
		assert.match(
			await question.innerText(),
			/It runs as uid 12345, another user of this machine, who can read what it gets\./,
		);
		await screenshot(page, 'found-server-of-another-user');
		assert.deepEqual(ollama.chats, []);
	});
});
