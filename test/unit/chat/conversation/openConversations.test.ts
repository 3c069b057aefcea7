import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type {
	OpenConversations,
	OpenConversationsOptions,
	ShownChange,
} from '../../../../src/chat/conversation/openConversations.ts';
import { currentReply } from '../../../../src/chat/model/conversation.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { TURN_IDS } from '../conversations.ts';
import { noAgents } from '../noServices.ts';
import { stream, type TestService } from '../testService.ts';
import { replyEnded, useTestWindows, type WindowOptions } from '../testWindows.ts';

const [first, second] = TURN_IDS;

describe('the conversations of a window', () => {
	const windows = useTestWindows();
	let service: TestService;
	let folder: string;
	let remembered: string | undefined;

	beforeEach(() => {
		({ service, folder } = windows);
		remembered = undefined;
	});

	const open = (others: WindowOptions = {}) =>
		windows.open({
			remembered: {
				read: () => (remembered === undefined ? undefined : { id: remembered }),
				write: ({ id }) => {
					remembered = id;
				},
			},
			...others,
		});

	const idOf = (conversations: OpenConversations) => conversations.shown.conversation.id;
	const replyOf = ({ shown }: OpenConversations) => {
		const turn = shown.conversation.turns.at(-1);
		assert.ok(turn);
		return currentReply(turn);
	};
	const ended = (conversations: OpenConversations) => replyEnded(conversations.shown);
	async function ask(conversations: OpenConversations, turnId: string, question: string): Promise<string> {
		assert.equal(await conversations.shown.send(turnId, question), undefined);
		await ended(conversations);
		// Another window that opened it before its last save would find it written by others.
		await conversations.shown.idle();
		return idOf(conversations);
	}
	/** A reply that goes on until it is told to end. */
	function slowly(): { say(words: string): void; end(): void } {
		let reply: Parameters<TestService['answer']>[0] | undefined;
		service.answer = response => {
			reply = response;
			stream(response, ['So far'], false);
		};
		const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
		return {
			say: words => reply?.write(chunk(words)),
			end: () => reply?.end('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'),
		};
	}

	it('keep what was chosen before the first message over a reload, and give it to no other conversation', async () => {
		const before = await open();
		await before.shown.choose({ model: 'small', routing: { sort: 'price' }, retention: true });
		await before.shown.setMode('search');
		await before.close();
		const chosen = { model: 'small', routing: { sort: 'price' }, retention: true };
		const after = await open();
		assert.deepEqual([after.shown.mode, after.shown.conversation.settings], ['search', chosen]);
		await after.shown.setMode('chat');
		await after.shown.send(first, 'One?');
		await after.showNew();
		assert.deepEqual([after.shown.mode, after.shown.conversation.settings], ['chat', undefined]);
	});

	it('let a choice be undone before the first message', async () => {
		const before = await open();
		await before.shown.choose({ model: 'small' });
		await before.shown.choose({ model: undefined });
		await before.close();
		assert.equal((await open()).shown.conversation.settings, undefined);
	});

	it('ignore the unreadable parts of such a choice', async () => {
		await (await open()).close();
		service.state.set('errand.unsentChoice', {
			conversation: remembered,
			mode: 5,
			settings: { model: 7, retention: true },
		});
		const { shown } = await open();
		assert.deepEqual([shown.mode, shown.conversation.settings], ['chat', { retention: true }]);
	});

	it('show what the window showed last, also when that is not the newest', async () => {
		const before = await open();
		const older = await ask(before, first, 'One?');
		await before.showNew();
		const newer = await ask(before, second, 'Two?');
		assert.notEqual(older, newer);
		await before.open(older);
		await before.close();
		assert.equal(idOf(await open()), older);
		remembered = undefined;
		assert.equal(idOf(await open()), newer);
	});

	it('show a new one after a reload where a new one was shown', async () => {
		const before = await open();
		await ask(before, first, 'One?');
		await before.showNew();
		await before.close();
		const after = await open();
		assert.equal(after.shown.conversation.turns.length, 0);
		assert.equal(idOf(after), idOf(before));
	});

	it('begin with the newest of exactly these folders in a window that showed none', async () => {
		const elsewhere = await open({ chat: { workspace: () => ({ folders: ['file:///other'] }) } });
		await ask(elsewhere, first, 'Elsewhere?');
		remembered = undefined;
		const here = await open();
		assert.equal(here.shown.conversation.turns.length, 0);
		const asked = await ask(here, second, 'Here?');
		remembered = undefined;
		assert.equal(idOf(await open()), asked);
	});

	it('have one without a message at most', async () => {
		const conversations = await open();
		const id = idOf(conversations);
		await conversations.showNew();
		assert.equal(idOf(conversations), id);
	});

	it('let a reply go on behind another conversation, save it, and show it live again', async () => {
		const reply = slowly();
		const changes: ShownChange[] = [];
		const conversations = await open({ onChange: (_, change, isShown) => isShown && changes.push(change) });
		await conversations.shown.send(first, 'One?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		const id = idOf(conversations);
		await conversations.showNew();
		assert.notEqual(idOf(conversations), id);
		reply.say(', so');
		const background = conversations.find(id);
		assert.ok(background?.live);
		await waitFor('a save', async () =>
			(await readFile(path.join(folder, `${id}.jsonl`), 'utf8')).includes('So far, so'),
		);
		await conversations.open(id);
		assert.equal(conversations.shown, background);
		reply.say(' good.');
		await waitFor('the text', () => changes.some(change => change.kind === 'text' && change.text === ' good.'));
		reply.end();
		await ended(conversations);
		assert.equal(replyOf(conversations).text, 'So far, so good.');
	});

	it('let go of a conversation in the background when its reply is over and on disk', async () => {
		const reply = slowly();
		const conversations = await open();
		await conversations.shown.send(first, 'One?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		const id = idOf(conversations);
		await conversations.showNew();
		reply.end();
		await waitFor('it to be let go', () => conversations.find(id) === undefined);
		await conversations.open(id);
		assert.deepEqual([replyOf(conversations).state, replyOf(conversations).text], ['done', 'So far']);
	});

	it('stop the reply of the conversation that is meant', async () => {
		const left = slowly();
		const conversations = await open();
		await conversations.shown.send(first, 'One?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		const id = idOf(conversations);
		await conversations.showNew();
		slowly();
		await conversations.shown.send(second, 'Two?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		conversations.findByTurn(second)?.stop();
		await ended(conversations);
		assert.equal(replyOf(conversations).state, 'stopped');
		assert.ok(conversations.find(id)?.live);
		left.end();
	});

	it('keep open what could not be saved, and save it when the window closes', async () => {
		const reply = slowly();
		const notices: (string | undefined)[] = [];
		const onChange: OpenConversationsOptions['onChange'] = (chat, change, isShown) => {
			if (change.kind === 'notice' && !isShown) {
				notices.push(chat.notice?.kind);
			}
		};
		const conversations = await open({ onChange });
		await conversations.shown.send(first, 'One?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		const id = idOf(conversations);
		await conversations.showNew();
		await rm(folder, { recursive: true });
		await writeFile(folder, 'a file in the way');
		reply.end();
		await waitFor('the notice', () => notices.includes('save-failed'));
		assert.ok(conversations.find(id));
		await rm(folder);
		await conversations.close();
		assert.match(await readFile(path.join(folder, `${id}.jsonl`), 'utf8'), /So far/);
	});

	it('read a conversation again that another window has gone on with', async () => {
		const one = await open();
		const id = await ask(one, first, 'One?');
		const other = await open();
		assert.equal(idOf(other), id);
		await ask(other, second, 'Two?');
		await other.close();
		assert.equal(one.shown.conversation.turns.length, 1);
		await one.open(id);
		assert.equal(one.shown.conversation.turns.length, 2);
	});

	it('are known by the id of the copy after another window wrote', async () => {
		const one = await open();
		const id = await ask(one, first, 'One?');
		const other = await open();
		await ask(other, second, 'Two?');
		await ask(one, '00000000-0000-4000-8000-000000000009', 'Three?');
		assert.deepEqual(one.shown.notice, { kind: 'branched' });
		assert.notEqual(idOf(one), id);
		assert.equal(remembered, idOf(one));
		assert.equal((await one.list()).conversations.length, 2);
	});

	it('stay remembered as the one that is shown while another has a new name', async () => {
		const written: string[] = [];
		const reply = slowly();
		const conversations = await open({ remembered: { read: () => undefined, write: ({ id }) => written.push(id) } });
		await conversations.shown.send(first, 'One?');
		await waitFor('some text', () => replyOf(conversations).text === 'So far');
		const background = idOf(conversations);
		await conversations.showNew();
		const shown = idOf(conversations);
		await conversations.rename(background, 'Behind the other');
		assert.equal(conversations.find(background)?.conversation.title, 'Behind the other');
		reply.end();
		await waitFor('it to be let go', () => conversations.find(background) === undefined);
		await conversations.rename(shown, 'In front');
		// A name is all that what is remembered may change with: it is not written anew for each word of a reply.
		assert.deepEqual(written, [background, shown, shown]);
	});

	describe('rename', () => {
		it('one that is shown, one that is not, and one without a message', async () => {
			const conversations = await open();
			const shown = await ask(conversations, first, 'One?');
			await conversations.rename(shown, 'Login');
			await conversations.showNew();
			await conversations.rename(idOf(conversations), 'Later');
			const later = await ask(conversations, second, 'Two?');
			await conversations.rename(shown, 'Login again');
			const titles = new Map((await conversations.list()).conversations.map(({ id, title }) => [id, title]));
			assert.deepEqual([titles.get(shown), titles.get(later)], ['Login again', 'Later']);
		});

		it('one that another window has open and asks in, which goes on in the same file', async () => {
			const one = await open();
			const id = await ask(one, first, 'One?');
			const other = await open();
			await other.showNew();
			await other.rename(id, 'Login');
			await ask(one, second, 'Two?');
			assert.deepEqual([one.shown.notice, one.shown.conversation.title, idOf(one)], [undefined, 'Login', id]);
			assert.equal((await one.list()).conversations.length, 1);
		});
	});

	describe('delete', () => {
		it('the one that is shown, and take it back', async () => {
			const deleted: string[] = [];
			const conversations = await open({ onDelete: id => deleted.push(id) });
			const id = await ask(conversations, first, 'One?');
			const deletion = await conversations.delete(id);
			assert.ok(deletion);
			assert.deepEqual(deleted, [id]);
			assert.equal(conversations.shown.conversation.turns.length, 0);
			assert.deepEqual((await conversations.list()).conversations, []);
			await conversations.restore(deletion);
			assert.equal(idOf(conversations), id);
			assert.equal(replyOf(conversations).text, 'An answer.');
		});

		it('what agents keep for one that has no file', async () => {
			const forgotten: string[] = [];
			windows.agents = { ...noAgents, forget: async id => void forgotten.push(id) };
			const conversations = await open();
			const id = idOf(conversations);
			assert.equal(await conversations.delete(id), undefined);
			assert.deepEqual(forgotten, [id]);
		});

		it('one whose reply runs: it is stopped, and comes back with its text', async () => {
			slowly();
			const conversations = await open();
			await conversations.shown.send(first, 'One?');
			await waitFor('some text', () => replyOf(conversations).text === 'So far');
			const deletion = await conversations.delete(idOf(conversations));
			assert.ok(deletion);
			await waitFor('the service to notice', () => service.hungUp === 1);
			assert.deepEqual(
				(await readdir(folder)).filter(name => name.endsWith('.jsonl')),
				[],
			);
			await conversations.restore(deletion);
			assert.deepEqual([replyOf(conversations).state, replyOf(conversations).text], ['stopped', 'So far']);
		});

		it('one whose reply is about to begin: it is stopped at once', async () => {
			service.answer = () => {};
			const conversations = await open();
			const { shown } = conversations;
			const sent = shown.send(first, 'One?');
			assert.ok(await conversations.delete(idOf(conversations)));
			assert.equal(await sent, undefined);
			assert.deepEqual([shown.isBusy, shown.conversation.turns[0]?.replies[0].state], [false, 'stopped']);
		});

		it('and leave a user alone who has begun something else before it is taken back', async () => {
			const conversations = await open();
			const deletion = await conversations.delete(await ask(conversations, first, 'One?'));
			const other = await ask(conversations, second, 'Two?');
			assert.ok(deletion);
			await conversations.restore(deletion);
			assert.equal(idOf(conversations), other);
			assert.equal((await conversations.list()).conversations.length, 2);
		});

		it('one for which a message waits, which begins no other reply in it', async () => {
			service.answer = () => {};
			const conversations = await open();
			const chat = conversations.shown;
			await chat.send(first, 'One?');
			const next = chat.idle().then(() => chat.send(second, 'Two?'));
			await conversations.delete(idOf(conversations));
			assert.deepEqual(await next, { reason: 'no-turn' });
			assert.equal(chat.isBusy, false);
		});

		it('nothing where there is no file yet', async () => {
			const conversations = await open();
			assert.equal(await conversations.delete(idOf(conversations)), undefined);
		});
	});
});
