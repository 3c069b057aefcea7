import type { ReplyView } from '../../protocol/protocol.ts';
import type { StepView, WorkChange } from '../../protocol/workProtocol.ts';

/** Returns the reply after a change to its agent's work. An unchanged step keeps its object. */
export function withWorkChange(reply: ReplyView, change: WorkChange): ReplyView {
	const { work } = reply;
	if (change.kind === 'work-set') {
		return { ...reply, work: { ...change.work, steps: work?.steps ?? [] } };
	}
	if (work === undefined) {
		return reply;
	}
	// Nearly every change concerns one of the last steps.
	const index = work.steps.findLastIndex(({ id }) => id === change.step.id);
	const steps = index === -1 ? [...work.steps, change.step] : work.steps.with(index, change.step);
	return { ...reply, work: { ...work, steps } };
}

/** Returns a reply that arrived whole. An unchanged step keeps its object, so that it is not rendered again. */
export function withKnownSteps(before: ReplyView, after: ReplyView): ReplyView {
	if (before.work === undefined || after.work === undefined) {
		return after;
	}
	const known = new Map(before.work.steps.map(step => [step.id, step]));
	const steps = after.work.steps.map(step => {
		const other = known.get(step.id);
		return other !== undefined && isSame(other, step) ? other : step;
	});
	return { ...after, work: { ...after.work, steps } };
}

function isSame(one: StepView, other: StepView): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
