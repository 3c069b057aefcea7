import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { reloadWindow } from '../support/editor.ts';
import { answerInput, dismissInput, quickRow, runCommand, until } from '../support/editorWindow.ts';
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
	untilCursorIsPut,
} from '../support/errandWindow.ts';
import { type UpstreamBehaviour, UpstreamServer } from '../support/upstreamServer.ts';
import { useWindow } from '../support/useWindow.ts';

const SHORT: UpstreamBehaviour = { pieces: ['The sample has a file', ' for each of them.'] };

/** Takes five minutes, so that it is still coming when a window that stands still for a while goes on. */
const LONG: UpstreamBehaviour = {
	pauseMs: 100,
	pieces: Array.from({ length: 3_000 }, (_, index) => `word${index} `),
};

describe('the conversations of the window', () => {
	let upstream: UpstreamServer;
	let page: Page;

	const window = useWindow(async () => {
		upstream = await UpstreamServer.start(SHORT);
		return {
			settings: {
				'errand.chat.model': 'small',
				'errand.local.upstreams': { ollama: false, tested: { url: upstream.url } },
			},
		};
	});

	before(() => {
		({ page } = window());
	});

	after(() => upstream?.stop());

	const fileOf = (words: string) =>
		conversationFiles(window().server).find(file => readFileSync(file, 'utf8').includes(words));
	const questions = (frame: Frame) => turns(frame).locator('.question').allInnerTexts();
	const listed = async () => {
		await runCommand(page, 'Errand: Open Conversation…');
		await quickRow(page, 'message').first().waitFor();
	};
	/** Both end with the cursor in the composer; what is typed before that would not go where it is meant. */
	async function open(title: string): Promise<void> {
		await untilCursorIsPut(await openChat(page), async () => {
			await listed();
			await quickRow(page, title).first().click();
		});
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

	it('begin anew from the view’s title or by a key of the composer, and the list brings the old one back', async () => {
		const frame = await openChat(page);
		await ask(frame, 'How do prices work here?');
		const reply = await replyEnds(frame);
		await page.locator('.part.auxiliarybar').getByRole('button', { name: 'New Conversation' }).first().click();
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		await composerHasCursor(frame);
		await ask(frame, 'And what do taxes do?');
		await replyEnds(frame);
		await listed();
		assert.match(await quickRow(page, 'And what do taxes do?').first().innerText(), /1 message/);
		await dismissInput(page);
		await open('How do prices work here?');
		await until('the old one is back', async () => (await questions(frame))[0] === 'How do prices work here?');
		await until('its reply is back', async () => (await replyText(frame)) === reply);
		await page.keyboard.press('ControlOrMeta+Slash');
		await page.locator('.quick-input-widget:visible').getByText('Add Context').first().waitFor();
		await page.keyboard.press('Escape');
		await composerHasCursor(frame);
		await page.keyboard.press('ControlOrMeta+N');
		await until('the conversation is empty', async () => (await turns(frame).count()) === 0);
		await composerHasCursor(frame);
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

	it('are as they were after a reload: the shown one with its reply, which was cut off and goes on, and what was typed just before', async () => {
		let frame = await openChat(page);
		const composer = () => frame.locator('chat-composer textarea');
		const chip = () => frame.locator('chat-composer chat-chips .label');
		await startNew(frame);
		await ask(frame, 'Hello');
		await replyEnds(frame);
		upstream.behaviour = LONG;
		await ask(frame, 'Take your time again');
		await composer().pressSequentially('#stock.t');
		// The list of an earlier letter may have it too, below something else.
		await frame.getByRole('option', { selected: true }).filter({ hasText: 'stock.ts' }).waitFor();
		await composer().press('Enter');
		await chip().getByText('stock.ts').waitFor();
		await until('some of the reply is there', async () => (await replyText(frame)).length > 150);
		await composerHasCursor(frame);
		const shown = await replyText(frame);
		assert.ok(await isStreaming(frame));
		await page.keyboard.type('Typed and not sent');
		// The window reloads at once, before the editor or the host can have written it down.
		await reloadWindow(page);
		frame = await openChat(page);
		await until('what was typed is back', async () => (await composer().inputValue()) === 'Typed and not sent');
		await chip().getByText('stock.ts').waitFor();
		await composer().fill('');
		await until('both turns are back', async () => (await turns(frame).count()) === 2);
		await until('it is back', async () => /was interrupted/.test(await lastTurnText(frame)));
		// All that was shown, also what came after the last save of the second, and what came while the window was closing.
		const before = await replyEnds(frame);
		assert.ok(before.startsWith(shown));
		assert.equal(await isStreaming(frame), false);
		upstream.behaviour = SHORT;
		await frame.getByRole('button', { name: 'Continue', exact: true }).click();
		await until('it goes on', async () => (await replyText(frame)).length > before.length + 10);
		await until('it ends', async () => !(await isStreaming(frame)));
		assert.ok((await replyText(frame)).startsWith(before.trimEnd()));
		assert.match(await lastTurnText(frame), /Continued after it ended early/);
		assert.equal(await turns(frame).count(), 2);
	});
});
