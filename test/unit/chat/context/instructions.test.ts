import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/chat/model/attachment.ts';
import { findTurn } from '../../../../src/chat/model/conversation.ts';
import { toTurnView } from '../../../../src/chat/protocol/toView.ts';
import { TURN_IDS } from '../conversations.ts';
import { replyEnded, useTestWindows } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;

const file = (path: string, text: string): Attachment => ({
	kind: 'file',
	label: path,
	text,
	path,
	uri: `file:///home/me/widgets/${path}`,
	language: 'markdown',
});

describe('the instructions that go with a message', () => {
	const windows = useTestWindows();
	/** The system message of the last request, if it had one. */
	const told = () => {
		const messages = windows.service.requests.at(-1)?.messages ?? [];
		return messages[0]?.role === 'system' ? messages[0].content : undefined;
	};

	it('stand before the user’s own, and those of the last message alone', async () => {
		windows.service.defaults = { ...windows.service.defaults, instructions: 'Be brief.' };
		const { shown: chat } = await windows.open();
		await chat.send(first, 'One?', { instructions: [file('AGENTS.md', 'Use tabs.')] });
		await replyEnded(chat);
		assert.match(told() ?? '', /^The people who.*`AGENTS\.md`:\n\nUse tabs\.\n\n.*\n\nBe brief\.$/s);
		await chat.send(second, 'Two?', { instructions: [file('web/AGENTS.md', 'Use blanks.')] });
		await replyEnded(chat);
		assert.match(told() ?? '', /Use blanks/);
		assert.doesNotMatch(JSON.stringify(windows.service.requests.at(-1)), /Use tabs/);
		await chat.send(third, 'Three?');
		await replyEnded(chat);
		assert.equal(told(), 'Be brief.');
	});

	it('are kept with it, so that it is sent again with the same text, and are named in its details', async () => {
		const { shown: chat } = await windows.open();
		const instructions = [file('AGENTS.md', 'Use tabs.')];
		await chat.send(first, 'One?', { instructions });
		await replyEnded(chat);
		const before = told();
		await chat.retry(first);
		await replyEnded(chat);
		assert.equal(told(), before);
		await chat.edit(first, second, 'Two?');
		await replyEnded(chat);
		assert.equal(told(), before);
		await chat.idle();
		const [kept] = await windows.onDisk();
		assert.ok(kept);
		for (const id of [first, second]) {
			const turn = findTurn(kept, id);
			assert.deepEqual(turn?.instructions, instructions);
			assert.deepEqual(turn && toTurnView(kept, turn, undefined).reply.details?.instructions, ['AGENTS.md']);
		}
	});

	it('go with a search, and not with the prompt of an image', async () => {
		windows.modes = { search: 'acme-search', image: 'painter' };
		const { shown: chat } = await windows.open();
		const instructions = [file('AGENTS.md', 'Use tabs.')];
		await chat.send(first, '/search One?', { instructions });
		await replyEnded(chat);
		assert.match(told() ?? '', /Use tabs/);
		await chat.send(second, '/image A bicycle', { instructions });
		await replyEnded(chat);
		assert.doesNotMatch(JSON.stringify(windows.service.requests.at(-1)), /Use tabs/);
		assert.equal(findTurn(chat.conversation, second)?.instructions, undefined);
	});

	it('are left out of a conversation until they are brought back, also before its first message and after a reload', async () => {
		let { shown: chat } = await windows.open();
		const { id } = chat.conversation;
		await chat.choose({ instructionFiles: false });
		({ shown: chat } = await windows.open({ remembered: { read: () => ({ id }), write: () => {} } }));
		assert.deepEqual(chat.conversation.settings, { instructionFiles: false });
		await chat.send(first, 'One?');
		await replyEnded(chat);
		await chat.idle();
		assert.deepEqual((await windows.onDisk())[0]?.settings, { instructionFiles: false });
		await chat.choose({ instructionFiles: undefined });
		assert.equal(chat.conversation.settings, undefined);
	});
});
