import type { StepView } from '../../../../../src/chat/protocol/workProtocol.ts';

/** Returns a finished step with the fields of a test. */
export function step(id: string, others: Partial<StepView> = {}): StepView {
	return {
		id,
		offset: 0,
		kind: 'read',
		state: 'done',
		title: `Read ${id}`,
		hasOutput: false,
		startedAt: 1_000,
		endedAt: 2_000,
		...others,
	};
}

export function steps(count: number, others: Partial<StepView> = {}, first = 0): StepView[] {
	return Array.from({ length: count }, (_, index) => step(String(first + index), others));
}
