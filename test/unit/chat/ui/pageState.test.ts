import assert from 'node:assert/strict';
import type { ReplyView, ToPage, TurnView } from '../../../../src/chat/protocol/protocol.ts';
import {
	applyMessage,
	emptyPageState,
	type PageState,
	withKnownSteps,
	withWorkChange,
} from '../../../../src/chat/ui/pageState.ts';
import { TURN_IDS } from '../conversations.ts';
import { step, steps } from './agent/steps.ts';

const [first, second, third, fourth] = TURN_IDS;

function view(id: string, text: string): TurnView {
	return {
		id,
		askedAt: 0,
		question: '?',
		reply: {
			state: 'streaming',
			text,
			earlier: false,
			waiting: false,
			canRetry: false,
			canContinue: false,
			continued: 0,
		},
	};
}

function stateAfter(...messages: ToPage[]): PageState | 'missed' {
	return messages.reduce<PageState | 'missed'>(
		(state, message) => (state === 'missed' ? state : applyMessage(state, message)),
		emptyPageState,
	);
}

const snapshot: Extract<ToPage, { kind: 'snapshot-set' }> = {
	kind: 'snapshot-set',
	sequence: 4,
	snapshot: {
		conversation: 'c0000000-0000-4000-8000-000000000001',
		turns: [view(first, 'a'), view(second, 'b')],
		earlier: 2,
		connection: { label: 'Local' },
	},
};
const append = (sequence: number, text: string): ToPage => ({
	kind: 'turns-change',
	sequence,
	changes: [{ kind: 'text-append', turn: second, text }],
});

describe('the state of the page', () => {
	it('follows the changes after its snapshot', () => {
		const state = stateAfter(snapshot, append(5, 'c'), append(6, 'd'));
		assert.ok(state !== 'missed');
		assert.equal(state.turns[1]?.reply.text, 'bcd');
	});

	it('notices a change that it missed', () => {
		assert.equal(stateAfter(snapshot, append(5, 'c'), append(7, 'd')), 'missed');
	});

	it('ignores changes that its snapshot holds, and those from before any snapshot', () => {
		const state = stateAfter(append(2, 'x'), snapshot, append(4, 'y'));
		assert.ok(state !== 'missed');
		assert.equal(state.turns[1]?.reply.text, 'b');
	});

	it('keeps the object of a turn that did not change', () => {
		const before = stateAfter(snapshot);
		const next = stateAfter(snapshot, append(5, 'c'));
		assert.ok(before !== 'missed' && next !== 'missed');
		assert.equal(next.turns[0], before.turns[0]);
	});

	it('keeps the objects of an agent’s steps when their turn comes whole', () => {
		const work = { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true, steps: steps(2) } as const;
		const turn = {
			...view(second, 'b'),
			reply: { ...view(second, 'b').reply, work: { ...work, steps: [...work.steps] } },
		};
		const changed = (sequence: number): ToPage => ({
			kind: 'turns-change',
			sequence,
			changes: [{ kind: 'turn-set', turn: structuredClone(turn) }],
		});
		const before = stateAfter(snapshot, changed(5));
		assert.ok(before !== 'missed');
		const after = applyMessage(before, changed(6));
		assert.ok(after !== 'missed');
		assert.notEqual(after.turns[1], before.turns[1]);
		assert.equal(after.turns[1]?.reply.work?.steps[1], before.turns[1]?.reply.work?.steps[1]);
	});

	it('adds a turn that it did not have, at the end', () => {
		const state = stateAfter(
			{ ...snapshot, snapshot: { ...snapshot.snapshot, turns: [view(first, 'a')] } },
			{ kind: 'turns-change', sequence: 5, changes: [{ kind: 'turn-set', turn: view(second, '') }] },
		);
		assert.ok(state !== 'missed');
		assert.deepEqual(
			state.turns.map(({ id }) => id),
			[first, second],
		);
	});

	it('takes a notice and lets it go', () => {
		const state = stateAfter(snapshot, { kind: 'notice-set', notice: 'Disk full.' });
		assert.ok(state !== 'missed');
		assert.equal(state.notice, 'Disk full.');
		const next = applyMessage(state, JSON.parse(JSON.stringify({ kind: 'notice-set', notice: undefined })));
		assert.ok(next !== 'missed');
		assert.equal(next.notice, undefined);
	});

	it('puts earlier turns before its own, once, and only before those it has', () => {
		const earlier: ToPage = {
			kind: 'turns-prepend',
			before: first,
			turns: [view(third, 'e'), view(fourth, 'f')],
			earlier: 0,
		};
		const state = stateAfter(snapshot, earlier, earlier, append(5, 'c'));
		assert.ok(state !== 'missed');
		assert.deepEqual(
			state.turns.map(({ id }) => id),
			[third, fourth, first, second],
		);
		assert.deepEqual([state.earlier, state.turns[3]?.reply.text], [0, 'bc']);
		const other = stateAfter(snapshot, { ...earlier, before: second });
		assert.ok(other !== 'missed');
		assert.equal(other.turns.length, 2);
	});
});

const replyWith = (given: ReturnType<typeof steps>): ReplyView => ({
	state: 'streaming',
	text: '',
	earlier: false,
	waiting: false,
	canRetry: false,
	canContinue: false,
	continued: 0,
	work: { label: 'Errand', folders: [{ name: '~' }], isSandboxed: true, steps: given },
});

describe('the work of a reply on the page', () => {
	it('keeps the object of each step that did not change', () => {
		const before = replyWith(steps(3));
		const changed = withWorkChange(before, { kind: 'step-set', turn: first, step: step('1', { state: 'failed' }) });
		assert.equal(changed.work?.steps[0], before.work?.steps[0]);
		assert.equal(changed.work?.steps[1]?.state, 'failed');
		assert.equal(changed.work?.steps[2], before.work?.steps[2]);
		const added = withWorkChange(changed, { kind: 'step-set', turn: first, step: step('9') });
		assert.deepEqual(
			added.work?.steps.map(({ id }) => id),
			['0', '1', '2', '9'],
		);
	});

	it('keeps its steps when all the rest of it changes', () => {
		const before = replyWith(steps(3));
		const { steps: known, ...work } = before.work ?? assert.fail();
		const after = withWorkChange(before, { kind: 'work-set', turn: first, work: { ...work, further: 4 } });
		assert.equal(after.work?.steps, known);
		assert.equal(after.work?.further, 4);
	});

	it('keeps the objects of its steps when the turn comes whole', () => {
		const before = replyWith(steps(3));
		const after = withKnownSteps(
			before,
			structuredClone(replyWith([...steps(2), step('2', { state: 'failed' }), step('3')])),
		);
		assert.equal(after.work?.steps[0], before.work?.steps[0]);
		assert.equal(after.work?.steps[1], before.work?.steps[1]);
		assert.equal(after.work?.steps[2]?.state, 'failed');
		assert.equal(after.work?.steps.length, 4);
	});

	it('ignores a step of a reply that is not known to be an agent’s', () => {
		const { work: _, ...other } = replyWith([]);
		assert.equal(withWorkChange(other, { kind: 'step-set', turn: first, step: step('1') }), other);
	});
});
