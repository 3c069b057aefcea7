import assert from 'node:assert/strict';
import {
	addReply,
	addTurn,
	continueReply,
	currentReply,
	findTurn,
	markCutOff,
	replaceReply,
	shownReply,
	shownTurns,
	showVersion,
	type Turn,
	turnsUpTo,
	versionsOf,
} from '../../../../src/chat/model/conversation.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

describe('a conversation', () => {
	const [first, second] = TURN_IDS;

	it('is never changed in place', () => {
		const before = conversation(turn(first, 'One?', reply()));
		const copy = structuredClone(before);
		addTurn(before, turn(second, 'Two?', reply()));
		addReply(before, first, reply({ text: 'Other.' }));
		replaceReply(before, first, reply({ text: 'Other.' }));
		markCutOff(before);
		assert.deepEqual(before, copy);
	});

	it('replaces the current reply of a turn and keeps the earlier ones', () => {
		let value = conversation(turn(first, 'One?', reply({ text: 'a' })), turn(second, 'Two?', reply({ text: 'x' })));
		value = addReply(value, first, reply({ text: 'b' }));
		value = addReply(value, first, reply({ text: '' }));
		value = replaceReply(value, first, reply({ text: 'c' }));
		assert.deepEqual(
			value.turns.map(({ replies }) => replies.map(({ text }) => text)),
			[['a', 'b', 'c'], ['x']],
		);
	});

	it('leaves the other turns the same objects, so that they are not shown anew', () => {
		const before = conversation(turn(first, 'One?', reply()), turn(second, 'Two?', reply()));
		const after = replaceReply(before, second, reply({ text: 'New.' }));
		assert.equal(after.turns[0], before.turns[0]);
		assert.notEqual(after.turns[1], before.turns[1]);
	});

	it('shows the newest reply that has text, and the current one when none has', () => {
		const retried = turn(
			first,
			'One?',
			reply({ text: 'a' }),
			reply({ text: 'b' }),
			reply({ text: '', state: 'failed' }),
		);
		assert.equal(shownReply(retried).text, 'b');
		assert.equal(currentReply(retried).state, 'failed');
		const silent = turn(first, 'One?', reply({ text: '', state: 'failed' }));
		assert.equal(shownReply(silent), currentReply(silent));
	});

	it('marks a reply that streams as cut off, and no other', () => {
		const states = ['streaming', 'done', 'stopped', 'failed', 'cutOff'] as const;
		for (const state of states) {
			const marked = markCutOff(conversation(turn(first, 'One?', reply({ state, text: 'so far' }))));
			const found = findTurn(marked, first);
			assert.ok(found);
			assert.equal(currentReply(found).state, state === 'streaming' ? 'cutOff' : state);
			assert.equal(currentReply(found).text, 'so far');
		}
	});

	describe('whose message was changed', () => {
		const [, , third, fourth] = TURN_IDS;
		const linear = conversation(
			turn(first, 'One?', reply()),
			turn(second, 'Two?', reply()),
			turn(third, '3?', reply()),
		);
		const edited = addTurn(linear, { ...turn(fourth, 'Two, really?', reply()), previous: first });
		const ids = (turns: readonly { id: string }[]) => turns.map(({ id }) => id);

		it('shows the new version, and keeps the old one with what followed it', () => {
			assert.deepEqual(ids(shownTurns(edited)), [first, fourth]);
			assert.deepEqual(ids(shownTurns(showVersion(edited, second))), [first, second, third]);
			assert.deepEqual(ids(shownTurns(showVersion(showVersion(edited, second), fourth))), [first, fourth]);
		});

		it('has both versions, oldest first', () => {
			for (const id of [second, fourth]) {
				const found = findTurn(edited, id);
				assert.ok(found);
				assert.deepEqual(ids(versionsOf(edited, found)), [second, fourth]);
			}
		});

		it('can have versions of its first message too', () => {
			const value = addTurn(linear, turn(fourth, 'Another one?', reply()));
			assert.deepEqual(ids(shownTurns(value)), [fourth]);
			assert.deepEqual(ids(versionsOf(value, value.turns[0] as Turn)), [first, fourth]);
		});

		it('does not lead in a circle, whatever its turns say', () => {
			const circle = { ...linear, turns: linear.turns.map(value => ({ ...value, previous: third })) };
			assert.deepEqual(ids(turnsUpTo(circle, third)), [third]);
			assert.deepEqual(turnsUpTo(linear, 'nobody'), []);
		});
	});

	it('says where a reply went on, and what the part before was', () => {
		const before = reply({ state: 'cutOff', text: 'Half', usage: { completion: 3 }, problem: 'length' });
		const after = continueReply(before, 5_000);
		assert.deepEqual(after, {
			state: 'streaming',
			startedAt: 1_000,
			text: 'Half',
			model: 'demo',
			continuations: [{ offset: 4, after: 'cutOff', pausedAt: 2_000, resumedAt: 5_000, usage: { completion: 3 } }],
		});
	});
});
