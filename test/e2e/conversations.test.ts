import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	dismissInput,
	openUntitledFile,
	pickItem,
	quickRow,
	resizeChat,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	composerHasCursor,
	conversationFiles,
	isStreaming,
	lastTurnText,
	openChat,
	replyEnds,
	replyText,
	turns,
} from '../support/errandWindow.ts';
import { type UpstreamBehaviour, UpstreamServer } from '../support/upstreamServer.ts';

const SHORT: UpstreamBehaviour = { pieces: ['The sample has a file', ' for each of them.'] };

/** Takes five minutes, so that it is still coming when a window that stands still for a while goes on. */
const LONG: UpstreamBehaviour = {
	pauseMs: 100,
	pieces: Array.from({ length: 3_000 }, (_, index) => `word${index} `),
};

describe('the conversations of the window', () => {
	let upstream: UpstreamServer;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;

	before(async () => {
		upstream = await UpstreamServer.start(SHORT);
		server = await startEditor({
			settings: {
				'errand.chat.model': 'small',
				'errand.local.upstreams': { ollama: false, tested: { url: upstream.url } },
			},
		});
		window = await openWindow(server);
		page = window.page;
	});

	after(async () => {
		await server?.stop();
		await upstream?.stop();
	});

	const files = () => readdirSync(path.dirname(conversationFiles(server)[0] ?? ''));
	const fileOf = (words: string) => conversationFiles(server).find(file => readFileSync(file, 'utf8').includes(words));
	const questions = (frame: Frame) => turns(frame).locator('.question').allInnerTexts();
	const listed = async () => {
		await runCommand(page, 'Errand: Open Conversation…');
		await quickRow(page, 'message').first().waitFor();
	};
	/** Both end with the cursor in the composer; what is typed before that would not go where it is meant. */
	async function open(title: string): Promise<void> {
		const frame = await openChat(page);
		await listed();
		await quickRow(page, title).first().click();
		await composerHasCursor(frame);
	}
	async function startNew(frame: Frame): Promise<void> {
		await runCommand(page, 'Errand: New Conversation');
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		await composerHasCursor(frame);
	}
	async function rowButton(title: string, label: string): Promise<void> {
		await quickRow(page, title).first().hover();
		await quickRow(page, title).first().getByRole('button', { name: label }).click();
	}
	const hasFocus = (frame: Frame, selector: string) =>
		frame.locator(selector).evaluate(element => (element.getRootNode() as ShadowRoot).activeElement === element);

	it('begin anew from the view’s title, and the list brings the old one back', async () => {
		const frame = await openChat(page);
		await ask(frame, 'How do prices work here?');
		const reply = await replyEnds(frame);
		await page.locator('.part.auxiliarybar').getByRole('button', { name: 'New Conversation' }).first().click();
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		await composerHasCursor(frame);
		await ask(frame, 'And what do taxes do?');
		await replyEnds(frame);
		await listed();
		await screenshot(page, 'conversations-list');
		assert.match(await quickRow(page, 'And what do taxes do?').first().innerText(), /1 message/);
		await dismissInput(page);
		await open('How do prices work here?');
		await until('the old one is back', async () => (await questions(frame))[0] === 'How do prices work here?');
		await until('its reply is back', async () => (await replyText(frame)) === reply);
	});

	it('begin anew with a key from the composer, where another one offers context', async () => {
		const frame = await openChat(page);
		await frame.locator('chat-composer textarea').focus();
		await page.keyboard.press('ControlOrMeta+Slash');
		await page.locator('.quick-input-widget:visible').getByText('Add Context').first().waitFor();
		await page.keyboard.press('Escape');
		await composerHasCursor(frame);
		await page.keyboard.press('ControlOrMeta+N');
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		await composerHasCursor(frame);
	});

	it('are found by the text of their first messages', async () => {
		await listed();
		await page.locator('.quick-input-widget:visible .quick-input-box input').fill('taxes');
		await until('one is left', async () => (await quickRow(page, 'message').count()) === 1);
		await dismissInput(page);
	});

	it('go on in the background while another is shown, and stop where they are told to', async () => {
		const frame = await openChat(page);
		await startNew(frame);
		upstream.behaviour = LONG;
		await ask(frame, 'Take your time');
		await until('some of the reply is there', async () => (await replyText(frame)).length > 20);
		const before = await replyText(frame);
		await open('How do prices work here?');
		await until('the other is shown', async () => (await questions(frame))[0] === 'How do prices work here?');
		assert.equal(await isStreaming(frame), false);
		await listed();
		assert.match(await quickRow(page, 'Take your time').first().innerText(), /replying/);
		await quickRow(page, 'Take your time').first().click();
		await composerHasCursor(frame);
		await until(
			'it is live',
			async () => (await questions(frame))[0] === 'Take your time' && (await isStreaming(frame)),
		);
		await until('it went on', async () => (await replyText(frame)).length > before.length);
		await frame.getByRole('button', { name: 'Stop' }).click();
		await until('it has ended', async () => !(await isStreaming(frame)));
		await until('it says so', async () => /Stopped/.test(await lastTurnText(frame)));
		upstream.behaviour = SHORT;
	});

	it('are renamed from the list, which comes back with the new title and what was typed', async () => {
		await listed();
		const search = page.locator('.quick-input-widget:visible .quick-input-box input').first();
		await page.keyboard.type('taxes');
		await until('it searches', async () => (await search.inputValue()) === 'taxes');
		await rowButton('And what do taxes do?', 'Rename…');
		await page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: 'Rename' }).waitFor();
		await answerInput(page, 'Taxes');
		await quickRow(page, 'Taxes').first().waitFor();
		await until('the search is back', async () => (await search.inputValue()) === 'taxes');
		// It is typed on, and not over what is there.
		await page.keyboard.type('s');
		await until('a letter is added', async () => (await search.inputValue()) !== 'taxes');
		assert.equal(await search.inputValue(), 'taxess');
		await dismissInput(page);
		assert.match(readFileSync(fileOf('And what do taxes do?') ?? '', 'utf8'), /"title":"Taxes"/);
	});

	it('are not listed again if the user has gone to an editor instead of renaming one', async () => {
		const editor = await openUntitledFile(page);
		await page.keyboard.insertText('several words');
		await page.keyboard.press('Home');
		await listed();
		await rowButton('Taxes', 'Rename…');
		const input = page.locator('.quick-input-widget:visible');
		await input.locator('.quick-input-title').filter({ hasText: 'Rename' }).waitFor();
		await editor.click({ position: { x: 200, y: 300 } });
		// Nothing shows that a list will not come, so far more keys are sent than a list would need to appear.
		for (let count = 0; count < 20; count++) {
			await page.keyboard.type('a', { delay: 50 });
		}
		await until('all went to the editor', async () => /a{20}/.test(await editor.locator('.view-lines').innerText()));
		await runCommand(page, 'View: Revert and Close Editor');
	});

	it('are deleted at once, and come back with Undo', async () => {
		const frame = await openChat(page);
		await open('Taxes');
		await until('it is shown', async () => (await questions(frame))[0] === 'And what do taxes do?');
		await listed();
		await rowButton('Taxes', 'Delete');
		await until('it is gone', async () => (await turns(frame).count()) === 0);
		const offer = toast(page, '“Taxes” was deleted.');
		await offer.waitFor();
		await screenshot(page, 'conversations-deleted');
		assert.equal(fileOf('And what do taxes do?'), undefined);
		await offer.getByRole('button', { name: 'Undo' }).click();
		await until('it is back', async () => (await questions(frame))[0] === 'And what do taxes do?');
		assert.ok(fileOf('And what do taxes do?'));
	});

	it('are written to Markdown and to JSON', async () => {
		for (const [form, name] of [
			['Markdown', 'taxes.md'],
			['JSON', 'taxes.json'],
		] as const) {
			await runCommand(page, 'Errand: Export Conversation…');
			await pickItem(page, form);
			// The dialog writes its proposal into the box when it has looked at the folder, over what stands there.
			const box = page.locator('.quick-input-widget:visible .quick-input-box input');
			await until('a place is proposed', async () => (await box.inputValue()).endsWith(`/${name}`));
			await answerInput(page, path.join(server.folder, name));
			const text = () => readFileSync(path.join(server.folder, name), 'utf8');
			await toast(page, name).first().waitFor();
			if (form === 'JSON') {
				const { format, version, conversation } = JSON.parse(text());
				assert.deepEqual([format, version, conversation.title], ['errand.conversation', 3, 'Taxes']);
				assert.equal(conversation.turns[0].question, 'And what do taxes do?');
			} else {
				assert.match(text(), /^# Taxes\n/);
				assert.match(text(), /^## You \(.+\)\n\nAnd what do taxes do\?\n\n## .*small.* \(.+\)\n/m);
			}
		}
	});

	it('keep both versions of a message that is changed and sent again, by keyboard alone', async () => {
		const frame = await openChat(page);
		await ask(frame, 'And duties?');
		await replyEnds(frame);
		const edit = turns(frame).first().getByRole('button', { name: 'Edit and Send Again' });
		await edit.focus();
		await page.keyboard.press('Enter');
		await until('the message can be changed', () => hasFocus(frame, 'chat-turn .editor textarea'));
		await screenshot(page, 'conversations-edit');
		await page.keyboard.press('Escape');
		await until('the focus is back', () => edit.evaluate(element => element.matches(':focus')));
		await page.keyboard.press('Enter');
		await until('the message can be changed', () => hasFocus(frame, 'chat-turn .editor textarea'));
		await page.keyboard.press('Shift+Home');
		await page.keyboard.type('And what do fees do?');
		await page.keyboard.press('Enter');
		await until('the new version is shown', async () => (await questions(frame)).join() === 'And what do fees do?');
		await replyEnds(frame);
		await frame.getByText('2 of 2', { exact: true }).waitFor();
		await frame.getByRole('button', { name: 'Previous Version' }).focus();
		await page.keyboard.press('Enter');
		await until('the old one is back, with what followed it', async () => {
			return (await questions(frame)).join() === 'And what do taxes do?,And duties?';
		});
		await frame.getByText('1 of 2', { exact: true }).waitFor();
		await until('the focus is on the way back', () =>
			frame.getByRole('button', { name: 'Next Version' }).evaluate(element => element.matches(':focus')),
		);
		await screenshot(page, 'conversations-versions');
	});

	it('show the same one and the same version after a reload, and keep what was typed just before it', async () => {
		let frame = await openChat(page);
		await frame.locator('chat-composer textarea').focus();
		await composerHasCursor(frame);
		await page.keyboard.type('Typed and not sent');
		// The window reloads at once, before the editor or the host can have written it down.
		await reloadWindow(page);
		frame = await openChat(page);
		await until('it is back', async () => {
			// A reload may bring back what the page had kept a moment before: then the message is still being changed.
			const cancel = frame.getByRole('button', { name: 'Cancel' });
			if ((await cancel.count()) > 0) {
				await cancel.click();
			}
			return (await questions(frame)).join() === 'And what do taxes do?,And duties?';
		});
		const composer = frame.locator('chat-composer textarea');
		await until('what was typed is back', async () => (await composer.inputValue()) === 'Typed and not sent');
		await composer.fill('');
	});

	it('keep a reply that a reload cuts off, mark it, and go on with it', async () => {
		let frame = await openChat(page);
		await startNew(frame);
		await ask(frame, 'Hello');
		await replyEnds(frame);
		upstream.behaviour = LONG;
		await ask(frame, 'Take your time again');
		await until('some of the reply is there', async () => (await replyText(frame)).length > 150);
		const shown = await replyText(frame);
		assert.ok(await isStreaming(frame));
		await reloadWindow(page);
		frame = await openChat(page);
		await until('both turns are back', async () => (await turns(frame).count()) === 2);
		await until('it is back', async () => /cut off/.test(await lastTurnText(frame)));
		// All that was shown, also what came after the last save of the second, and what came while the window was closing.
		const before = await replyEnds(frame);
		assert.ok(before.startsWith(shown));
		assert.equal(await isStreaming(frame), false);
		await screenshot(page, 'conversations-cut-off');
		upstream.behaviour = SHORT;
		await frame.getByRole('button', { name: 'Continue', exact: true }).click();
		await until('it goes on', async () => (await replyText(frame)).length > before.length + 10);
		await until('it ends', async () => !(await isStreaming(frame)));
		assert.ok((await replyText(frame)).startsWith(before.trimEnd()));
		assert.match(await lastTurnText(frame), /Continued after it ended early/);
		assert.equal(await turns(frame).count(), 2);
	});

	it('keep what can be read of a damaged file, and say so', async () => {
		const frame = await openChat(page);
		await open('Taxes');
		await until('it is shown', async () => (await questions(frame)).length === 2);
		await startNew(frame);
		const file = fileOf('And what do taxes do?') ?? '';
		truncateSync(file, readFileSync(file).length - 10);
		await open('Taxes');
		await frame.getByText(/A saved conversation was damaged\. 2 of 3 messages could be read/).waitFor();
		await until(
			'the rest is shown',
			async () => (await questions(frame)).join() === 'And what do taxes do?,And duties?',
		);
		assert.ok(files().some(name => name.startsWith(`${path.basename(file)}.damaged-`)));
		await screenshot(page, 'conversations-damaged');
	});

	it('tell of a reply that comes while another one is shown, lead to it, and are named by the model', async () => {
		await changeSettings(page, server, { 'errand.chat.titles': true });
		const frame = await openChat(page);
		await startNew(frame);
		const slow: UpstreamBehaviour = { pauseMs: 1_000, pieces: Array.from({ length: 5 }, (_, at) => `word${at} `) };
		upstream.behaviour = {
			atRequest: body => (JSON.stringify(body).includes('Write a title') ? { pieces: ['**Slow ', 'replies**'] } : slow),
		};
		await ask(frame, 'Answer slowly');
		await startNew(frame);
		const news = toast(page, '“Answer slowly” has its reply.');
		await news.waitFor();
		const badge = page.locator('.part.auxiliarybar .badge-content');
		await badge.getByText('1', { exact: true }).first().waitFor();
		await resizeChat(page, frame, 280);
		await screenshotInThemes(page, 'conversations-news');
		await listed();
		await quickRow(page, 'Slow replies').first().waitFor();
		await dismissInput(page);
		await news.getByRole('button', { name: 'Show', exact: true }).click();
		await until('it is shown', async () => (await questions(frame))[0] === 'Answer slowly');
		await until('nothing is left to see', async () => !(await badge.first().isVisible()));
		assert.equal(upstream.requests.filter(({ body }) => JSON.stringify(body).includes('Write a title')).length, 1);
		upstream.behaviour = SHORT;
	});

	it('fit into a side bar of 200 pixels', async () => {
		const frame = await openChat(page);
		await resizeChat(page, frame, 200);
		await turns(frame).first().getByRole('button', { name: 'Edit and Send Again' }).click();
		await until('the message can be changed', () => hasFocus(frame, 'chat-turn .editor textarea'));
		const { shown, needed } = await frame.evaluate(() => ({
			shown: document.documentElement.clientWidth,
			needed: document.documentElement.scrollWidth,
		}));
		await screenshotInThemes(page, 'conversations-narrow');
		assert.ok(needed <= shown, `it needs ${needed} of ${shown} pixels`);
	});
});
