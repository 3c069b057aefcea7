import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import {
	SAVE_INTERVAL_MS,
	Session,
	type SessionConversation,
	type SessionRequest,
	WAITING_AFTER_MS,
	type Waiting,
} from '../../../../src/chat/conversation/session.ts';
import type { Reply } from '../../../../src/chat/model/conversation.ts';
import { ManualClock, settle } from '../../../support/manualClock.ts';
import { AGENT_WORK, reply } from '../conversations.ts';
import { ReplySource } from '../replySource.ts';

/** What a test has otherwise than the other tests. */
interface Others {
	request?: Partial<SessionRequest>;
	conversation?: Partial<SessionConversation>;
}

describe('a running reply', () => {
	let clock: ManualClock;
	let source: ReplySource;
	let changes: { reply: Reply; waiting: Waiting }[];
	let isLoading: () => Promise<boolean>;
	let saves: { at: number; text: string }[];
	let signal: AbortSignal | undefined;

	beforeEach(() => {
		clock = new ManualClock({ start: 0 });
		source = new ReplySource();
		changes = [];
		saves = [];
		signal = undefined;
		isLoading = async () => false;
	});

	function start({ request, conversation }: Others = {}): Session {
		const { endedAt: _, ...begun } = reply({ state: 'streaming', text: '', startedAt: 0 });
		return new Session({
			reply: begun,
			request: {
				stream: async requested => {
					signal = requested;
					return source.stream();
				},
				...request,
			},
			conversation: {
				onChange: (next, waiting) => changes.push({ reply: next, waiting }),
				save: async () => {
					saves.push({ at: clock.now(), text: last().text });
				},
				...conversation,
			},
			explain: {
				error: error => ({ message: `explained: ${(error as Error).message}` }),
				finish: (problem, hasThought) => ({ message: `finish: ${problem}${hasThought ? ' after thinking' : ''}` }),
			},
			isLoading: () => isLoading(),
			clock,
		});
	}

	const last = (): Reply => {
		const change = changes.at(-1);
		assert.ok(change);
		return change.reply;
	};

	it('grows with each event and is done at the end of its stream', async () => {
		const session = start();
		source.text('Be');
		source.text('cause.');
		source.give({ type: 'served', provider: 'provider-a' });
		await clock.advance(1_234);
		assert.deepEqual(
			changes.map(change => change.reply.text),
			['Be', 'Because.', 'Because.'],
		);
		source.end();
		await session.ended;
		assert.deepEqual(
			last(),
			reply({ text: 'Because.', startedAt: 0, firstAt: 0, endedAt: 1_234, provider: 'provider-a' }),
		);
	});

	it('tells what was appended as it came, and whatever else changes as a whole', async () => {
		const appended: unknown[] = [];
		const onChange = (_: Reply, waiting: Waiting, text: unknown) => void appended.push(waiting ? 'waits' : text);
		const session = start({ conversation: { onChange, save: async () => {} } });
		source.give({ type: 'reasoning', text: 'Hm' }, { type: 'reasoning', text: 'm.' });
		source.text('Be');
		source.text('cau');
		source.give({ type: 'served', provider: 'provider-a' });
		await clock.advance(WAITING_AFTER_MS);
		source.text('se');
		source.text('.');
		source.end();
		await session.ended;
		const whole = undefined;
		assert.deepEqual(appended, [
			whole,
			{ kind: 'reasoning', text: 'm.' },
			whole,
			{ kind: 'text', text: 'cau' },
			whole,
			'waits',
			whole,
			{ kind: 'text', text: '.' },
			whole,
		]);
	});

	it('is saved at most a second after a change, and once more at its end', async () => {
		const session = start();
		for (let index = 0; index < 35; index++) {
			source.text('x');
			await clock.advance(100);
		}
		assert.ok(saves.length >= 3, `${saves.length} saves`);
		const times = [0, ...saves.map(({ at }) => at)];
		times.slice(1).forEach((time, index) => {
			assert.ok(time - (times[index] ?? 0) <= SAVE_INTERVAL_MS + 100, `${times}`);
		});
		source.end();
		await session.ended;
		assert.equal(saves.at(-1)?.text, 'x'.repeat(35));
		assert.equal(clock.sleeping, 0, 'no timer is left');
	});

	it('is not saved again while nothing changes', async () => {
		start();
		source.text('x');
		await clock.advance(10_000);
		assert.equal(saves.length, 1);
	});

	it('says after 30 s of silence that it waits, once, and takes it back with the next event', async () => {
		start();
		source.text('x');
		await clock.advance(WAITING_AFTER_MS - 1);
		assert.ok(changes.every(({ waiting }) => !waiting));
		await clock.advance(1);
		assert.equal(changes.at(-1)?.waiting, true);
		const count = changes.length;
		await clock.advance(3 * WAITING_AFTER_MS);
		assert.equal(changes.length, count);
		source.text('y');
		await clock.advance(1);
		assert.equal(changes.at(-1)?.waiting, false);
		assert.equal(last().text, 'xy');
		await clock.advance(WAITING_AFTER_MS);
		assert.equal(changes.at(-1)?.waiting, true, 'and again');
	});

	it('waits in the same way for a service that does not answer at all', async () => {
		start({ request: { stream: () => new Promise(() => {}) } });
		await clock.advance(WAITING_AFTER_MS);
		assert.equal(changes.at(-1)?.waiting, true);
	});

	it('says that the model is being loaded as long as its service says so', async () => {
		let loads = true;
		isLoading = async () => loads;
		start();
		await clock.advance(WAITING_AFTER_MS);
		assert.deepEqual(
			changes.map(({ waiting }) => waiting),
			[true, 'loading'],
		);
		loads = false;
		await clock.advance(WAITING_AFTER_MS);
		assert.equal(changes.at(-1)?.waiting, true);
		source.text('x');
		await clock.advance(1);
		assert.equal(changes.at(-1)?.waiting, false);
		isLoading = () => Promise.reject(new Error('no service'));
		await clock.advance(WAITING_AFTER_MS);
		assert.equal(changes.at(-1)?.waiting, true);
	});

	it('keeps the text when it is stopped, tells the service, and takes nothing more', async () => {
		const session = start();
		source.text('So far');
		await settle();
		session.stop();
		await session.ended;
		assert.deepEqual([last().state, last().text], ['stopped', 'So far']);
		assert.equal(signal?.aborted, true);
		const count = changes.length;
		source.text(' and more');
		await settle();
		assert.equal(changes.length, count);
		assert.equal(source.left, true, 'the stream was left');
		assert.equal(saves.at(-1)?.text, 'So far');
	});

	it('is told to its end when it is stopped, where it ends itself', async () => {
		const session = start({ request: { endsItself: true } });
		source.text('So far');
		await settle();
		session.stop();
		await settle();
		assert.equal(last().state, 'streaming');
		assert.equal(signal?.aborted, true);
		source.text(', then stopped');
		source.end();
		await session.ended;
		assert.deepEqual([last().state, last().text], ['stopped', 'So far, then stopped']);
	});

	it('that an agent gives needs no words, and leaves nothing running or waiting', async () => {
		const step = { id: 'one', offset: 0, kind: 'execute', state: 'running', title: 'npm test', startedAt: 0 } as const;
		const work = { ...AGENT_WORK, steps: [{ ...step, approval: { state: 'waiting' as const } }] };
		const before: unknown[] = [];
		const session = start({
			request: { stream: async () => source.stream() },
			conversation: {
				onChange: (next, waiting, appended) => {
					changes.push({ reply: next, waiting });
					before.push(appended?.kind === 'work' ? appended.before : undefined);
				},
			},
		});
		source.give({ type: 'work', work: AGENT_WORK }, { type: 'work', work });
		source.end();
		await session.ended;
		assert.equal(last().state, 'done');
		assert.deepEqual(last().work?.steps, [
			{ ...step, state: 'stopped', endedAt: 0, approval: { state: 'unanswered' } },
		]);
		assert.deepEqual(before, [undefined, AGENT_WORK, undefined]);
	});

	it('stops at once although the service ignores the abort, before the stream and in it', async () => {
		for (const stream of [
			() => new Promise<never>(() => {}),
			async () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
		]) {
			changes = [];
			const session = start({ request: { stream } });
			await settle();
			session.stop();
			await session.ended;
			assert.equal(last().state, 'stopped');
		}
		assert.equal(clock.sleeping, 0);
	});

	it('calls an error that a stop brought about a stop', async () => {
		const session = start({
			request: {
				stream: requested =>
					new Promise((_, reject) => {
						requested.addEventListener('abort', () => reject(new ClientError('aborted', 'aborted')));
					}),
			},
		});
		await settle();
		session.stop();
		await session.ended;
		assert.equal(last().state, 'stopped');
		assert.equal(last().explanation, undefined);
	});

	it('keeps the text before an error and explains the error', async () => {
		const session = start();
		source.text('So far');
		source.fail(new ClientError('server', 'broken'));
		await session.ended;
		assert.deepEqual(
			[last().state, last().text, last().explanation?.message],
			['failed', 'So far', 'explained: broken'],
		);
	});

	it('explains that no client could be had', async () => {
		const session = start({ request: { stream: () => Promise.reject(new Error('no client')) } });
		await session.ended;
		assert.deepEqual([last().state, last().explanation?.message], ['failed', 'explained: no client']);
	});

	it('calls a stream without an end cut off', async () => {
		const session = start();
		source.text('So far');
		source.fail(new ClientError('truncated', 'no end'));
		await session.ended;
		assert.equal(last().state, 'cutOff');
	});

	it('takes no other error for the end of a cut stream, whatever its code says', async () => {
		const session = start();
		source.fail(Object.assign(new Error('no end'), { code: 'truncated' }));
		await session.ended;
		assert.equal(last().state, 'failed');
	});

	it('says so when a reply ends without a word, or for a reason of its own', async () => {
		for (const [reason, text, state, message] of [
			['stop', '', 'failed', 'finish: empty'],
			['stop', ' \n', 'failed', 'finish: empty'],
			['length', 'x', 'done', 'finish: length'],
			['length', '', 'failed', 'finish: length'],
			['content_filter', '', 'failed', 'finish: filtered'],
			['content_filter', 'x', 'done', 'finish: filtered'],
		] as const) {
			source = new ReplySource();
			const session = start();
			source.text(text);
			source.end(reason);
			await session.ended;
			assert.deepEqual([last().state, last().explanation?.message], [state, message]);
		}
	});

	it('does not say of a reply that has nothing but thinking that it is without a word', async () => {
		const session = start();
		source.give({ type: 'reasoning', text: 'Hm.' });
		source.end('stop');
		await session.ended;
		assert.deepEqual([last().state, last().explanation?.message], ['failed', 'finish: empty after thinking']);
	});
});
