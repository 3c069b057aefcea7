/** Names a step of a task. Commands get it as their argument. */
export interface StepNode {
	readonly kind: 'step';
	readonly taskId: string;
	/** The task's own key: the steps of several agents are in one list. */
	readonly resultKey: string;
	readonly index: number;
}

export function stepNode(taskId: string, index: number): StepNode {
	return { kind: 'step', taskId, resultKey: taskId, index };
}

/** Any extension may run a command, with any argument. */
export function isStepNode(value: unknown): value is StepNode {
	const node = value as Partial<StepNode> | null | undefined;
	return node?.kind === 'step' && typeof node.taskId === 'string' && Number.isSafeInteger(node.index);
}

/**
 * What can be done with a step: its changes, all files as of there, a continuation, an application, its log entry, and
 * the page of all steps.
 */
export type StepAction = 'changes' | 'files' | 'continue' | 'take' | 'log' | 'steps';
