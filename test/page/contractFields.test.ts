import assert from 'node:assert/strict';
import { toTurnView } from '../../src/chat/protocol/toView.ts';
import { DOCUMENTED_REPLY, documentedReply } from '../support/contractFields.ts';
import { type ChatPage, useChatPage } from '../ui/chatPage.ts';
import { TURN_IDS } from '../unit/chat/conversations.ts';
import { replyEnded, useTestWindows } from '../unit/chat/testWindows.ts';

describe('a reply with every field that the contract documents', () => {
	const windows = useTestWindows();
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	it('shows each of them: in its text, its sources or its details', async () => {
		windows.service.answer = response => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify(documentedReply()));
		};
		const conversations = await windows.open();
		await conversations.shown.send(TURN_IDS[0], 'Is it so?');
		await replyEnded(conversations.shown);
		const { conversation } = conversations.shown;
		const [turn] = conversation.turns;
		assert.ok(turn);
		await open();
		await chat.snapshot([toTurnView(conversation, turn, undefined)]);
		await chat.page.getByRole('button', { name: /^Details of the reply/ }).click();
		await chat.page.getByText('The first 1 tokens').click();
		await chat.page.locator('.citation').hover();
		await chat.page.locator('.citation-card').waitFor();
		const cited = await chat.page.evaluate(() => [...(CSS.highlights.get('cited') ?? [])].map(String));
		assert.deepEqual(cited, ['is so']);
		const parts = ['chat-markdown .content', '.citation-card', '.sources', 'dl.details', '.outcome'];
		const texts = await Promise.all(parts.map(part => chat.page.locator(`chat-turn ${part}`).allInnerTexts()));
		const seen = texts.flat().join('\n');
		assert.deepEqual(
			DOCUMENTED_REPLY.filter(row => !row.seen.test(seen)).map(({ field }) => field),
			[],
			seen,
		);
	});
});
