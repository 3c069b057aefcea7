import assert from 'node:assert/strict';
import type { AgentForm } from '../../../../src/agents/session/events.ts';
import { endedWork, MAXIMUM_STEPS, type WorkMoment, waitingStep } from '../../../../src/chat/model/agentWork.ts';
import { withForm } from '../../../../src/chat/model/formSteps.ts';
import { AGENT_WORK } from '../conversations.ts';

const FORM: AgentForm = {
	message: 'Where shall it run?',
	fields: [
		{ name: 'region', title: 'Region', kind: 'text', isRequired: true },
		{ name: 'parts', title: 'Parts', kind: 'choices', isRequired: false, options: [{ value: 'a', title: 'A' }] },
		{ name: 'force', title: 'Force', kind: 'boolean', isRequired: false },
	],
};
const at = (now: number, offset = 0): WorkMoment => ({
	offset,
	now,
	shownPath: path => path,
	shownTitle: title => title,
});
const waiting = { id: 'one', approval: { state: 'waiting', question: 'one' } } as const;

describe('a form in the work of an agent', () => {
	it('waits as a step with its fields, and is kept with its answers alone', () => {
		const asked = withForm(AGENT_WORK, FORM, waiting, at(1_000, 7));
		const step = waitingStep(asked);
		assert.deepEqual(step?.form, FORM.fields);
		assert.equal(step?.title, 'Where shall it run?');
		const content = { region: 'eu', parts: ['a'], force: false };
		const answered = withForm(asked, FORM, { id: 'one', approval: { state: 'once' }, content }, at(2_000, 9));
		assert.deepEqual(answered.steps.at(-1), {
			id: 'one',
			offset: 7,
			kind: 'other',
			state: 'done',
			title: 'Where shall it run?',
			startedAt: 1_000,
			endedAt: 2_000,
			approval: { state: 'once' },
			form: [],
			output: 'Region: eu\nParts: a\nForce: false',
		});
	});

	it('is not answered where the work ends', () => {
		const ended = endedWork(withForm(AGENT_WORK, FORM, waiting, at(1_000)), 2_000);
		assert.equal(ended.steps.at(-1)?.approval?.state, 'unanswered');
	});

	it('that was refused is one step, and only counted where there are too many', () => {
		const refused = { id: 'two', approval: { state: 'refused', reason: 'it asks for a key' } } as const;
		const work = withForm(AGENT_WORK, { ...FORM, fields: [] }, refused, at(1_000));
		assert.deepEqual(work.steps.at(-1)?.approval, refused.approval);
		const full = { ...AGENT_WORK, steps: Array.from({ length: MAXIMUM_STEPS }, () => work.steps.at(-1) as never) };
		const more = withForm(full, FORM, { ...refused, id: 'three' }, at(2_000));
		assert.equal(more.steps.length, MAXIMUM_STEPS);
		assert.equal(more.further, 1);
	});
});
