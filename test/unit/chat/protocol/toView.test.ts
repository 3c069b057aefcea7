import assert from 'node:assert/strict';
import type { Conversation } from '../../../../src/chat/model/conversation.ts';
import { durationOf, type LiveState, sliceBefore, toTurnView, usageOf } from '../../../../src/chat/protocol/toView.ts';
import { commands } from '../../../../src/platform/ids.ts';
import { AGENT_WORK, conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const toTurnViews = (value: Conversation, live?: LiveState) => value.turns.map(found => toTurnView(value, found, live));

describe('the view of a turn', () => {
	const [first, second] = TURN_IDS;

	it('offers to ask again for the last turn only, and for none while a reply runs', () => {
		const value = conversation(turn(first, 'One?', reply()), turn(second, 'Two?', reply()));
		const offers = (live?: LiveState) => toTurnViews(value, live).map(view => view.reply.canRetry);
		assert.deepEqual(offers(), [false, true]);
		assert.deepEqual(offers({ turnId: second, waiting: false }), [false, false]);
	});

	it('has in its details what an agent says of its cost, and what is not understood', () => {
		const cost = { amount: 0.25, currency: 'USD' };
		const unknown = [{ kind: 'telepathy', text: '{}' }];
		const work = { ...AGENT_WORK, context: { used: 1, size: 2, cost }, unknown };
		const [view] = toTurnViews(conversation(turn(first, 'One?', reply({ work }))));
		assert.deepEqual(view?.reply.details?.agentCost, cost);
		assert.deepEqual(view?.reply.details?.unknown, [['telepathy', '{}']]);
	});

	it('shows the earlier text, marked as such, until the new reply has some', () => {
		const [empty] = toTurnViews(
			conversation(turn(first, 'One?', reply({ text: 'Old.' }), reply({ state: 'streaming', text: '' }))),
			{ turnId: first, waiting: true },
		);
		assert.deepEqual(
			[empty?.reply.text, empty?.reply.earlier, empty?.reply.state, empty?.reply.waiting],
			['Old.', true, 'streaming', true],
		);
		const [begun] = toTurnViews(
			conversation(turn(first, 'One?', reply({ text: 'Old.' }), reply({ state: 'streaming', text: 'N' }))),
			{ turnId: first, waiting: false },
		);
		assert.deepEqual([begun?.reply.text, begun?.reply.earlier], ['N', false]);
	});

	it('gives the page the sizes of what was attached, and not its text', () => {
		const [view] = toTurnViews(
			conversation({
				...turn(first, 'One?', reply()),
				attachments: [{ kind: 'file', label: 'a.ts', path: 'src/a.ts', uri: 'file:///src/a.ts', text: 'x'.repeat(35) }],
			}),
		);
		assert.deepEqual(view?.attachments, [{ kind: 'file', label: 'a.ts', path: 'src/a.ts', length: 35, tokens: 10 }]);
	});

	it('gives the page the label of an action and never its command', () => {
		const explanation = { message: 'No key.', action: { label: 'Manage Keys', command: commands.manageKeys } };
		const [view] = toTurnViews(
			conversation(turn(first, 'One?', reply({ state: 'failed', text: '', explanation }))),
			undefined,
		);
		assert.deepEqual(view?.reply.explanation, {
			message: 'No key.',
			action: { label: 'Manage Keys', primary: true },
		});
		assert.ok(!JSON.stringify(view).includes(commands.manageKeys));
	});

	it('makes Retry the primary button where the action only shows the log', () => {
		const explanation = { message: 'Failed.', action: { label: 'Show Log', command: commands.showLog } };
		const [view] = toTurnViews(conversation(turn(first, 'One?', reply({ state: 'failed', explanation }))), undefined);
		assert.equal(view?.reply.explanation?.action?.primary, false);
	});

	it('offers to go on with the last reply where it ended too early, and has text', () => {
		const offers = (others: Parameters<typeof reply>[0]) =>
			toTurnViews(conversation(turn(first, 'One?', reply(others))))[0]?.reply.canContinue;
		for (const state of ['stopped', 'cutOff', 'failed'] as const) {
			assert.equal(offers({ state }), true, state);
			assert.equal(offers({ state, text: ' \n' }), false, state);
		}
		assert.equal(offers({ problem: 'length' }), true);
		assert.equal(offers({}), false);
		assert.equal(offers({ state: 'streaming' }), false);
	});

	it('says which version of a message it is, and which are beside it', () => {
		const value = conversation(turn(first, 'One?', reply()), turn(second, 'Two?', reply()));
		const edited = {
			...value,
			turns: [...value.turns, { ...turn(TURN_IDS[2], 'Two, really?', reply()), previous: first }],
		};
		assert.deepEqual(
			toTurnViews(edited).map(({ version }) => version),
			[undefined, { index: 1, count: 2, next: TURN_IDS[2] }, { index: 2, count: 2, previous: second }],
		);
	});

	it('adds up the time and the tokens of the parts of a reply, and says nothing where one is not known', () => {
		const whole = reply({
			usage: { prompt: 5, completion: 3 },
			continuations: [
				{ offset: 2, after: 'stopped', pausedAt: 1_400, resumedAt: 1_900, usage: { prompt: 4, completion: 1 } },
			],
		});
		assert.equal(durationOf(whole), 500);
		assert.deepEqual(usageOf(whole), { prompt: 9, completion: 4 });
		const unknown = { ...whole, continuations: [{ offset: 2, after: 'cutOff' as const, resumedAt: 1_900 }] };
		assert.equal(durationOf(unknown), undefined);
		assert.deepEqual(usageOf(unknown), {});
	});
});

describe('a slice of the turns', () => {
	const path = (length: number, text: string) =>
		Array.from({ length }, (_, index) => turn(`${index}`, 'Why?', reply({ text })));

	it('holds the last ones, in order, and all of them are in one slice', () => {
		const turns = path(2_000, 'Because.');
		let end = turns.length;
		const found: string[] = [];
		while (end > 0) {
			const slice = sliceBefore(turns, end);
			assert.ok(slice.length > 0 && slice.length <= 40);
			found.unshift(...slice.map(({ id }) => id));
			end -= slice.length;
		}
		assert.deepEqual(
			found,
			turns.map(({ id }) => id),
		);
	});

	it('is short where turns are long, and never empty', () => {
		assert.equal(sliceBefore(path(40, 'x'.repeat(150_000)), 40).length, 2);
		assert.equal(sliceBefore(path(2, 'x'.repeat(1_000_000)), 2).length, 1);
		assert.deepEqual(sliceBefore([], 0), []);
	});
});
