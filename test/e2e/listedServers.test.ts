import assert from 'node:assert/strict';
import os from 'node:os';
import type { Frame, Locator, Page } from 'playwright-core';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	dismissInput,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, composerHasCursor, lastTurnText, openChat, replyEnds, runInChat } from '../support/errandWindow.ts';
import { canBeAnotherUser, ForeignServer } from '../support/foreignServer.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const MODEL = 'found-model';
const QUESTION = 'Ollama was found on this machine';

describe('the model servers of a machine, in the window', () => {
	let ollama: ForeignServer;
	let locked: UpstreamServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		ollama = await ForeignServer.start({ model: MODEL });
		locked = await UpstreamServer.start({ listStatus: 401 });
		const gone = await UpstreamServer.start();
		const { url } = gone;
		await gone.stop();
		server = await startEditor({
			settings: {
				'errand.local.upstreams': { locked: { url: locked.url }, gone: { url, label: 'The old one' } },
			},
			env: { OLLAMA_HOST: `127.0.0.1:${ollama.port}` },
		});
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});
	after(async () => {
		await server?.stop();
		await Promise.all([ollama?.stop(), locked?.stop()]);
	});

	const list = () => page.locator('.quick-input-widget:visible');
	const row = (text: string): Locator => list().locator('.monaco-list-row').filter({ hasText: text });
	/** The list uses elements again that hold hidden words of earlier rows, so the shown words are read. */
	const shownRows = () => list().innerText();

	/** Opens the list of models, and waits until it holds this. */
	async function openModels(text: string): Promise<void> {
		await until(`the list of models holds ${text}`, async () => {
			// A question may lie over the button, so that no pointer reaches it. A list that has just closed gives the focus
			// back late, and the key would be lost meanwhile.
			await frame.getByRole('button', { name: /^Select Model/ }).press('Enter');
			const all = frame.getByRole('option', { name: 'All Models and Options…' });
			// Where only the demo answers, the button opens the list itself. A key would take the row that is selected.
			await ((await appears(all, 1_000)) && all.dispatchEvent('click'));
			const isOpen = await appears(row('Through a Provider').first(), 3_000);
			const isThere = isOpen && (await row(text).count()) > 0;
			if (!isThere) {
				await dismissInput(page);
			}
			return isThere;
		});
	}

	describe('one that was found', () => {
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
			await row('Not used, as you chose').scrollIntoViewIfNeeded();
			await screenshot(page, 'found-server-unused');
			await row('Not used, as you chose').click();
			await toast(page, QUESTION).waitFor();
			assert.deepEqual(ollama.chats, []);
		});

		it('is used after a yes, and not asked about by the next window', async () => {
			await answer('Use');
			await openModels(MODEL);
			assert.doesNotMatch(await shownRows(), /Not used/);
			await row(MODEL).first().click();
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
				// Only the administrator of a Linux system can start a server as another user.
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

	describe('those that do not list their models', () => {
		before(() => runCommand(page, 'Notifications: Clear All Notifications'));

		it('stand in the list of models with what is wrong with each', async () => {
			await openModels('The old one…');
			assert.match(
				await row('The old one…').innerText(),
				/Nothing answers at 127\.0\.0\.1:\d+: the connection was refused\./,
			);
			assert.match(
				await row('locked…').innerText(),
				/127\.0\.0\.1:\d+ wants a key \(HTTP 401\)\. Enter one to go on\./,
			);
			await screenshotInThemes(page, 'failing-servers', async () => {
				await openModels('The old one…');
				await row('The old one…').scrollIntoViewIfNeeded();
			});
			await dismissInput(page);
		});

		it('lead to where each is put right, which says the same', async () => {
			await openModels('locked…');
			await page.keyboard.type('wants a key');
			await page.keyboard.press('Enter');
			await until('its list is there', async () => /Enter the Key…/.test(await shownRows()));
			assert.match(await shownRows(), /wants a key/);
			await screenshot(page, 'failing-servers-list');
			await dismissInput(page);
		});
	});
});
