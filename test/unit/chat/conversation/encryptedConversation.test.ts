import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Chat } from '../../../../src/chat/conversation/chat.ts';
import {
	OpenConversations,
	type OpenConversationsOptions,
} from '../../../../src/chat/conversation/openConversations.ts';
import { currentReply, type Reply } from '../../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../../src/chat/model/conversationFile.ts';
import type { Encryption } from '../../../../src/chat/model/encryption.ts';
import type { ShownConversation } from '../../../../src/chat/model/shownConversation.ts';
import { toTurnView } from '../../../../src/chat/protocol/toView.ts';
import { ConversationStore } from '../../../../src/chat/storage/conversationStore.ts';
import type { Client } from '../../../../src/client/types.ts';
import { internalCommands } from '../../../../src/platform/ids.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';
import { answerEvents, Enclave } from '../../../support/enclave.ts';
import { sendJson } from '../../../support/faultServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { testClient } from '../../client/testClient.ts';
import { TURN_IDS } from '../conversations.ts';
import { TestChannels } from '../encrypted/testChannels.ts';
import { noAgents, noImages } from '../noServices.ts';
import { TestService } from '../testService.ts';

const [first, second, third] = TURN_IDS;
const MARKER = 'Where does the lighthouse stand?';

describe('an encrypted conversation', () => {
	let service: TestService;
	let plain: Client;
	let enclave: Enclave;
	let channels: TestChannels;
	let folder: string;
	let remembered: ShownConversation | undefined;
	let opened: OpenConversations[];
	/** Every text that the plain service and the enclave's host saw. */
	const seen = () => JSON.stringify([service.requests, enclave.server.received.map(({ body }) => body)]);

	beforeEach(async () => {
		service = new TestService();
		plain = await service.start();
		enclave = await Enclave.start();
		enclave.answer = answerEvents(({ seal }) => [seal('So '), '[DONE]']);
		channels = new TestChannels(testClient('https://api.example', { fields: { encryptUrl: enclave.server.origin } }));
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-encrypted-'));
		remembered = undefined;
		opened = [];
	});

	afterEach(async () => {
		await Promise.all(opened.map(conversations => conversations.close()));
		await service.stop();
		await enclave.stop();
		await rm(folder, { recursive: true, force: true });
	});

	async function openWindow(others: Partial<OpenConversationsOptions> = {}): Promise<OpenConversations> {
		const conversations = await OpenConversations.open({
			// It is asked of nobody all the same.
			titles: () => true,
			onChange: () => {},
			onDelete: () => {},
			store: new ConversationStore(folder, nullLogger),
			remembered: {
				read: () => structuredClone(remembered),
				write: shown => {
					remembered = { id: shown.id, ...(shown.encryption ? { encryption: shown.encryption } : {}) };
				},
			},
			chat: {
				service: {
					client: async () => plain,
					connection: async () => ({ name: channels.name, label: 'Test', model: 'demo' }),
					modes: async () => ({}),
					channels,
					agents: noAgents,
					settings: service.settings,
				},
				explain: {
					error: error => ({ message: `unexplained: ${(error as Error).message}` }),
					finish: problem => ({ message: problem }),
				},
				storage: { images: noImages(folder), unsent: service.unsent },
				workspace: () => ({ folders: [] }),
				clock: systemClock,
				logger: nullLogger,
			},
			...others,
		});
		opened.push(conversations);
		return conversations;
	}

	async function begin(others: Partial<Encryption> = {}): Promise<OpenConversations> {
		const conversations = await openWindow();
		void (await conversations.showNewEncrypted({ connection: 'test', ...others })).channel?.connect();
		await waitFor('the channel is open', () => conversations.shown.channel?.state.kind === 'open');
		return conversations;
	}

	const replyOf = (chat: Chat, turnId: string): Reply => {
		const turn = chat.conversation.turns.find(({ id }) => id === turnId);
		assert.ok(turn);
		return currentReply(turn);
	};
	const ended = (chat: Chat) => waitFor('the end of the reply', () => !chat.isBusy);
	async function ask(chat: Chat, turnId: string, text: string): Promise<Reply> {
		assert.equal(await chat.send(turnId, text), undefined);
		await ended(chat);
		return replyOf(chat, turnId);
	}
	const questions = () =>
		enclave.messages.map(({ history }) => ((history ?? []) as { content: string }[]).map(({ content }) => content));
	const files = async () => (await readdir(folder)).filter(name => name.endsWith('.jsonl'));

	it('sends the conversation over the channel, and nothing of it in clear', async () => {
		service.defaults = { ...service.defaults, instructions: 'Be brief.' };
		const { shown } = await begin();
		assert.equal((await ask(shown, first, MARKER)).text, 'So ');
		await ask(shown, second, 'And why?');
		assert.deepEqual(questions(), [
			['Be brief.', MARKER],
			['Be brief.', MARKER, 'So ', 'And why?'],
		]);
		assert.equal(service.requests.length, 0);
		assert.doesNotMatch(seen(), /lighthouse|And why|Be brief/);
	});

	it('takes instructions along over the channel alone, until they are left out', async () => {
		const { shown } = await begin();
		const file = { kind: 'file' as const, label: 'AGENTS.md', text: 'Ask for the lighthouse.' };
		assert.equal(await shown.send(first, MARKER, { instructions: [file] }), undefined);
		await ended(shown);
		assert.match(questions()[0]?.[0] ?? '', /AGENTS\.md.*Ask for the lighthouse\.$/s);
		await shown.choose({ instructionFiles: false });
		await opened[0]?.close();
		const again = (await openWindow()).shown;
		assert.deepEqual(again.conversation.settings, { instructionFiles: false });
		assert.doesNotMatch(seen(), /lighthouse/);
	});

	it('asks again, changes and continues over the channel alone', async () => {
		const { shown } = await begin();
		enclave.answer = answerEvents(({ seal }) => [seal('Half')]);
		assert.equal((await ask(shown, first, MARKER)).state, 'cutOff');
		enclave.answer = answerEvents(({ seal }) => [seal(' and half.'), '[DONE]']);
		await shown.continue(first);
		await ended(shown);
		assert.equal(replyOf(shown, first).text, 'Half and half.');
		await shown.retry(first);
		await ended(shown);
		await shown.edit(first, second, 'Where else?');
		await ended(shown);
		assert.equal(enclave.messages.length, 4);
		assert.deepEqual(questions().at(-1), ['Where else?']);
		assert.equal(service.requests.length, 0);
	});

	it('goes on over the channel after a reload, with the key that it knows', async () => {
		const { shown } = await begin();
		await ask(shown, first, MARKER);
		await opened[0]?.close();
		const again = (await openWindow()).shown;
		assert.equal(again.channel?.state.kind, 'idle');
		await ask(again, second, 'Still?');
		assert.deepEqual(questions().at(-1), [MARKER, 'So ', 'Still?']);
		assert.equal(channels.knownKeys.length, 2);
		assert.equal(typeof channels.knownKeys[1], 'string');
		assert.equal(service.requests.length, 0);
	});

	it('is encrypted after a reload also before its first message', async () => {
		const { id } = (await begin()).shown.conversation;
		await opened[0]?.close();
		const again = (await openWindow()).shown;
		assert.equal(again.conversation.id, id);
		await ask(again, first, MARKER);
		assert.equal(enclave.messages.length, 1);
		assert.equal(service.requests.length, 0);
	});

	it('accepts no message for search, images or another connection, and sends nothing', async () => {
		const { shown } = await begin();
		for (const text of ['/search lighthouse', '/image lighthouse']) {
			assert.deepEqual(await shown.send(first, text), { reason: 'encrypted-mode' });
		}
		await shown.setMode('search');
		await shown.choose({ model: 'another' });
		assert.equal(shown.mode, 'chat');
		channels.name = 'other';
		assert.deepEqual(await shown.send(first, MARKER), { reason: 'other-connection', expected: 'test' });
		assert.equal(shown.conversation.turns.length, 0);
		assert.equal(service.requests.length + enclave.messages.length, 0);
	});

	it('ends with a reply that does not hold, keeps the text so far, and does not go on after a reload either', async () => {
		const { shown } = await begin();
		await ask(shown, first, MARKER);
		enclave.answer = answerEvents(({ seal }) => [seal('Genuine. '), { ...seal('forged'), nonce: 1 }, '[DONE]']);
		const reply = await ask(shown, second, 'And?');
		assert.equal(reply.text, 'Genuine. ');
		assert.equal(reply.state, 'failed');
		assert.equal(reply.explanation?.message, 'explained: tampered');
		assert.equal(shown.channel?.state.kind, 'ended');
		assert.equal(channels.closed, 1);
		assert.deepEqual(await shown.retry(second), { reason: 'encryption-ended' });
		assert.deepEqual(await shown.continue(second), { reason: 'encryption-ended' });
		const turn = shown.conversation.turns.at(-1);
		assert.ok(turn);
		const view = toTurnView(shown.conversation, turn, undefined);
		assert.deepEqual([view.reply.canRetry, view.reply.canContinue], [false, false]);
		await opened[0]?.close();
		const again = (await openWindow()).shown;
		assert.equal(again.channel?.state.kind, 'ended');
		assert.deepEqual(await again.send(third, 'Hello?'), { reason: 'encryption-ended' });
		assert.equal(enclave.messages.length, 2);
		assert.equal(service.requests.length, 0);
	});

	it('goes on after what is no encrypted reply at all, for whole replies where the user asks for them', async () => {
		const { shown } = await begin();
		enclave.answer = (response, { path, seal }) => {
			if (path.endsWith('_stream')) {
				response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
			} else {
				sendJson(response, 200, seal('Whole.'));
			}
		};
		const reply = await ask(shown, first, MARKER);
		assert.deepEqual([reply.state, reply.text, reply.explanation?.message], ['failed', '', 'explained: bad-response']);
		assert.equal(reply.explanation?.action?.command, internalCommands.askForWholeReplies);
		assert.equal(shown.channel?.state.kind, 'open');
		shown.channel?.useWholeReplies();
		assert.equal(await shown.retry(first), undefined);
		await ended(shown);
		assert.equal(replyOf(shown, first).text, 'Whole.');
		await opened[0]?.close();
		const again = (await openWindow()).shown;
		assert.equal((await ask(again, second, 'And?')).text, 'Whole.');
		assert.deepEqual(
			enclave.messages.map(({ path }) => path),
			['/message_stream', '/message', '/message'],
		);
		assert.equal(service.requests.length, 0);
	});

	it('sends nothing where the attestation is refused, and can be asked again', async () => {
		const { shown } = await begin();
		await ask(shown, first, MARKER);
		enclave.keyPair = p384KeyPair();
		enclave.expire();
		const refused = await ask(shown, second, 'Another key?');
		assert.equal(refused.state, 'failed');
		assert.ok(!questions().flat().includes('Another key?'));
		channels.agrees = true;
		await shown.retry(second);
		await ended(shown);
		assert.equal(replyOf(shown, second).text, 'So ');
		assert.equal(service.requests.length, 0);
	});

	it('attests anew by itself when its session has expired', async () => {
		const { shown } = await begin();
		await ask(shown, first, MARKER);
		enclave.expire();
		assert.equal((await ask(shown, second, 'Still there?')).text, 'So ');
		assert.equal(enclave.attestations.length, 2);
		assert.equal(shown.channel?.state.kind, 'open');
	});

	it('never asks the plain service where the channel cannot be reached', async () => {
		await begin();
		const conversations = opened[0] as OpenConversations;
		void (await conversations.showNewEncrypted({ connection: 'test' })).channel?.connect();
		await enclave.server.stop();
		await waitFor('the channel is refused or open', () => conversations.shown.channel?.state.kind !== 'connecting');
		const reply = await ask(conversations.shown, first, MARKER);
		assert.equal(reply.state, 'failed');
		assert.match(reply.explanation?.message ?? '', /^explained/);
		assert.equal(service.requests.length, 0);
	});

	it('sends nothing of a message that was stopped while the channel opened', async () => {
		let release = () => {};
		const gate = new Promise<void>(resolve => {
			release = resolve;
		});
		const { open } = channels;
		channels.open = async (...args) => {
			await gate;
			return open(...args);
		};
		const conversations = await openWindow();
		void (await conversations.showNewEncrypted({ connection: 'test' })).channel?.connect();
		const { shown } = conversations;
		assert.equal(await shown.send(first, MARKER), undefined);
		shown.stop();
		await ended(shown);
		release();
		await waitFor('the channel is open', () => shown.channel?.state.kind === 'open');
		assert.equal(replyOf(shown, first).state, 'stopped');
		assert.equal(enclave.messages.length, 0);
	});

	it('closes its session with the window, and with the conversation in the background', async () => {
		const conversations = await begin();
		await ask(conversations.shown, first, MARKER);
		await conversations.showNew();
		await waitFor('the session is closed', () => channels.closed === 1);
		assert.equal(conversations.shown.conversation.encryption, undefined);
		void (await conversations.showNewEncrypted({ connection: 'test' })).channel?.connect();
		await waitFor('the channel is open', () => conversations.shown.channel?.state.kind === 'open');
		await conversations.close();
		assert.equal(channels.closed, 2);
	});

	describe('that is not kept', () => {
		it('writes nothing, can be shown again, and goes with the window', async () => {
			const conversations = await begin({ isUnkept: true });
			const { id } = conversations.shown.conversation;
			await ask(conversations.shown, first, MARKER);
			await conversations.rename(id, 'Lighthouse');
			await conversations.shown.choose({ instructionFiles: false });
			await conversations.showNew();
			const { conversations: listed } = await conversations.list();
			assert.deepEqual(
				listed.map(({ title }) => title),
				['Lighthouse'],
			);
			assert.equal(await conversations.open(id), undefined);
			assert.equal(replyOf(conversations.shown, first).text, 'So ');
			await conversations.close();
			assert.deepEqual(await readdir(folder), []);
			const again = await openWindow();
			assert.equal(again.shown.notice?.kind, 'not-kept');
			assert.equal(again.shown.conversation.encryption, undefined);
			assert.notEqual(again.shown.conversation.id, id);
		});
	});

	describe('on disk', () => {
		async function written(): Promise<string> {
			const { shown } = await begin();
			await ask(shown, first, MARKER);
			await opened[0]?.close();
			const [name] = await files();
			return path.join(folder, name ?? '');
		}

		it('has a version that refuses whoever does not know of it', async () => {
			const [header = ''] = (await readFile(await written(), 'utf8')).split('\n');
			assert.equal(JSON.parse(header).version, 4);
			assert.equal(JSON.parse(header).encryption.connection, 'test');
			assert.equal('isUnkept' in JSON.parse(header).encryption, false);
		});

		it('stays encrypted without its header, as one that can only be read', async () => {
			const file = await written();
			const text = await readFile(file, 'utf8');
			await writeFile(file, `damaged\n${text.slice(text.indexOf('\n') + 1)}`);
			const { shown } = await openWindow();
			assert.equal(shown.notice?.kind, 'repaired');
			assert.equal(shown.conversation.turns[0]?.question, MARKER);
			assert.deepEqual(await shown.send(second, 'And?'), { reason: 'encryption-lost' });
			assert.equal(service.requests.length, 0);
		});

		for (const [what, change] of [
			['says nothing of where to', ({ encryption: _, ...header }: Record<string, unknown>) => header],
			['says it in an unknown form', (header: Record<string, unknown>) => ({ ...header, encryption: 7 })],
			['has the version of others', (header: Record<string, unknown>) => ({ ...header, version: 3 })],
		] as const) {
			it(`is not sent in clear where its header ${what}`, async () => {
				const file = await written();
				const text = await readFile(file, 'utf8');
				const end = text.indexOf('\n');
				const header = change(JSON.parse(text.slice(0, end)));
				await writeFile(file, JSON.stringify(header) + text.slice(end));
				const { conversation } = await parseConversationFile(await readFile(file, 'utf8'));
				assert.ok(conversation.encryption);
				const { shown } = await openWindow();
				assert.notEqual(shown.channel, undefined);
				await shown.send(second, 'And?');
				await ended(shown);
				assert.equal(service.requests.length, 0);
			});
		}

		it('keeps its key and its mark through another title and a copy', async () => {
			const file = await written();
			const id = path.basename(file, '.jsonl');
			const conversations = await openWindow();
			await conversations.showNew();
			await conversations.rename(id, 'Another title');
			const { conversation } = await parseConversationFile(await readFile(file, 'utf8'));
			assert.equal(conversation.title, 'Another title');
			assert.equal(conversation.encryption?.connection, 'test');
			assert.equal(typeof conversation.encryption?.keyFingerprint, 'string');
			const [summary] = (await conversations.list()).conversations;
			assert.equal(summary?.encrypted, true);
		});
	});
});
