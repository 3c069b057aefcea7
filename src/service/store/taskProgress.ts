import {
	type AgentChoice,
	type ExecutionRecord,
	FINAL_STATUSES,
	type Progress,
	type TaskRecord,
} from './taskRecord.ts';

/** The progress of a task or an execution that nobody has begun. */
export const NO_PROGRESS: Progress = {
	status: 'pending',
	progress: 0,
	error: null,
	interrupted: false,
	branchName: null,
	linesAdded: null,
	linesRemoved: null,
	filesChanged: null,
};

/** The final states in order of precedence if no execution has completed: the user's action outranks the rest. */
const ENDS = ['stopped', 'timeout', 'error'] as const;

/**
 * Derives a task's progress from that of its executions. A single execution determines it completely. A task with
 * several is completed if one of them is; it has no branch and no statistics, as each execution has its own.
 */
function taskProgress(executions: readonly ExecutionRecord[]): Progress {
	const [only, ...others] = executions;
	if (only === undefined) {
		throw new Error('A task has no execution.');
	}
	if (others.length === 0) {
		const { status, progress, error, interrupted, branchName, linesAdded, linesRemoved, filesChanged } = only;
		return { status, progress, error, interrupted, branchName, linesAdded, linesRemoved, filesChanged };
	}
	const result: Progress = {
		...NO_PROGRESS,
		progress: Math.floor(executions.reduce((sum, { progress }) => sum + progress, 0) / executions.length),
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

/** Returns a task after a change of its executions at the time `now` in ISO 8601. */
export function taskAfter<T extends TaskRecord>(task: T, executions: readonly ExecutionRecord[], now: string): T {
	const progress = taskProgress(executions);
	return {
		...task,
		...progress,
		updatedAt: now,
		startedAt: task.startedAt ?? (progress.status === 'processing' ? now : null),
		completedAt: FINAL_STATUSES.has(progress.status) ? (task.completedAt ?? now) : null,
	};
}

/** Returns an ended execution at the beginning of its next turn. The results stay until this turn has new ones. */
export function nextTurn(execution: ExecutionRecord, { agent, model }: AgentChoice): ExecutionRecord {
	return {
		...execution,
		agent,
		model,
		status: 'pending',
		progress: 0,
		error: null,
		interrupted: false,
		// The limit is that of a single run, and the next one's is set when it begins.
		maxCost: null,
	};
}
