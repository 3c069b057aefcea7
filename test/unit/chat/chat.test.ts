import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/base/async.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { Chat, type ChatChange, type ChatOptions } from '../../../src/chat/chat.ts';
import { currentReply, type Reply } from '../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../src/chat/model/conversationFile.ts';
import { MAXIMUM_MESSAGE_LENGTH } from '../../../src/chat/protocol.ts';
import { ConversationStore } from '../../../src/chat/store.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { waitFor } from '../../support/waitFor.ts';
import { TURN_IDS } from './conversations.ts';

const [first, second, third] = TURN_IDS;

/** A real service on loopback that answers as the test says. */
class TestService {
	readonly requests: { messages: { role: string; content: string }[] }[] = [];
	answer: (response: ServerResponse) => void = response => stream(response, ['An ', 'answer.'], true);
	/** How many replies the other side has hung up on. */
	hungUp = 0;
	private readonly server: Server;

	constructor() {
		this.server = createServer(async (request, response) => {
			const pieces: Buffer[] = [];
			for await (const piece of request) {
				pieces.push(piece);
			}
			this.requests.push(JSON.parse(Buffer.concat(pieces).toString()));
			response.on('close', () => {
				if (!response.writableFinished) {
					this.hungUp++;
				}
			});
			this.answer(response);
		});
	}

	async start(): Promise<Client> {
		await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		const connection = connectionSchema.parse({ apiUrl: `http://127.0.0.1:${port}`, service: 'acme' });
		return createClient({ connection: { ...connection, name: 'test' }, keys: async () => 'sk-test' });
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}
}

/** Sends the words as a chat stream; with `end`, the stream's own end too. */
function stream(response: ServerResponse, words: readonly string[], end: boolean): void {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const content of words) {
		const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] };
		response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	}
	if (end) {
		const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], provider: 'provider-a' };
		response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
	}
}

