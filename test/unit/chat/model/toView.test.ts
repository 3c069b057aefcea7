import assert from 'node:assert/strict';
import { toTurnViews } from '../../../../src/chat/model/toView.ts';
import { commands } from '../../../../src/platform/ids.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

describe('the view of a turn', () => {
	const [first, second] = TURN_IDS;

	it('offers to ask again for the last turn only, and for none while a reply runs', () => {
		const value = conversation(turn(first, 'One?', reply()), turn(second, 'Two?', reply()));
		const offers = (live?: Parameters<typeof toTurnViews>[1]) =>
			toTurnViews(value, live).map(view => view.reply.canRetry);
		assert.deepEqual(offers(), [false, true]);
		assert.deepEqual(offers({ turnId: second, waiting: false }), [false, false]);
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
});
