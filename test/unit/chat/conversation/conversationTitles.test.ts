import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Chat } from '../../../../src/chat/conversation/chat.ts';
import type { OpenConversations } from '../../../../src/chat/conversation/openConversations.ts';
import { totalOf } from '../../../../src/chat/model/replyFacts.ts';
import { titleOf } from '../../../../src/chat/model/title.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { TURN_IDS } from '../conversations.ts';
import { stream, type TestService } from '../testService.ts';
import { replyEnded, useTestWindows } from '../testWindows.ts';

const [first, second] = TURN_IDS;

describe('the name that the model gives a conversation', () => {
	const windows = useTestWindows();
	let service: TestService;
	let isWanted: boolean;
	/** The bodies of the requests for titles. */
	const asked = () => service.requests.filter(isForTitle);
	const isForTitle = ({ messages }: TestService['requests'][number]) =>
		messages.some(({ content }) => content.startsWith('Write a title'));

	/** `title` answers the requests for titles. */
	function answerTitle(title: (response: ServerResponse) => void): void {
		service.answer = response => {
			const last = service.requests.at(-1);
			if (last && isForTitle(last)) {
				title(response);
			} else {
				stream(response, ['An ', 'answer.'], true);
			}
		};
	}
	beforeEach(() => {
		({ service } = windows);
		isWanted = true;
		answerTitle(response => stream(response, ['**Login', ' fails**'], true));
	});

	const open = (id?: string) =>
		windows.open({
			titles: () => isWanted,
			remembered: { read: () => (id === undefined ? undefined : { id }), write: () => {} },
		});
	const titleReply = ({ shown }: OpenConversations) => shown.conversation.titleReply;
	const named = (conversations: OpenConversations) =>
		waitFor('what comes of the title', () => {
			const reply = titleReply(conversations);
			return reply !== undefined && reply.state !== 'streaming';
		});
	async function ask(chat: Chat, turn: string, question = 'Why does login fail?'): Promise<void> {
		assert.equal(await chat.send(turn, question), undefined);
		await replyEnded(chat);
		await chat.idle();
	}

	it('comes after the first reply, is on disk, and is asked for once', async () => {
		const conversations = await open();
		const { shown } = conversations;
		await ask(shown, first);
		await named(conversations);
		assert.equal(titleOf(shown.conversation), 'Login fails');
		await ask(shown, second);
		await shown.retry(second);
		await replyEnded(shown);
		await conversations.close();
		const [kept] = await windows.onDisk();
		assert.equal(kept && titleOf(kept), 'Login fails');
		const { conversations: listed } = await (await open(shown.conversation.id)).list();
		assert.equal(listed[0]?.title, 'Login fails');
		assert.equal(asked().length, 1);
	});

	it('is asked for briefly, with the model, policy and data retention of the conversation and nothing else of it', async () => {
		service.defaults = {
			routing: { only: ['provider-a'] },
			retention: true,
			parameters: { temperature: 1.5, stop: ['x'] },
			instructions: 'Be brief.',
		};
		const conversations = await open();
		await conversations.shown.choose({ model: 'large', parameters: { max_tokens: 9_000 } });
		await ask(conversations.shown, first, `Why? ${'x'.repeat(50_000)}`);
		await named(conversations);
		const [request] = asked();
		const { messages, ...others } = request as TestService['requests'][number];
		assert.deepEqual(others, {
			model: 'large',
			provider: { only: ['provider-a'], zdr: true },
			max_tokens: 40,
			stream: true,
			...('stream_options' in others ? { stream_options: others.stream_options } : {}),
		});
		assert.equal(messages.length, 1);
		assert.ok((messages[0]?.content.length ?? 0) < 3_000);
	});

	it('counts among the costs of the conversation, and not among its replies', async () => {
		const conversations = await open();
		await ask(conversations.shown, first);
		const before = totalOf(conversations.shown.conversation);
		await named(conversations);
		const { conversation } = conversations.shown;
		assert.equal(conversation.titleReply?.connection, 'test');
		assert.equal(conversation.titleReply?.asked?.model, 'demo');
		assert.equal(totalOf(conversation).replies, before.replies);
		const usage = { prompt: 30, completion: 4 };
		const paid = { ...conversation, titleReply: { ...conversation.titleReply, usage, cost: { usd: 0.01 } } };
		const total = totalOf(paid);
		assert.deepEqual([total.prompt, total.completion, total.cost], [30, 4, { usd: 0.01, atLeast: true }]);
	});

	it('is the first words in every failure, is then not asked for again, and leaves the conversation as it is', async () => {
		for (const fail of [
			(response: ServerResponse) => response.writeHead(500).end('{"error":{"message":"broken"}}'),
			(response: ServerResponse) => response.destroy(),
			(response: ServerResponse) => stream(response, ['\u202e', '**'], true),
		]) {
			answerTitle(fail);
			const conversations = await open('c0000000-0000-4000-8000-00000000000f');
			await conversations.showNew();
			const { shown } = conversations;
			const requests = asked().length;
			await ask(shown, crypto.randomUUID());
			await named(conversations);
			assert.equal(titleOf(shown.conversation), 'Why does login fail?');
			assert.equal(shown.notice, undefined);
			const [turn] = shown.conversation.turns;
			await shown.retry(turn?.id ?? '');
			await replyEnded(shown);
			await conversations.close();
			const tries = new Set(
				asked()
					.slice(requests)
					.map(({ messages }) => JSON.stringify(messages)),
			);
			assert.equal(tries.size, 1);
		}
	});

	it('is read no further than a title can go', async () => {
		answerTitle(response => stream(response, [`Login ${'x'.repeat(2_000)}`], false));
		const conversations = await open();
		await ask(conversations.shown, first);
		await named(conversations);
		assert.match(titleOf(conversations.shown.conversation) ?? '', /^Login x{40,60}…$/);
		await waitFor('the reader to leave', () => service.hungUp > 0);
	});

	it('is not asked for where the user wants none, has given one, or where the demo, a search or a later turn answers', async () => {
		isWanted = false;
		const conversations = await open();
		await ask(conversations.shown, first);
		isWanted = true;
		await ask(conversations.shown, second);
		await conversations.showNew();
		await conversations.shown.rename('Mine');
		await ask(conversations.shown, crypto.randomUUID());
		await conversations.showNew();
		service.answer = response => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			const chunk = { provider: 'demo', choices: [{ index: 0, delta: { content: 'A demo.' }, finish_reason: 'stop' }] };
			response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
		};
		await ask(conversations.shown, crypto.randomUUID());
		await conversations.showNew();
		answerTitle(response => stream(response, ['Login'], true));
		windows.modes = { search: 'demo' };
		await ask(conversations.shown, crypto.randomUUID(), '/search foxes');
		await conversations.close();
		assert.deepEqual(asked(), []);
	});

	it('is not asked of a model that has not seen the conversation', async () => {
		const reached = Promise.withResolvers<ServerResponse>();
		const conversations = await open();
		const { shown } = conversations;
		service.answer = response => reached.resolve(response);
		assert.equal(await shown.send(first, 'Why does login fail?'), undefined);
		const response = await reached.promise;
		await shown.choose({ model: 'large' });
		answerTitle(title => stream(title, ['Login'], true));
		stream(response, ['An answer.'], true);
		await replyEnded(shown);
		await conversations.close();
		assert.deepEqual([service.requests.length, asked()], [1, []]);
	});

	it('loses nothing where the window closes meanwhile, and is not asked for again', async () => {
		const reached = Promise.withResolvers<void>();
		answerTitle(() => reached.resolve());
		const before = await open();
		await ask(before.shown, first);
		await reached.promise;
		const { id } = before.shown.conversation;
		await before.close();
		const [kept] = await windows.onDisk();
		assert.equal(kept?.turns[0]?.replies[0].text, 'An answer.');
		answerTitle(response => stream(response, ['Late'], true));
		const after = await open(id);
		assert.equal(titleOf(after.shown.conversation), 'Why does login fail?');
		await after.shown.retry(first);
		await replyEnded(after.shown);
		await after.close();
		assert.equal(asked().length, 1);
	});

	it('gives way to one that the user gives meanwhile, also in another window', async () => {
		const reached = Promise.withResolvers<ServerResponse>();
		answerTitle(response => reached.resolve(response));
		const conversations = await open();
		await ask(conversations.shown, first);
		const response = await reached.promise;
		const { id } = conversations.shown.conversation;
		await (await open()).rename(id, 'Mine');
		stream(response, ['Theirs'], true);
		await named(conversations);
		await conversations.close();
		const all = await windows.onDisk();
		assert.deepEqual([all.length, all[0] && titleOf(all[0])], [1, 'Mine']);
	});

	it('comes to a conversation in the background, and never brings back one that was deleted', async () => {
		const reached = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<ServerResponse>()];
		let count = 0;
		answerTitle(response => reached[count++]?.resolve(response));
		const conversations = await open();
		await ask(conversations.shown, first);
		const { id } = conversations.shown.conversation;
		await conversations.showNew();
		stream((await reached[0]?.promise) as ServerResponse, ['Login'], true);
		await waitFor(
			'the title in the list',
			async () => (await conversations.list()).conversations[0]?.title === 'Login',
		);
		await ask(conversations.shown, second);
		await reached[1]?.promise;
		await conversations.delete(conversations.shown.conversation.id);
		assert.deepEqual(
			(await windows.onDisk()).map(kept => kept.id),
			[id],
		);
		await conversations.close();
		assert.deepEqual(
			(await windows.onDisk()).map(kept => kept.id),
			[id],
		);
	});
});