describe('the chat', () => {
	let service: TestService;
	let client: Client;
	let folder: string;
	let model: string | undefined;
	let chats: Chat[];

	beforeEach(async () => {
		service = new TestService();
		client = await service.start();
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-chat-'));
		model = 'demo';
		chats = [];
	});

	afterEach(async () => {
		await Promise.all(chats.map(chat => chat.close()));
		await service.stop();
		await rm(folder, { recursive: true, force: true });
	});

	async function open(others: Partial<ChatOptions> = {}): Promise<Chat> {
		const chat = await Chat.open({
			store: new ConversationStore(folder, nullLogger),
			client: async () => client,
			connection: async () => ({ label: 'Test', model }),
			workspace: () => ({ folders: ['file:///work/widgets'] }),
			explainError: (error, connection) => ({ message: `${connection}: ${(error as Error).message}` }),
			explainFinish: problem => ({ message: problem }),
			clock: systemClock,
			logger: nullLogger,
			...others,
		});
		chats.push(chat);
		return chat;
	}

	const replyOf = (chat: Chat, turnId: string): Reply => {
		const turn = chat.conversation.turns.find(({ id }) => id === turnId);
		assert.ok(turn);
		return currentReply(turn);
	};
	const ended = (chat: Chat) => waitFor('the end of the reply', () => chat.live === undefined);

	async function onDisk(): Promise<ReturnType<typeof parseConversationFile>['conversation'][]> {
		const names = (await readdir(folder)).filter(name => name.endsWith('.jsonl'));
		return Promise.all(
			names.map(async name => parseConversationFile(await readFile(path.join(folder, name), 'utf8')).conversation),
		);
	}

	it('asks with the history and keeps question and answer on disk', async () => {
		const chat = await open();
		assert.equal(await chat.send(first, 'One?'), undefined);
		await ended(chat);
		assert.equal(await chat.send(second, 'Two?'), undefined);
		await ended(chat);
		assert.deepEqual(service.requests[1]?.messages, [
			{ role: 'user', content: 'One?' },
			{ role: 'assistant', content: 'An answer.' },
			{ role: 'user', content: 'Two?' },
		]);
		assert.equal(replyOf(chat, second).provider, 'provider-a');
		await waitFor('the last save', async () => {
			const [conversation] = await onDisk();
			return conversation?.turns[1]?.replies[0].state === 'done';
		});
		assert.deepEqual((await open()).conversation, chat.conversation);
	});

	it('has the message on disk before it says that it was taken', async () => {
		service.answer = () => {};
		const chat = await open();
		await chat.send(first, 'One?');
		const [conversation] = await onDisk();
		assert.equal(conversation?.turns[0]?.question, 'One?');
	});

	it('tells of each change so that a listener can keep up', async () => {
		const chat = await open();
		const changes: ChatChange[] = [];
		let text = '';
		chat.onDidChange(change => {
			changes.push(change);
			text = change.kind === 'text' ? text + change.text : (chat.conversation.turns[0]?.replies[0].text ?? '');
			assert.equal(text, chat.conversation.turns[0]?.replies[0].text);
		});
		await chat.send(first, 'One?');
		await ended(chat);
		assert.equal(changes[0]?.kind, 'conversation');
		assert.ok(changes.some(({ kind }) => kind === 'text'));
		assert.deepEqual(changes.at(-1), { kind: 'turn', turnId: first });
	});

	it('refuses what cannot be asked, each with its reason, and asks nothing', async () => {
		const chat = await open();
		assert.deepEqual(await chat.send(first, ' \n\t'), { reason: 'empty' });
		assert.deepEqual(await chat.send(first, 'x'.repeat(MAXIMUM_MESSAGE_LENGTH + 1)), { reason: 'too-long' });
		assert.deepEqual(await chat.retry(first), { reason: 'no-turn' });
		model = undefined;
		assert.deepEqual(await chat.send(first, 'One?'), { reason: 'no-model' });
		assert.equal(chat.conversation.turns.length, 0);
		assert.deepEqual(await onDisk(), []);
		assert.equal(service.requests.length, 0);
	});

	it('takes the same turn once, however often it is sent', async () => {
		const chat = await open();
		const outcomes = await Promise.all([chat.send(first, 'One?'), chat.send(second, 'Two?')]);
		assert.deepEqual(outcomes, [undefined, { reason: 'busy' }]);
		assert.equal(await chat.send(first, 'One?'), undefined);
		await ended(chat);
		assert.equal(await chat.send(first, 'One?'), undefined);
		assert.equal(chat.conversation.turns.length, 1);
		assert.equal(service.requests.length, 1);
	});

	it('gives a turn that is sent again while it is being taken the same answer', async () => {
		const chat = await open();
		assert.deepEqual(await Promise.all([chat.send(first, 'One?'), chat.send(first, 'One?')]), [undefined, undefined]);
		await ended(chat);
		assert.equal(chat.conversation.turns.length, 1);
		assert.equal(service.requests.length, 1);
	});

	it('asks nothing after its window has closed, and keeps the message that was on its way', async () => {
		const chat = await open();
		const sent = chat.send(first, 'One?');
		await chat.close();
		assert.equal(await sent, undefined);
		assert.equal(chat.live, undefined);
		assert.equal(service.requests.length, 0);
		const again = await open();
		assert.deepEqual([again.conversation.turns[0]?.question, replyOf(again, first).state], ['One?', 'cutOff']);
	});

	it('tries once more to save when the window closes', async () => {
		const chat = await open();
		let finish = () => {};
		service.answer = response => {
			stream(response, ['So far'], false);
			finish = () => response.end('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
		};
		await chat.send(first, 'One?');
		await waitFor('some text', () => replyOf(chat, first).text === 'So far');
		await rm(folder, { recursive: true });
		await writeFile(folder, 'a file in the way');
		finish();
		await waitFor('the notice', () => chat.live === undefined && chat.notice?.kind === 'save-failed');
		await rm(folder);
		await chat.close();
		assert.equal((await onDisk())[0]?.turns[0]?.replies[0].text, 'So far');
	});

	it('asks nothing that it could not save', async () => {
		await rm(folder, { recursive: true });
		await writeFile(folder, 'a file in the way');
		const chat = await open();
		assert.deepEqual(chat.notice, { kind: 'unreadable', code: 'ENOTDIR' });
		assert.deepEqual(await chat.send(first, 'One?'), { reason: 'not-saved', code: 'EEXIST' });
		assert.equal(service.requests.length, 0);
		await rm(folder);
		assert.equal(await chat.send(first, 'One?'), undefined);
		await ended(chat);
	});

	it('says when a reply cannot be saved, goes on, and takes it back when it can', async () => {
		let finish = () => {};
		service.answer = response => {
			stream(response, ['So far'], false);
			finish = () => response.end('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
		};
		const chat = await open();
		await chat.send(first, 'One?');
		await waitFor('the first save', async () => (await onDisk())[0]?.turns[0]?.replies[0].text === 'So far');
		await rm(folder, { recursive: true });
		await writeFile(folder, 'a file in the way');
		finish();
		await waitFor('the notice', () => chat.notice?.kind === 'save-failed');
		assert.equal(replyOf(chat, first).state, 'done');
		await rm(folder);
		service.answer = response => stream(response, ['Yes.'], true);
		await chat.send(second, 'Two?');
		await ended(chat);
		await waitFor('the notice to go', () => chat.notice === undefined);
		assert.deepEqual(
			(await onDisk())[0]?.turns.map(({ replies }) => replies[0].text),
			['So far', 'Yes.'],
		);
	});

	it('stops the service too', async () => {
		service.answer = response => stream(response, ['So far'], false);
		const chat = await open();
		await chat.send(first, 'One?');
		await waitFor('some text', () => replyOf(chat, first).text === 'So far');
		chat.stop();
		await ended(chat);
		assert.equal(replyOf(chat, first).state, 'stopped');
		await waitFor('the service to notice', () => service.hungUp === 1);
	});

	it('calls a reply cut off when its stream just ends, keeps its text and sends it on', async () => {
		service.answer = response => {
			stream(response, ['So far'], false);
			setImmediate(() => response.destroy());
		};
		const chat = await open();
		await chat.send(first, 'One?');
		await ended(chat);
		assert.deepEqual([replyOf(chat, first).state, replyOf(chat, first).text], ['cutOff', 'So far']);
		service.answer = response => stream(response, ['Yes.'], true);
		await chat.send(second, 'Go on?');
		await ended(chat);
		assert.equal(service.requests[1]?.messages[1]?.content, 'So far');
	});

	it('keeps every earlier reply of a turn that is asked again', async () => {
		service.answer = response => response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
		const chat = await open();
		await chat.send(first, 'One?');
		await ended(chat);
		assert.equal(replyOf(chat, first).state, 'failed');
		assert.match(replyOf(chat, first).explanation?.message ?? '', /^Test: /);
		service.answer = response => stream(response, ['Yes.'], true);
		await chat.retry(first);
		await ended(chat);
		await chat.retry(first);
		await ended(chat);
		assert.deepEqual(
			chat.conversation.turns[0]?.replies.map(({ state }) => state),
			['failed', 'done', 'done'],
		);
		await chat.close();
		assert.equal((await open()).conversation.turns[0]?.replies.length, 3);
	});

	it('has the text so far, marked as cut off, after the window closed in the middle of a reply', async () => {
		service.answer = response => stream(response, ['So far'], false);
		const chat = await open();
		await chat.send(first, 'One?');
		await waitFor('some text', () => replyOf(chat, first).text === 'So far');
		await chat.close();
		await waitFor('the service to notice', () => service.hungUp === 1);
		const again = await open();
		assert.deepEqual([replyOf(again, first).state, replyOf(again, first).text], ['cutOff', 'So far']);
		assert.equal(again.live, undefined);
		service.answer = response => stream(response, ['Whole.'], true);
		await again.retry(first);
		await ended(again);
		assert.deepEqual(
			again.conversation.turns[0]?.replies.map(({ text }) => text),
			['So far', 'Whole.'],
		);
	});

	it('has what was saved a second ago when the window was killed in the middle of a reply', async () => {
		service.answer = response => stream(response, ['So far'], false);
		const chat = await open();
		await chat.send(first, 'One?');
		await waitFor('a save while it streams', async () => (await onDisk())[0]?.turns[0]?.replies[0].text === 'So far');
		// Nothing of the first window is told: it is as good as dead.
		const again = await open();
		assert.deepEqual([replyOf(again, first).state, replyOf(again, first).text], ['cutOff', 'So far']);
	});

	it('goes on in a copy when another window wrote, and both are kept', async () => {
		const one = await open();
		await one.send(first, 'One?');
		await ended(one);
		await one.close();
		const [left, right] = [await open(), await open()];
		await left.send(second, 'Left?');
		await right.send(third, 'Right?');
		await Promise.all([ended(left), ended(right)]);
		assert.deepEqual(right.notice, { kind: 'branched' });
		assert.equal(left.notice, undefined);
		await Promise.all([left.close(), right.close()]);
		await waitFor('both files', async () => {
			const questions = (await onDisk()).map(({ turns }) => turns.map(({ question }) => question).join(' ')).sort();
			assert.deepEqual(questions, ['One? Left?', 'One? Right?']);
			return true;
		});
	});

	it('tells that a conversation could not be read', async () => {
		await writeFile(path.join(folder, 'c0000000-0000-4000-8000-000000000001.jsonl'), 'not ours');
		const chat = await open();
		assert.deepEqual(chat.notice, { kind: 'set-aside', count: 1 });
		assert.equal(await chat.send(first, 'One?'), undefined);
		await ended(chat);
	});
});
