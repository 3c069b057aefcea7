import assert from 'node:assert/strict';
import type { FromPage, Snapshot } from '../../src/chat/protocol/protocol.ts';
import { waitFor } from '../support/waitFor.ts';
import { type ChatPage, CONVERSATION_ID, turnView, useChatPage } from '../ui/chatPage.ts';

describe('the composer of the chat page', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const textarea = () => chat.page.locator('chat-composer textarea');

	it('sends with Enter, breaks with Shift and Enter, and lets go of the text when the host took it', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().pressSequentially('One');
		await textarea().press('Shift+Enter');
		await textarea().pressSequentially('two');
		await textarea().press('Enter');
		const sent = await chat.waitForPosted('message-send');
		assert.equal(sent.text, 'One\ntwo');
		await chat.snapshot([turnView()]);
		assert.equal(await textarea().inputValue(), 'One\ntwo', 'until the host took it');
		assert.equal((await chat.savedState())?.sentAs, sent.turn);
		await chat.send({ kind: 'message-accept', turn: sent.turn });
		assert.equal(await textarea().inputValue(), '');
		assert.deepEqual(await chat.savedState(), { draft: '', conversation: CONVERSATION_ID });
	});

	it('leaves the second key of a chord of the editor out of the text, and no other key', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().press('Control+K');
		await textarea().press('a');
		await textarea().pressSequentially('ask');
		assert.equal(await textarea().inputValue(), 'ask');
	});

	it('keeps the text and says why when the host does not take it', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().fill('One?');
		await textarea().press('Enter');
		const { turn } = await chat.waitForPosted('message-send');
		await chat.send({ kind: 'message-refuse', turn, reason: 'The disk is full.' });
		assert.equal(await textarea().inputValue(), 'One?');
		assert.equal(await textarea().isEditable(), true);
		await chat.page.getByText('The disk is full.').waitFor();
		await chat.screenshot('refused');
	});

	for (const [theme, width] of [
		['light', 200],
		['dark', 600],
		['highContrast', 200],
	] as const) {
		it(`has the button that helps beside why, announced and reached by keyboard, in ${theme} at ${width} pixels`, async () => {
			await open({ theme, width });
			await chat.snapshot([]);
			await textarea().fill('One?');
			await textarea().press('Enter');
			const { turn } = await chat.waitForPosted('message-send');
			const reason = 'Not sent: Acme has no key yet.';
			await chat.send({ kind: 'message-refuse', turn, reason, action: 'Manage Keys' });
			const status = chat.page.getByRole('status').filter({ hasText: reason });
			await status.getByRole('button', { name: 'Manage Keys' }).waitFor();
			await textarea().press('Shift+Tab');
			await chat.screenshot(`refused-help-${theme}-${width}`);
			await chat.page.keyboard.press('Enter');
			assert.deepEqual(await chat.waitForPosted('refusal-follow'), { kind: 'refusal-follow', turn });
			// When the user is back, the message is there, and Enter sends it.
			await chat.page.locator('chat-composer textarea:focus').waitFor();
			assert.equal(await textarea().inputValue(), 'One?');
			assert.equal(await chat.page.getByText(reason).count(), 0);
		});
	}

	it('offers no button any more once the reason is another one, or the text', async () => {
		await open();
		await chat.snapshot([turnView({ canRetry: true })]);
		const button = chat.page.getByRole('button', { name: 'Manage Keys' });
		const refuse = async (action: Record<string, string>) => {
			const turn = turnView().id;
			await chat.send({ kind: 'message-refuse', turn, reason: 'Not now.', ...action });
		};
		await refuse({ action: 'Manage Keys' });
		await button.waitFor();
		await refuse({});
		await button.waitFor({ state: 'detached' });
		await refuse({ action: 'Manage Keys' });
		await button.waitFor();
		await textarea().fill('Two');
		await button.waitFor({ state: 'detached' });
	});

	it('goes on waiting for its message when something else is refused', async () => {
		await open();
		const answered = turnView({ canRetry: true });
		await chat.snapshot([answered]);
		await textarea().fill('One?');
		await textarea().press('Enter');
		const { turn } = await chat.waitForPosted('message-send');
		await chat.send({ kind: 'message-refuse', turn: answered.id, reason: 'Not now.' });
		await chat.page.getByText('Not now.').waitFor();
		assert.equal(await textarea().isEditable(), false);
		await chat.send({ kind: 'message-accept', turn });
		assert.equal(await textarea().inputValue(), '');
		assert.equal(await textarea().isEditable(), true);
	});

	it('waits for a message that the host holds for as long as that takes', async () => {
		await open();
		await chat.snapshot([]);
		await chat.installClock();
		await textarea().fill('One?');
		await textarea().press('Enter');
		const { turn } = await chat.waitForPosted('message-send');
		await chat.send({ kind: 'message-hold', turn });
		await chat.page.clock.runFor(60_000);
		assert.equal(await textarea().isEditable(), false);
		assert.equal(await chat.page.getByText('The message wasn’t accepted in time.').count(), 0);
		await chat.send({ kind: 'message-accept', turn });
		assert.equal(await textarea().inputValue(), '');
	});

	it('says in words why an empty message is not sent', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().fill('  \n ');
		await textarea().press('Enter');
		await chat.page.getByRole('status').getByText('Write a message first.').waitFor();
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send'));
		await textarea().pressSequentially('x');
		assert.equal(await chat.page.getByText('Write a message first.').count(), 0);
	});

	it('says in words that a message is too long', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().fill('x'.repeat(1_000_001));
		await textarea().press('Enter');
		await chat.page.getByText('1,000,001 characters').waitFor();
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send'));
	});

	it('does not send while an input method composes', async () => {
		await open();
		await chat.snapshot([]);
		await textarea().fill('にほ');
		for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
			await textarea().dispatchEvent('keydown', { key: 'Enter', bubbles: true, ...init });
		}
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send'));
	});

	it('does not send while a reply runs, says so, and keeps the text', async () => {
		await open();
		await chat.snapshot([turnView({ state: 'streaming', text: 'So far' })]);
		await textarea().fill('Next?');
		await textarea().press('Enter');
		await chat.page.getByText('Wait for the reply, or stop it first.').waitFor();
		assert.equal(await textarea().inputValue(), 'Next?');
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'message-send'));
	});

	it('has Stop in the place of Send while a reply runs, safe from a double click on Send', async () => {
		await open();
		const turn = turnView({ state: 'streaming', text: '' });
		await chat.snapshot([]);
		const place = await chat.page.getByRole('button', { name: 'Send' }).boundingBox();
		await chat.snapshot([turn]);
		const stop = chat.page.getByRole('button', { name: 'Stop' });
		assert.deepEqual(await stop.boundingBox(), place);
		assert.ok(place);
		// The second half of a double click, whose first half was on Send.
		await chat.page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
		await chat.page.mouse.down({ clickCount: 2 });
		await chat.page.mouse.up({ clickCount: 2 });
		assert.ok((await chat.posted()).every(({ kind }) => kind !== 'reply-stop'));
		await stop.click();
		await waitFor('the stop to be taken', async () => (await chat.posted()).some(({ kind }) => kind === 'reply-stop'));
	});

	it('grows to a third of the view and then scrolls', async () => {
		await open({ height: 600 });
		await chat.snapshot([]);
		const height = () => textarea().evaluate(element => element.getBoundingClientRect().height);
		const one = await height();
		await textarea().fill('1\n2\n3\n4');
		const four = await height();
		assert.ok(four > one);
		await textarea().fill('line\n'.repeat(200));
		assert.equal(Math.round(await height()), 198);
		assert.equal(await textarea().evaluate(element => element.scrollHeight > element.clientHeight), true);
		await chat.screenshot('composer-full');
	});

	it('has its draft back after the page was made anew', async () => {
		await open({ state: { draft: 'Unfinished' } });
		await chat.snapshot([]);
		assert.equal(await textarea().inputValue(), 'Unfinished');
	});

	it('knows after a reload that its message was taken, or that it was not', async () => {
		const turn = turnView();
		await open({ state: { draft: 'One?', sentAs: turn.id } });
		await chat.snapshot([]);
		assert.equal(await textarea().inputValue(), 'One?');
		await chat.snapshot([turn]);
		assert.equal(await textarea().inputValue(), '');
		assert.deepEqual(await chat.savedState(), { draft: '', conversation: CONVERSATION_ID });
	});

	it('has the cursor when the button that was pressed goes, and takes it from nothing else', async () => {
		await open();
		const failed = turnView({ state: 'failed', text: '', explanation: { message: 'It failed.' }, canRetry: true });
		await chat.snapshot([failed]);
		await chat.page.getByRole('button', { name: 'Retry' }).focus();
		await chat.page.keyboard.press('Enter');
		await chat.waitForPosted('reply-retry');
		await chat.change({ ...failed, reply: { ...turnView({ state: 'streaming', text: '' }).reply } });
		assert.equal(await textarea().evaluate(field => field.matches(':focus')), true);
		await chat.page.locator('.log').focus();
		await chat.change({ ...failed, reply: { ...turnView({ text: 'Done.' }).reply } });
		assert.equal(await textarea().evaluate(field => field.matches(':focus')), false);
	});

	describe('while the host is asked about what was pasted', () => {
		const paste = (text: string) =>
			textarea().evaluate((field, data) => {
				const clipboardData = new DataTransfer();
				clipboardData.setData('text/plain', data);
				field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
			}, text);
		const posted = async <K extends FromPage['kind']>(kind: K) =>
			(await chat.posted()).find((message): message is Extract<FromPage, { kind: K }> => message.kind === kind);
		/** While the clock stands no frame is drawn. */
		const answer = async (taken: boolean) => {
			const asked = await posted('paste-check');
			await chat.page.evaluate(message => window.postMessage(message, '*'), {
				kind: 'answer',
				request: asked?.request,
				answer: taken ? { value: CONVERSATION_ID } : {},
			});
		};
		const holds = (text: string) =>
			waitFor(`the field to hold “${text}”`, async () => (await textarea().inputValue()) === text);
		const cursor = () => textarea().evaluate(field => (field as HTMLTextAreaElement).selectionStart);

		beforeEach(async () => {
			await open();
			await chat.snapshot([]);
			// The page does not wait for the host for ever, but as long as the test does.
			await chat.installClock();
			await chat.page.clock.pauseAt(Date.now() + 60_000);
		});

		it('puts it where it was pasted, and the cursor stays behind what was typed meanwhile', async () => {
			await textarea().pressSequentially('See , please');
			for (let count = 0; count < ', please'.length; count++) {
				await textarea().press('ArrowLeft');
			}
			await paste('src/a.ts');
			await textarea().pressSequentially(' twice');
			await answer(false);
			await holds('See src/a.ts twice, please');
			assert.equal(await cursor(), 'See src/a.ts twice'.length);
		});

		it('puts it in place of what was selected, and takes the cursor from nothing else', async () => {
			await textarea().fill('See that');
			await textarea().evaluate(field => (field as HTMLTextAreaElement).setSelectionRange(4, 8));
			await paste('src/a.ts');
			await chat.page.locator('.log').focus();
			await answer(false);
			await holds('See src/a.ts');
			assert.equal(await textarea().evaluate(field => field.matches(':focus')), false);
			assert.equal((await chat.savedState())?.draft, 'See src/a.ts');
		});

		it('sends nothing without it', async () => {
			await textarea().pressSequentially('See ');
			await paste('src/a.ts');
			await textarea().press('Enter');
			assert.equal(await posted('message-send'), undefined);
			await answer(false);
			const { text } = await waitFor('the message', () => posted('message-send'));
			assert.equal(text, 'See src/a.ts');
		});

		it('keeps the cursor where it was also with the line ends of Windows', async () => {
			await textarea().pressSequentially('See ');
			await paste('a/b\r\nc/d\r\n');
			await textarea().pressSequentially('!?');
			await textarea().press('ArrowLeft');
			await answer(false);
			await holds('See a/b\nc/d\n!?');
			assert.equal(await cursor(), 'See a/b\nc/d\n!'.length);
		});

		/** While the clock stands no frame is drawn. */
		const showOther = (id: string, others: Partial<Snapshot> = {}) =>
			chat.page.evaluate(message => window.postMessage(message, '*'), {
				kind: 'snapshot-set',
				sequence: 0,
				snapshot: { conversation: id, turns: [], earlier: 0, connection: { label: 'Local', model: 'demo' }, ...others },
			});
		const OTHER = 'c0000000-0000-4000-8000-000000000002';

		it('sends it to no other conversation that is shown meanwhile, and keeps it', async () => {
			await textarea().pressSequentially('See ');
			await paste('src/a.ts');
			await textarea().press('Enter');
			await showOther(OTHER);
			await holds('See src/a.ts');
			await answer(false);
			await textarea().press('End');
			await textarea().pressSequentially('!');
			assert.equal(await posted('message-send'), undefined);
			assert.equal(await textarea().inputValue(), 'See src/a.ts!');
		});

		it('leaves it behind in the encrypted conversation that it was pasted into', async () => {
			await showOther(OTHER, {
				encryption: {
					label: 'Encrypted',
					details: [],
					isConnecting: false,
					isRefused: false,
					isKept: true,
					emptyText: '',
				},
			});
			await paste('the/secret');
			await showOther(CONVERSATION_ID);
			const held = await waitFor('what is held for it', () => posted('draft-hold'));
			assert.deepEqual(held, { kind: 'draft-hold', conversation: OTHER, text: 'the/secret' });
			await answer(false);
			await textarea().pressSequentially('Hi');
			assert.equal(await textarea().inputValue(), 'Hi');
		});

		it('sends nothing before it is context, of which the user may be asked', async () => {
			await textarea().pressSequentially('See ');
			await paste('src/a.ts');
			await textarea().press('Enter');
			await answer(true);
			await waitFor('the word that it is taken', () => posted('paste-take'));
			assert.equal(await posted('message-send'), undefined);
			await textarea().press('Enter');
			const { text } = await waitFor('the message', () => posted('message-send'));
			assert.equal(text, 'See ');
		});
	});

	it('says why something was not done, to screen readers too, until the user goes on', async () => {
		await open();
		await chat.snapshot([]);
		const hint = 'Couldn’t open auth.ts. It may have been moved or deleted.';
		await chat.send({ kind: 'hint-set', hint });
		await chat.page.getByRole('status').getByText(hint).waitFor();
		await textarea().pressSequentially('x');
		assert.equal(await chat.page.getByText(hint).count(), 0);
	});

	it('takes the cursor when the host says so', async () => {
		await open();
		await chat.snapshot([]);
		const request = 'f0000000-0000-4000-8000-000000000001';
		await chat.send({ kind: 'composer-focus', request, takesIt: true });
		assert.deepEqual(await chat.waitForPosted('answer'), { kind: 'answer', request, answer: { value: true } });
		await chat.page.keyboard.type('typed');
		assert.equal(await textarea().inputValue(), 'typed');
	});

	it('takes the cursor from nothing else if it may not, and has it when the keyboard is back in the page', async () => {
		await open();
		await chat.snapshot([]);
		const isAt = () => chat.page.locator('chat-app').evaluate(app => app.shadowRoot?.activeElement?.localName);
		await chat.page.evaluate(() => {
			document.hasFocus = () => false;
		});
		await chat.send({ kind: 'composer-focus', request: 'r1', takesIt: false });
		assert.equal(await isAt(), undefined);
		await chat.page.evaluate(() => {
			document.hasFocus = () => true;
			window.dispatchEvent(new Event('focus'));
		});
		assert.equal(await isAt(), 'chat-composer');
	});
});
