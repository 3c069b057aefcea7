// A task and a log entry as they are stored, and the task as the contract shows it (cloud-tasks.md).
import { isFinalStatus, type TASK_FILTERS, TASK_STATES, type TASK_STATUS_FILTERS } from '../../contract/tasks.ts';

export type TaskStatus = (typeof TASK_STATES)[number];
export type TaskFilter = (typeof TASK_FILTERS)[number];
export type TaskStatusFilter = (typeof TASK_STATUS_FILTERS)[number];

export const FINAL_STATUSES: ReadonlySet<TaskStatus> = new Set(TASK_STATES.filter(isFinalStatus));

/** Which states a filter of the list covers. `failed` is not defined by the contract: the two that end in failure. */
export function statusesOf(filter: TaskStatusFilter): TaskStatus[] {
	switch (filter) {
		case 'active':
			return ['pending', 'processing', 'saving'];
		case 'completed':
			return ['completed'];
		case 'failed':
			// contract: not shown.
			return ['error', 'timeout'];
		case 'stopped':
			return ['stopped'];
	}
}

export interface NewTask {
	id: string;
	prompt: string;
	repoUrl: string;
	selectedBranch: string;
	selectedAgent: string;
	selectedModel: string;
	installDependencies: boolean;
	/** Seconds. */
	maxDuration: number;
}

export interface TaskRecord extends NewTask {
	/** Order of creation. Never leaves the service. */
	sequence: number;
	status: TaskStatus;
	progress: number;
	error: string | null;
	branchName: string | null;
	linesAdded: number | null;
	linesRemoved: number | null;
	filesChanged: number | null;
	/** ISO 8601, as are the other two. */
	createdAt: string;
	updatedAt: string;
	completedAt: string | null;
}

export interface LogRecord {
	type: 'info' | 'error' | 'success' | 'warning' | 'system';
	contentType: 'agentResponse' | 'ansi' | 'system' | 'message' | 'plain-text';
	message: string;
	/** ISO 8601. */
	timestamp: string;
	agent: string;
	step: string;
}

/** The task with every documented field. What does not exist on one machine (teams, sandboxes, pull requests) is null. */
export function toTask(record: TaskRecord): object {
	const { sequence: _, linesAdded, linesRemoved, filesChanged, ...fields } = record;
	return {
		...fields,
		userId: 'local',
		teamId: null,
		sandboxUrl: null,
		sandboxId: null,
		merged: false,
		diffStats:
			linesAdded === null
				? null
				: { totalLinesAdded: linesAdded, totalLinesRemoved: linesRemoved, totalFilesChanged: filesChanged },
		autoDeployEnabled: null,
		deployments: null,
		badge: null,
		batchId: null,
		creatorName: null,
		creatorImage: null,
		prNumber: null,
		prUrl: null,
		isEmptyGitUser: true,
	};
}
