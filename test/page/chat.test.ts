import assert from 'node:assert/strict';
import { waitFor } from '../support/waitFor.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { FACTS, KEY_ERROR, RICH, SCENES } from '../ui/scenes.ts';

describe('the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const textarea = () => chat.page.locator('chat-composer textarea');
	const log = () => chat.page.locator('.log');
	/** Whether the log is at its end in the next frame: until then, nobody has seen the view. */
	const atEnd = () =>
		log().evaluate(async element => {
			await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
			return element.scrollHeight - element.clientHeight - element.scrollTop <= 4;
		});

	it('speaks the language of the editor, and English where a text has no translation', async () => {
		await open({ bundle: { Send: 'Senden', '{0} on {1}': '{0} bei {1}' } });
		await chat.snapshot([]);
		await chat.page.getByText('demo-small bei Local').waitFor();
		await chat.page.getByRole('button', { name: 'Senden' }).waitFor();
		await chat.page.getByText('Ask about your code, or about anything else.').waitFor();
	});

	describe('scrolling', () => {
		const long = (text = RICH) => Array.from({ length: 10 }, () => turnView({ text }));

		it('stays at the end while the reader is there', async () => {
			await open({ height: 400 });
			const turn = turnView({ text: '', state: 'streaming' });
			await chat.snapshot([...long(), turn]);
			assert.equal(await atEnd(), true);
			for (let count = 0; count < 30; count++) {
				await chat.append(turn.id, 'More words in a paragraph of their own.\n\n');
				assert.equal(await atEnd(), true, `after ${count}`);
			}
		});

		it('stays at the end of a low view when the reply settles', async () => {
			await open({ height: 330, width: 290 });
			for (let round = 0; round < 5; round++) {
				const turn = turnView({ text: '', state: 'streaming' });
				await chat.snapshot([turn]);
				for (let start = 0; start < RICH.length; start += 40) {
					await chat.append(turn.id, RICH.slice(start, start + 40));
				}
				await chat.change({ ...turn, reply: { ...turn.reply, text: RICH, state: 'done', ...FACTS } });
				assert.equal(await atEnd(), true, `round ${round}`);
				assert.equal(await chat.page.getByRole('button', { name: 'Scroll to End' }).count(), 0);
			}
		});

		it('does not move a reader who has scrolled up, and takes them back on request', async () => {
			await open({ height: 400 });
			const turn = turnView({ text: '', state: 'streaming' });
			await chat.snapshot([...long(), turn]);
			await chat.wheel(-300);
			const back = chat.page.getByRole('button', { name: 'Scroll to End' });
			await back.waitFor();
			const top = await log().evaluate(element => element.scrollTop);
			for (let count = 0; count < 20; count++) {
				await chat.append(turn.id, 'More words in a paragraph of their own.\n\n');
			}
			await chat.change({ ...turn, reply: { ...turn.reply, text: 'Other words.\n\n'.repeat(20), state: 'done' } });
			assert.equal(await log().evaluate(element => element.scrollTop), top);
			await chat.screenshot('scrolled-up');
			await back.click();
			await waitFor('the end', atEnd);
			assert.equal(await back.count(), 0);
			await chat.change(turnView({ state: 'streaming' }));
			assert.equal(await atEnd(), true);
		});

		it('goes to the end when a message is sent', async () => {
			await open({ height: 400 });
			await chat.snapshot(long());
			await chat.wheel(-600);
			await chat.page.getByRole('button', { name: 'Scroll to End' }).waitFor();
			await textarea().fill('Next?');
			await textarea().press('Enter');
			const { turn } = await chat.waitForPosted('message-send');
			await chat.change(turnView({ state: 'streaming', text: '' }, { id: turn }));
			await chat.send({ kind: 'message-accept', turn });
			await waitFor('the end', atEnd);
		});

		it('is still where the reader was after the page is created again', async () => {
			await open({ height: 400 });
			const turns = long();
			await chat.snapshot(turns);
			await log().evaluate(element => {
				element.scrollTop = 1_000;
			});
			const state = await waitFor('the position to be kept', async () => {
				const saved = await chat.savedState();
				return saved?.reading && saved;
			});
			const before = await topLine(chat);
			assert.notEqual(before, '0 at 0');
			await open({ height: 400, state });
			await chat.snapshot(turns);
			await waitFor('the same line', async () => (await topLine(chat)) === before);
		});
	});

	describe('the keyboard', () => {
		it('reaches everything in the order in which it is seen', async () => {
			await open({ width: 300, height: 900 });
			await chat.snapshot([turnView({ text: RICH, canRetry: true, ...FACTS })], { notice: 'Something to know.' });
			const reached: string[] = [];
			while (reached.at(-1) !== 'Send' && reached.length < 30) {
				await chat.page.keyboard.press('Tab');
				reached.push(await focused(chat));
			}
			const expected = [
				'Conversation',
				'Edit and Send Again',
				'RFC 7519',
				'Copy',
				'Insert at Cursor',
				'New File',
				'Apply…',
				'Code, ts',
				'Table',
				'Image: diagram of the flow',
				'Details of the reply: 1.2 s · 812 in (340 cached) · 214 out',
				'Ask Again',
				'Copy Reply',
				'Dismiss',
				'Ask a question',
				'Select Model: demo-small on Local',
				'Send',
			];
			assert.deepEqual(
				reached.filter(name => expected.includes(name)),
				expected,
				reached.join(', '),
			);
		});

		it('shows where it is', async () => {
			await open({ width: 300 });
			await SCENES['error']?.(chat);
			for (const name of ['Change Key…', 'Retry', 'Dismiss', 'Send']) {
				const button = chat.page.getByRole('button', { name, exact: true }).last();
				await chat.page.keyboard.press('Tab');
				await button.focus();
				assert.equal(await button.evaluate(element => getComputedStyle(element).outlineStyle), 'solid', name);
			}
			await chat.screenshot('focus');
		});
	});

	describe('the buttons of a turn', () => {
		it('say only which turn they belong to', async () => {
			await open();
			const turn = turnView({ state: 'failed', text: '', explanation: KEY_ERROR, canRetry: true });
			await chat.snapshot([turn]);
			await chat.page.getByRole('button', { name: 'Change Key…' }).click();
			await chat.page.getByRole('button', { name: 'Retry', exact: true }).click();
			assert.deepEqual((await chat.posted()).slice(1), [
				{ kind: 'explanation-follow', turn: turn.id },
				{ kind: 'reply-retry', turn: turn.id },
			]);
		});

		it('stop a reply that is waited for', async () => {
			await open();
			await SCENES['waiting']?.(chat);
			await chat.page.getByText('Still waiting for demo-small.').waitFor();
			await chat.page.locator('chat-turn').getByRole('button', { name: 'Stop' }).click();
			const stop = await chat.waitForPosted('reply-stop');
			assert.match(stop.turn, /^[\da-f-]{36}$/);
		});

		it('are one primary button at most', async () => {
			await open();
			for (const [name, show] of Object.entries(SCENES)) {
				await show(chat);
				assert.ok((await chat.page.locator('.button:not(.secondary)').count()) <= 1, name);
			}
		});
	});

	it('asks for a snapshot once when it missed a change', async () => {
		await open();
		const turn = turnView({ state: 'streaming', text: 'a' });
		await chat.snapshot([turn]);
		for (const sequence of [5, 6, 7]) {
			await chat.send({
				kind: 'turns-change',
				sequence,
				changes: [{ kind: 'text-append', turn: turn.id, text: 'x' }],
			});
		}
		assert.equal((await chat.posted()).filter(({ kind }) => kind === 'snapshot-request').length, 1);
		await chat.snapshot([{ ...turn, reply: { ...turn.reply, text: 'abc' } }]);
		assert.equal((await chat.page.locator('chat-markdown .content').textContent())?.trim(), 'abc');
	});

	it('announces a reply in sentences and its end, not in words', async () => {
		await open();
		const turn = turnView({ state: 'streaming', text: '' });
		await chat.snapshot([turn]);
		const announced = () => chat.page.locator('.announcements > *').allInnerTexts();
		await chat.append(turn.id, 'A first sentence. And a');
		await waitFor('the first announcement', async () => (await announced()).length > 0);
		assert.deepEqual(await announced(), ['A first sentence.']);
		await chat.change({ ...turn, reply: { ...turn.reply, state: 'done', text: 'A first sentence. And a second' } });
		assert.deepEqual(await announced(), ['A first sentence.', 'And a second', 'Reply complete.']);
		assert.equal(await log().getAttribute('aria-live'), 'off', 'or every word would be spoken too');
	});

	it('takes a notice, lets it be dismissed, and shows the next one', async () => {
		await open();
		await chat.snapshot([], { notice: 'One thing.' });
		await chat.page.getByRole('button', { name: 'Dismiss' }).click();
		assert.equal(await chat.page.getByText('One thing.').count(), 0);
		await chat.send({ kind: 'notice-set', notice: 'Another thing.' });
		await chat.page.getByText('Another thing.').waitFor();
	});
});

/** The name of what has the focus, through all shadow roots. */
function focused(chat: ChatPage): Promise<string> {
	return chat.page.evaluate(() => {
		let element = document.activeElement;
		while (element?.shadowRoot?.activeElement) {
			element = element.shadowRoot.activeElement;
		}
		const title = element instanceof HTMLButtonElement ? element.title : '';
		return element?.ariaLabel?.replace(/^.*\. /, '') || title || (element?.textContent?.trim() ?? '');
	});
}

/** Where the first turn in view stands, to two pixels. */
function topLine(chat: ChatPage): Promise<string> {
	return chat.page.evaluate(() => {
		const root = document.querySelector('chat-app')?.shadowRoot;
		const turns = [...(root?.querySelectorAll('chat-turn') ?? [])];
		const index = turns.findIndex(turn => turn.getBoundingClientRect().bottom > 0);
		return `${index} at ${Math.round((turns[index]?.getBoundingClientRect().top ?? 0) / 2)}`;
	});
}
