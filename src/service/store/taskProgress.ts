import { type ExecutionRecord, FINAL_STATUSES, type Progress } from './taskRecord.ts';

/** Which end of several is shown when none has completed: what the user did counts before what happened. */
const ENDS = ['stopped', 'timeout', 'error'] as const;

/**
 * Where a task stands, from where its executions stand. One execution speaks for itself. Of several, the task is
 * complete when one is; it has no branch and no statistics, as each execution has its own.
 */
export function taskProgress(executions: readonly ExecutionRecord[]): Progress {
	const [only, ...others] = executions;
	if (only === undefined) {
		throw new Error('A task has no execution.');
	}
	if (others.length === 0) {
		const { status, progress, error, interrupted, branchName, linesAdded, linesRemoved, filesChanged } = only;
		return { status, progress, error, interrupted, branchName, linesAdded, linesRemoved, filesChanged };
	}
	const result: Progress = {
		status: 'pending',
		progress: Math.floor(executions.reduce((sum, { progress }) => sum + progress, 0) / executions.length),
		error: null,
		interrupted: false,
		branchName: null,
		linesAdded: null,
		linesRemoved: null,
		filesChanged: null,
	};
	const has = (status: Progress['status']) => executions.some(execution => execution.status === status);
	if (!executions.every(({ status }) => FINAL_STATUSES.has(status))) {
		const waiting = executions.every(({ status }) => status === 'pending');
		const atWork = has('processing') || has('pending');
		return { ...result, status: waiting ? 'pending' : atWork ? 'processing' : 'saving' };
	}
	if (has('completed')) {
		return { ...result, status: 'completed', progress: 100 };
	}
	const status = ENDS.find(has) ?? 'error';
	const ended = executions.find(execution => execution.status === status);
	return { ...result, status, error: ended?.error ?? null, interrupted: ended?.interrupted ?? false };
}
