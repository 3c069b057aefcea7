import assert from 'node:assert/strict';
import { WaitingMessage } from '../../../../src/chat/conversation/waitingMessage.ts';
import { TURN_IDS } from '../conversations.ts';
import { stream, type TestService } from '../testService.ts';
import { useTestWindows } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;

describe('a message that waits for a reply', () => {
	const windows = useTestWindows();
	let service: TestService;
	let waiting: WaitingMessage;

	beforeEach(() => {
		({ service } = windows);
		waiting = new WaitingMessage();
	});

	/** A chat whose reply runs until it is let go. */
	const replying = async () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		service.answer = async response => {
			await promise;
			stream(response, ['An answer.'], true);
		};
		const { shown: chat } = await windows.open();
		await chat.send(first, 'One?');
		return { chat, letGo: resolve };
	};

	it('is sent when the reply has ended well', async () => {
		const { chat, letGo } = await replying();
		const isSent = waiting.wait(second, chat);
		assert.equal(waiting.turn, second);
		letGo();
		assert.equal(await isSent, true);
		assert.equal(waiting.turn, undefined);
		assert.equal(chat.isBusy, false);
	});

	it('is not sent when the reply was stopped or has failed', async () => {
		const { chat } = await replying();
		const afterStop = waiting.wait(second, chat);
		chat.stop();
		assert.equal(await afterStop, false);
		service.answer = response => void response.writeHead(500).end();
		await chat.send(second, 'Two?');
		assert.equal(await waiting.wait(third, chat), false);
	});

	it('is sent at once in place of the reply where the user wants that', async () => {
		const { chat } = await replying();
		const isSent = waiting.wait(second, chat);
		waiting.hurry(third);
		assert.equal(chat.isBusy, true, 'another message is meant');
		waiting.hurry(second);
		assert.equal(await isSent, true);
		assert.equal(chat.isBusy, false);
	});

	it('is not sent any more where the user has changed their mind, and the reply goes on', async () => {
		const { chat, letGo } = await replying();
		const isSent = waiting.wait(second, chat);
		waiting.withdraw(third);
		assert.equal(waiting.turn, second);
		waiting.withdraw(second);
		assert.equal(await isSent, false);
		assert.equal(chat.isBusy, true);
		letGo();
		await chat.idle();
	});

	it('is one at a time: the one before is not sent', async () => {
		const { chat, letGo } = await replying();
		const earlier = waiting.wait(second, chat);
		const later = waiting.wait(third, chat);
		assert.equal(await earlier, false);
		letGo();
		assert.equal(await later, true);
	});
});
