import assert from 'node:assert/strict';
import { renameSync, rmdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChatChange } from '../../../../src/chat/conversation/chatOptions.ts';
import { WAITING_AFTER_MS } from '../../../../src/chat/conversation/session.ts';
import { markFiles } from '../../../../src/chat/model/agentWork.ts';
import { shownTurns } from '../../../../src/chat/model/conversation.ts';
import { MAXIMUM_MESSAGE_LENGTH } from '../../../../src/chat/protocol/protocol.ts';
import { ConversationWriter } from '../../../../src/chat/storage/conversationWriter.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';
import { noAgents } from '../noServices.ts';
import { stream, type TestService } from '../testService.ts';
import { replyEnded, replyOf, useTestWindows, type WindowOptions } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;

describe('the chat', () => {
	const windows = useTestWindows();
	let service: TestService;
	let folder: string;

	beforeEach(() => {
		({ service, folder } = windows);
	});

	const open = async (others: WindowOptions = {}) => (await windows.open(others)).shown;
	const onDisk = () => windows.onDisk();

	it('asks with the history and keeps question and answer on disk', async () => {
		const chat = await open();
		assert.equal(await chat.send(first, 'One?'), undefined);
		await replyEnded(chat);
		assert.equal(await chat.send(second, 'Two?'), undefined);
		await replyEnded(chat);
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

	it('has it on disk also where the conversation is renamed while it is being saved', async () => {
		const chat = await open();
		await chat.send(first, 'One?');
		await replyEnded(chat);
		service.answer = () => {};
		const sent = chat.send(second, 'Two?');
		await nextTurn();
		const renamed = chat.rename('Counting');
		assert.deepEqual(await Promise.all([sent, renamed]), [undefined, undefined]);
		const [kept] = await onDisk();
		assert.deepEqual([kept?.title, kept?.turns[1]?.question], ['Counting', 'Two?']);
	});

	it('has nothing on disk of one that is refused because it could not be saved', async () => {
		const chat = await open();
		await chat.send(first, 'One?');
		await replyEnded(chat);
		await chat.idle();
		const file = path.join(folder, `${chat.conversation.id}.jsonl`);
		const lock = path.join(folder, `${chat.conversation.id}.lock`);
		const moved = `${file}.moved`;
		await writeFile(lock, JSON.stringify({ pid: process.pid, host: os.hostname() }));
		await rename(file, moved);
		await mkdir(file);
		const sent = chat.send(second, 'Two?');
		await waitFor('the save to wait for the lock', async () => (await readdir(folder)).length > 3);
		const renamed = chat.rename('Counting');
		await rm(lock);
		assert.deepEqual(await sent, { reason: 'not-saved', code: 'EISDIR' });
		rmdirSync(file);
		renameSync(moved, file);
		await renamed;
		await chat.idle();
		const [kept] = await onDisk();
		assert.deepEqual([kept?.title, kept?.turns.length], ['Counting', 1]);
	});

	it('keeps what is marked of an earlier turn while it is being saved', async () => {
		const files = [{ path: 'a.ts', status: 'M', added: 1, removed: 0 }] as const;
		const value = conversation(turn(first, 'One?', reply({ work: { ...AGENT_WORK, files } })));
		await new ConversationWriter(folder, value).save(value);
		const chat = await open();
		const sent = chat.send(second, 'Two?');
		await nextTurn();
		const repository = AGENT_WORK.checkpoints[0]?.repository ?? '';
		const marked = { repository, taken: 'b'.repeat(40), paths: ['a.ts'], isTaken: true };
		await chat.changeWork(first, work => markFiles(work, marked));
		assert.equal(await sent, undefined);
		await replyEnded(chat);
		assert.equal(replyOf(chat, first).work?.files?.[0]?.isTaken, true);
		assert.equal(replyOf(chat, second).text, 'An answer.');
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
		await replyEnded(chat);
		assert.equal(changes[0]?.kind, 'conversation');
		assert.ok(changes.some(({ kind }) => kind === 'text'));
		assert.deepEqual(changes.at(-1), { kind: 'turn', turnId: first });
	});

	it('refuses what cannot be asked, each with its reason, and asks nothing', async () => {
		const chat = await open();
		assert.deepEqual(await chat.send(first, ' \n\t'), { reason: 'empty' });
		assert.deepEqual(await chat.send(first, 'x'.repeat(MAXIMUM_MESSAGE_LENGTH + 1)), { reason: 'too-long' });
		assert.deepEqual(await chat.retry(first), { reason: 'no-turn' });
		windows.model = undefined;
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
		await replyEnded(chat);
		assert.equal(await chat.send(first, 'One?'), undefined);
		assert.equal(chat.conversation.turns.length, 1);
		assert.equal(service.requests.length, 1);
	});

	it('gives a turn that is sent again while it is being taken the same answer', async () => {
		const chat = await open();
		assert.deepEqual(await Promise.all([chat.send(first, 'One?'), chat.send(first, 'One?')]), [undefined, undefined]);
		await replyEnded(chat);
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
		await replyEnded(chat);
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
		await replyEnded(chat);
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
		await replyEnded(chat);
		assert.equal(replyOf(chat, first).state, 'stopped');
		await waitFor('the service to notice', () => service.hungUp === 1);
	});

	it('tells of a reply that has long been silent that it is waited for, until it goes on', async () => {
		let reply: ServerResponse | undefined;
		service.answer = response => {
			reply = response;
			stream(response, ['So far'], false);
		};
		const clock = new ManualClock();
		const chat = await open({ chat: { clock } });
		await chat.send(first, 'One?');
		await waitFor('some text', () => replyOf(chat, first).text === 'So far');
		assert.deepEqual(chat.live, { turnId: first, waiting: false });
		await clock.expire(WAITING_AFTER_MS);
		await waitFor('it to be waited for', () => chat.live?.waiting === true);
		reply?.write('data: {"choices":[{"delta":{"content":", so good."}}]}\n\n');
		await waitFor('the rest', () => replyOf(chat, first).text === 'So far, so good.');
		assert.deepEqual(chat.live, { turnId: first, waiting: false });
		chat.stop();
		await replyEnded(chat);
	});

	it('calls a reply cut off when its stream just ends, keeps its text and sends it on', async () => {
		service.answer = response => {
			stream(response, ['So far'], false);
			setImmediate(() => response.destroy());
		};
		const chat = await open();
		await chat.send(first, 'One?');
		await replyEnded(chat);
		assert.deepEqual([replyOf(chat, first).state, replyOf(chat, first).text], ['cutOff', 'So far']);
		service.answer = response => stream(response, ['Yes.'], true);
		await chat.send(second, 'Go on?');
		await replyEnded(chat);
		assert.equal(service.requests[1]?.messages[1]?.content, 'So far');
	});

	it('keeps every earlier reply of a turn that is asked again', async () => {
		service.answer = response => response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
		const chat = await open();
		await chat.send(first, 'One?');
		await replyEnded(chat);
		assert.equal(replyOf(chat, first).state, 'failed');
		assert.match(replyOf(chat, first).explanation?.message ?? '', /^Test: /);
		service.answer = response => stream(response, ['Yes.'], true);
		await chat.retry(first);
		await replyEnded(chat);
		await chat.retry(first);
		await replyEnded(chat);
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
		await replyEnded(again);
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
		await replyEnded(one);
		await one.close();
		const [left, right] = [await open(), await open()];
		await left.send(second, 'Left?');
		await right.send(third, 'Right?');
		await Promise.all([replyEnded(left), replyEnded(right)]);
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
		assert.deepEqual(chat.notice, { kind: 'repaired', repairs: [{ kept: 0, expected: undefined }] });
		assert.equal(await chat.send(first, 'One?'), undefined);
		await replyEnded(chat);
	});

	describe('a message that is changed and sent again', () => {
		it('is another version: the old one stays, with what followed it, and can be shown again', async () => {
			const chat = await open();
			await chat.send(first, 'One?');
			await replyEnded(chat);
			await chat.send(second, 'Two?');
			await replyEnded(chat);
			const changes: string[] = [];
			chat.onDidChange(({ kind }) => changes.push(kind));
			assert.equal(await chat.edit(first, third, 'Another one?'), undefined);
			assert.equal(changes[0], 'path');
			await replyEnded(chat);
			assert.deepEqual(service.requests[2]?.messages, [{ role: 'user', content: 'Another one?' }]);
			const questions = () => shownTurns(chat.conversation).map(({ question }) => question);
			assert.deepEqual(questions(), ['Another one?']);
			assert.equal(await chat.showVersion(first), undefined);
			assert.deepEqual(questions(), ['One?', 'Two?']);
			await chat.close();
			assert.deepEqual((await open()).conversation, chat.conversation);
		});

		it('is also one from which an agent goes on, after a step of the turn before, which the file remembers', async () => {
			windows.agents = {
				...noAgents,
				refusal: async () => undefined,
				async *run() {
					yield { type: 'text', text: 'Done.' };
					yield { type: 'finish', reason: 'stop' };
				},
			};
			const chat = await open();
			await chat.send(first, '/agent One?');
			await replyEnded(chat);
			await chat.send(second, '/agent Two?');
			await replyEnded(chat);
			const states = [{ repository: '/home/me/widgets', commit: 'a'.repeat(40), taken: 'b'.repeat(40) }];
			const from = { turn: first, step: 'call-1', title: 'Edit a.ts', states };
			assert.equal(await chat.continueFrom(third, 'Three?', { from }), undefined);
			await replyEnded(chat);
			assert.deepEqual(
				shownTurns(chat.conversation).map(({ question, from: start }) => [question, start?.step]),
				[
					['One?', undefined],
					['Three?', 'call-1'],
				],
			);
			await chat.close();
			assert.deepEqual((await open()).conversation, chat.conversation);
		});

		it('is shown again in the version that a reload came right after', async () => {
			const chat = await open();
			await chat.send(first, 'One?');
			await replyEnded(chat);
			await chat.edit(first, third, 'Another one?');
			await replyEnded(chat);
			void chat.showVersion(first);
			await chat.close();
			assert.equal((await open()).conversation.head, first);
		});

		it('is refused while a reply runs, and where there is no such message', async () => {
			service.answer = response => stream(response, ['So far'], false);
			const chat = await open();
			await chat.send(first, 'One?');
			assert.deepEqual(await chat.edit(first, second, 'Another one?'), { reason: 'busy' });
			assert.deepEqual(await chat.showVersion(first), { reason: 'busy' });
			assert.deepEqual(await chat.edit(third, second, 'Another one?'), { reason: 'no-turn' });
			chat.stop();
			await replyEnded(chat);
			assert.deepEqual(await chat.showVersion(third), { reason: 'no-turn' });
		});
	});

	describe('a reply that ended too early', () => {
		it('goes on in the same reply, after a reload too, and says where', async () => {
			service.answer = response => {
				stream(response, ['So f'], false);
				setImmediate(() => response.destroy());
			};
			const before = await open();
			await before.send(first, 'One?');
			await replyEnded(before);
			await before.close();
			const chat = await open();
			service.answer = response => stream(response, ['ar, so ', 'good.'], true);
			const texts: string[] = [];
			chat.onDidChange(change => change.kind === 'text' && texts.push(change.text));
			assert.equal(await chat.continue(first), undefined);
			await replyEnded(chat);
			const { state, text, continuations } = replyOf(chat, first);
			assert.deepEqual([state, text], ['done', 'So far, so good.']);
			assert.equal(texts.join(''), 'ar, so good.');
			assert.deepEqual(
				continuations?.map(({ offset, after }) => [offset, after]),
				[[4, 'cutOff']],
			);
			assert.equal(service.requests[1]?.messages[1]?.content, 'So f');
			assert.equal(chat.conversation.turns[0]?.replies.length, 1);
		});

		it('keeps its text when the service fails, and can be tried again', async () => {
			service.answer = response => {
				stream(response, ['So f'], false);
				setImmediate(() => response.destroy());
			};
			const chat = await open();
			await chat.send(first, 'One?');
			await replyEnded(chat);
			service.answer = response => response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
			await chat.continue(first);
			await replyEnded(chat);
			assert.deepEqual([replyOf(chat, first).state, replyOf(chat, first).text], ['failed', 'So f']);
			service.answer = response => stream(response, ['ar.'], true);
			await chat.continue(first);
			await replyEnded(chat);
			assert.deepEqual([replyOf(chat, first).state, replyOf(chat, first).text], ['done', 'So far.']);
		});

		it('is not asked to go on when it is whole, when it is not the last, or while it runs', async () => {
			const chat = await open();
			await chat.send(first, 'One?');
			await replyEnded(chat);
			assert.deepEqual(await chat.continue(first), { reason: 'finished' });
			service.answer = response => stream(response, ['So far'], false);
			await chat.send(second, 'Two?');
			assert.deepEqual(await chat.continue(first), { reason: 'no-turn' });
			assert.deepEqual(await chat.continue(second), { reason: 'busy' });
			await waitFor('the second request', () => service.requests.length === 2);
		});
	});
});
