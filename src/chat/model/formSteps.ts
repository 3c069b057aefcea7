// The forms of an agent as steps of its work: shown like a waiting step, and stored with their answers alone.
import type { AgentForm, FormValue } from '../../agents/session/events.ts';
import { defined } from '../../base/defined.ts';
import { type AgentStep, type AgentWork, type Approval, MAXIMUM_STEPS, type WorkMoment } from './agentWork.ts';

/** The state of a form: waiting or answered. */
export interface FormState {
	/** The id of the form's step. */
	id: string;
	approval: Approval;
	/** The answers. */
	content?: Readonly<Record<string, FormValue>>;
}

/** Adds a form to the work, or updates its state. */
export function withForm(
	work: AgentWork,
	{ message, fields }: AgentForm,
	{ id, approval, content = {} }: FormState,
	{ offset, now }: WorkMoment,
): AgentWork {
	const index = work.steps.findLastIndex(step => step.id === id);
	const isWaiting = approval.state === 'waiting';
	if (index < 0 && !isWaiting && work.steps.length >= MAXIMUM_STEPS) {
		return { ...work, further: (work.further ?? 0) + 1 };
	}
	const values = new Map(Object.entries(content));
	const answers = fields.flatMap(({ name, title }) => {
		const value = values.get(name);
		return value === undefined ? [] : `${title}: ${Array.isArray(value) ? value.join(', ') : value}`;
	});
	const step: AgentStep = {
		offset,
		startedAt: now,
		...work.steps[index],
		id,
		kind: 'other',
		state: isWaiting ? 'running' : 'done',
		title: message,
		approval,
		form: isWaiting ? fields : [],
		...defined({ endedAt: isWaiting ? undefined : now, output: answers.join('\n') || undefined }),
	};
	return { ...work, steps: index < 0 ? [...work.steps, step] : work.steps.with(index, step) };
}
