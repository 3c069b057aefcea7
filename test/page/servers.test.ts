import assert from 'node:assert/strict';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';

const DEMO = { label: 'Local', model: 'demo', isDemo: true };

describe('the chat page with a model server of the user', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});
	const routing = { preset: 'balanced', isPrivate: false, isLimited: false } as const;
	const settings = { routing, retention: 'off' } as const;
	const policy = () => chat.page.getByRole('button', { name: 'Select Routing Policy: Balanced' });

	it('says that its model is being loaded while nothing comes, with a button that stops', async () => {
		await open();
		const turn = turnView({ state: 'streaming', text: '', model: 'large', waiting: 'loading' });
		await chat.snapshot([turn]);
		await chat.page.getByText('Still waiting for large: its server is loading the model.').first().waitFor();
		await chat.screenshot('servers-loading');
		await chat.page.locator('chat-turn').getByRole('button', { name: 'Stop', exact: true }).click();
		assert.equal((await chat.waitForPosted('reply-stop')).kind, 'reply-stop');
	});

	it('names the usual routing policy only where there is more than one provider', async () => {
		await open();
		await chat.snapshot([], { connection: { label: 'Local', model: 'large', hasOneProvider: true }, settings });
		await policy().waitFor();
		assert.equal(await policy().getByText('Balanced').count(), 0);
		await chat.screenshot('servers-one-provider');
		await chat.snapshot([], { connection: { label: 'Local', model: 'large' }, settings });
		await policy().getByText('Balanced').waitFor();
		const cheapest = { ...settings, routing: { ...routing, preset: 'cheapest' as const } };
		await chat.snapshot([], {
			connection: { label: 'Local', model: 'large', hasOneProvider: true },
			settings: cheapest,
		});
		await chat.page.getByRole('button', { name: 'Select Routing Policy: Cheapest' }).getByText('Cheapest').waitFor();
	});
});

describe('the chat page where only the demo answers', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const button = () => chat.page.getByRole('button', { name: 'Add Service…', exact: true });
	const composer = () => chat.page.locator('chat-composer textarea');
	const sent = async () => (await chat.posted()).filter(({ kind }) => kind === 'message-send');

	it('says so while the conversation is empty, and leads to a model with the keyboard alone', async () => {
		await open({ width: 220, height: 600 });
		await chat.snapshot([], { connection: DEMO });
		await button().waitFor();
		assert.match(await chat.page.locator('.empty').innerText(), /No model is set up yet\. .*a built-in demo replies/);
		await chat.screenshot('servers-empty-narrow');
		await button().focus();
		await chat.page.keyboard.press('Enter');
		assert.deepEqual(await chat.waitForPosted('server-add'), { kind: 'server-add' });
	});

	it('says nothing of it where a model answers, or in an encrypted conversation', async () => {
		await open();
		await chat.snapshot([], { connection: { label: 'Local', model: 'real' } });
		await chat.page.getByText('real on Local').waitFor();
		assert.equal(await button().count(), 0);
		const encryption = {
			label: 'Encrypted',
			details: [],
			isConnecting: false,
			isRefused: false,
			isKept: true,
			emptyText: 'Only the connection reads this.',
		};
		await chat.snapshot([], { connection: DEMO, encryption });
		await chat.page.getByText('Only the connection reads this.').waitFor();
		assert.equal(await button().count(), 0);
	});

	it('offers it under the last reply of the demo, for the message of that reply', async () => {
		await open();
		const first = turnView({ provider: 'demo' });
		const last = turnView({ provider: 'demo-two' });
		await chat.snapshot([first, last], { connection: DEMO });
		await button().waitFor();
		assert.equal(await button().count(), 1);
		await button().click();
		assert.deepEqual(await chat.waitForPosted('server-add'), { kind: 'server-add', turn: last.id });
	});

	it('offers nothing under the reply of another provider, nor while the reply streams', async () => {
		await open();
		await chat.snapshot([turnView({ provider: 'mine' })], { connection: DEMO });
		await chat.page.locator('chat-turn').waitFor();
		assert.equal(await button().count(), 0);
		const streaming = turnView({ provider: 'demo', state: 'streaming' });
		await chat.snapshot([streaming], { connection: DEMO });
		await chat.page.locator('.progress.active').waitFor();
		assert.equal(await button().count(), 0);
	});

	it('sends the draft that was waiting when it is told to, once, and nothing where there is none', async () => {
		await open();
		await chat.snapshot([], { connection: DEMO });
		await chat.send({ kind: 'draft-send' });
		await composer().fill('Who are you?');
		assert.deepEqual(await sent(), []);
		await chat.send({ kind: 'draft-send' });
		await chat.send({ kind: 'draft-send' });
		assert.equal((await chat.waitForPosted('message-send')).text, 'Who are you?');
		assert.equal((await sent()).length, 1);
	});
});
