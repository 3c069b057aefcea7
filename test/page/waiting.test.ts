import assert from 'node:assert/strict';
import { agentTurn } from '../ui/agentScenes.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';

describe('a message that is written while an agent works', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});
	const textarea = () => chat.page.locator('chat-composer textarea');
	const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
	const words = () => chat.page.getByRole('status').getByText('The message is sent when the agent is done.');

	/** Sends a message, which the host lets wait, and returns its turn. */
	const send = async (width?: number) => {
		await open(width === undefined ? {} : { width });
		const turn = agentTurn({}, { state: 'streaming' });
		await chat.snapshot([turn], { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } });
		await textarea().fill('And then?');
		await textarea().press('Enter');
		const sent = await chat.waitForPosted('message-send');
		assert.deepEqual([sent.text, sent.waits], ['And then?', true]);
		await chat.send({ kind: 'message-hold', turn: sent.turn, waits: true });
		await words().waitFor();
		return sent.turn;
	};

	for (const width of [200, 300, 800]) {
		it(`waits for its end, is kept as it is, and says so at ${width} pixels`, async () => {
			await send(width);
			assert.equal(await textarea().inputValue(), 'And then?');
			assert.equal(await textarea().getAttribute('readonly'), '');
			await chat.screenshot(`waiting-message-${width}`);
			assert.deepEqual(await chat.violations(), []);
		});
	}

	it('is gone from the composer when the host has taken it', async () => {
		const turn = await send();
		await chat.send({ kind: 'message-accept', turn });
		await words().waitFor({ state: 'detached' });
		assert.equal(await textarea().inputValue(), '');
	});

	it('is sent now where the user wants that, by keyboard', async () => {
		const turn = await send();
		await button('Send Now').focus();
		await chat.page.keyboard.press('Enter');
		assert.equal((await chat.waitForPosted('message-hurry')).turn, turn);
	});

	it('comes back to be edited where it is not to be sent', async () => {
		const turn = await send();
		await button('Don’t Send').click();
		assert.equal((await chat.waitForPosted('message-withdraw')).turn, turn);
		await chat.send({ kind: 'message-refuse', turn, reason: 'Not sent.' });
		await words().waitFor({ state: 'detached' });
		assert.equal(await textarea().getAttribute('readonly'), null);
		await textarea().fill('Something else');
	});

	it('waits on in a page that is shown anew', async () => {
		const turn = await send();
		const state = (await chat.savedState()) ?? assert.fail();
		await open({ state });
		await chat.snapshot([agentTurn({}, { state: 'streaming' })], {
			mode: 'agent',
			agent: { label: 'Errand', approvals: 'ask' },
		});
		assert.equal(await words().count(), 0);
		await chat.send({ kind: 'message-hold', turn, waits: true });
		await words().waitFor();
		await chat.send({ kind: 'message-accept', turn });
		assert.equal(await textarea().inputValue(), '');
	});
});
