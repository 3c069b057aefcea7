import assert from 'node:assert/strict';
import { PageFeed } from '../../../src/chat/pageFeed.ts';
import type { ToPage, TurnView } from '../../../src/chat/protocol/protocol.ts';
import { toTurnView } from '../../../src/chat/protocol/toView.ts';
import type { StepView } from '../../../src/chat/protocol/workProtocol.ts';
import { applyMessage, emptyPageState, type PageState } from '../../../src/chat/ui/pageState.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { conversation, reply, TURN_IDS, turn } from './conversations.ts';

const [id] = TURN_IDS;
const rest = {
	conversation: conversation().id,
	earlier: 0,
	connection: { label: 'Local', model: 'demo' },
};

function view(text: string): TurnView {
	const value = turn(id, 'One?', reply({ state: 'streaming', text }));
	return toTurnView(conversation(value), value, { turnId: id, waiting: false });
}

describe('the feed of the page', () => {
	let clock: ManualClock;
	let messages: { at: number; message: ToPage }[];
	let feed: PageFeed;

	beforeEach(() => {
		clock = new ManualClock({ start: 0 });
		messages = [];
		feed = new PageFeed(message => messages.push({ at: clock.now(), message }), clock);
	});

	/** What a page that got every message shows. */
	const shown = () =>
		messages.reduce<PageState>((state, { message }) => {
			const next = applyMessage(state, message);
			assert.notEqual(next, 'missed');
			return next as PageState;
		}, emptyPageState);

	it('sends the first change at once and then one message each 16 ms, whatever the number of changes', async () => {
		feed.snapshot({ turns: [view('')], ...rest });
		const words = Array.from({ length: 200 }, (_, index) => `${index} `);
		for (const word of words) {
			feed.change({ kind: 'text-append', turn: id, text: word });
			await clock.advance(1);
		}
		await clock.advance(100);
		const times = messages.slice(1).map(({ at }) => at);
		assert.equal(times[0], 0);
		times.slice(1).forEach((time, index) => {
			assert.equal(time - (times[index] ?? 0), 16);
		});
		assert.ok(times.length <= Math.ceil(200 / 16) + 1, `${times.length} messages`);
		assert.equal(shown().turns[0]?.reply.text, words.join(''));
	});

	it('joins the words of a message into one append', async () => {
		feed.snapshot({ turns: [view('')], ...rest });
		for (const text of ['a', 'b', 'c', 'd']) {
			feed.change({ kind: 'text-append', turn: id, text });
		}
		await clock.advance(20);
		const changes = messages.flatMap(({ message }) => (message.kind === 'turns-change' ? message.changes : []));
		assert.deepEqual(changes, [
			{ kind: 'text-append', turn: id, text: 'a' },
			{ kind: 'text-append', turn: id, text: 'bcd' },
		]);
	});

	it('lets a whole turn take the place of what waits for it, and nothing come twice', async () => {
		feed.snapshot({ turns: [view('')], ...rest });
		feed.change({ kind: 'text-append', turn: id, text: 'a' });
		feed.change({ kind: 'text-append', turn: id, text: 'b' });
		feed.change({ kind: 'turn-set', turn: view('ab') });
		feed.change({ kind: 'text-append', turn: id, text: 'c' });
		await clock.advance(20);
		assert.equal(shown().turns[0]?.reply.text, 'abc');
	});

	it('drops what waits when a snapshot holds it, and numbers on from there', async () => {
		feed.change({ kind: 'text-append', turn: id, text: 'a' });
		feed.change({ kind: 'text-append', turn: id, text: 'b' });
		feed.snapshot({ turns: [view('ab')], ...rest });
		feed.change({ kind: 'text-append', turn: id, text: 'c' });
		await clock.advance(40);
		assert.equal(shown().turns[0]?.reply.text, 'abc');
	});

	it('tells each step of an agent as it is last, in its place between the words', async () => {
		const step = (name: string, state: 'running' | 'done'): StepView => ({
			id: name,
			offset: 0,
			kind: 'execute',
			state,
			title: name,
			hasOutput: false,
			startedAt: 0,
		});
		feed.snapshot({ turns: [view('')], ...rest });
		await clock.advance(20);
		feed.change({
			kind: 'work-set',
			turn: id,
			work: { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true },
		});
		feed.change({ kind: 'step-set', turn: id, step: step('one', 'running') });
		feed.change({ kind: 'step-set', turn: id, step: step('one', 'done') });
		feed.change({ kind: 'text-append', turn: id, text: 'Then' });
		feed.change({ kind: 'step-set', turn: id, step: step('two', 'running') });
		await clock.advance(100);
		const sent = messages.flatMap(({ message }) => (message.kind === 'turns-change' ? message.changes : []));
		assert.equal(sent.filter(({ kind }) => kind === 'step-set').length, 2);
		const { work, text } = shown().turns[0]?.reply ?? assert.fail();
		assert.equal(text, 'Then');
		assert.deepEqual(work?.steps, [step('one', 'done'), step('two', 'running')]);
	});

	it('keeps reasoning and text apart', async () => {
		feed.snapshot({ turns: [view('x')], ...rest });
		feed.change({ kind: 'reasoning-append', turn: id, text: 'r' });
		feed.change({ kind: 'text-append', turn: id, text: 't' });
		feed.change({ kind: 'reasoning-append', turn: id, text: 's' });
		await clock.advance(20);
		assert.deepEqual([shown().turns[0]?.reply.text, shown().turns[0]?.reply.reasoning], ['xt', 'rs']);
	});
});
