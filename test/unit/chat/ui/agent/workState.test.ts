import assert from 'node:assert/strict';
import type { ReplyView } from '../../../../../src/chat/protocol/protocol.ts';
import { withKnownSteps, withWorkChange } from '../../../../../src/chat/ui/agent/workState.ts';
import { step, steps } from './steps.ts';

const turn = 'turn';
const reply = (given: ReturnType<typeof steps>): ReplyView => ({
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
		const before = reply(steps(3));
		const changed = withWorkChange(before, { kind: 'step-set', turn, step: step('1', { state: 'failed' }) });
		assert.equal(changed.work?.steps[0], before.work?.steps[0]);
		assert.equal(changed.work?.steps[1]?.state, 'failed');
		assert.equal(changed.work?.steps[2], before.work?.steps[2]);
		const added = withWorkChange(changed, { kind: 'step-set', turn, step: step('9') });
		assert.deepEqual(
			added.work?.steps.map(({ id }) => id),
			['0', '1', '2', '9'],
		);
	});

	it('keeps its steps when all the rest of it changes', () => {
		const before = reply(steps(3));
		const { steps: known, ...work } = before.work ?? assert.fail();
		const after = withWorkChange(before, { kind: 'work-set', turn, work: { ...work, further: 4 } });
		assert.equal(after.work?.steps, known);
		assert.equal(after.work?.further, 4);
	});

	it('keeps the objects of its steps when the turn comes whole', () => {
		const before = reply(steps(3));
		const after = withKnownSteps(
			before,
			structuredClone(reply([...steps(2), step('2', { state: 'failed' }), step('3')])),
		);
		assert.equal(after.work?.steps[0], before.work?.steps[0]);
		assert.equal(after.work?.steps[1], before.work?.steps[1]);
		assert.equal(after.work?.steps[2]?.state, 'failed');
		assert.equal(after.work?.steps.length, 4);
	});

	it('ignores a step of a reply that is not known to be an agent’s', () => {
		const { work: _, ...other } = reply([]);
		assert.equal(withWorkChange(other, { kind: 'step-set', turn, step: step('1') }), other);
	});
});
