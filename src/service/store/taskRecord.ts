// A task, what each of its agents does, and a log entry, as they are stored; and the task as the contract shows it.
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

export interface AgentChoice {
	agent: string;
	model: string;
}

export interface NewTask {
	id: string;
	prompt: string;
	repoUrl: string;
	selectedBranch: string;
	/** One, or several that work on the same prompt, each on a branch of its own. */
	agents: readonly [AgentChoice, ...AgentChoice[]];
	installDependencies: boolean;
	/** Seconds, for each agent. */
	maxDuration: number;
}

/** Where something stands: an execution, and the task that follows from its executions. */
export interface Progress {
	status: TaskStatus;
	/** Percent, 0 to 100. */
	progress: number;
	error: string | null;
	/** An error that is the service's own end, not the agent's. */
	interrupted: boolean;
	branchName: string | null;
	linesAdded: number | null;
	linesRemoved: number | null;
	filesChanged: number | null;
}

/** What one agent does for a task. */
export interface ExecutionRecord extends Progress {
	/** From 0, in the order of the request. */
	position: number;
	agent: string;
	model: string;
	/** Where the branch began. */
	baseCommit: string | null;
	/** Of a task of several agents; `null` also where it was not asked for. */
	gitDiff: string | null;
}

export interface TaskRecord extends Omit<NewTask, 'agents'>, Progress {
	/** Order of creation. Never leaves the service. */
	sequence: number;
	/** The first agent and its model, or those of the last follow-up. */
	selectedAgent: string;
	selectedModel: string;
	multiLaunch: boolean;
	/** The prompt of the last follow-up; `null` before there is one. */
	currentPrompt: string | null;
	/** 1, and one more with each follow-up. */
	turn: number;
	/** ISO 8601, as are the others. */
	createdAt: string;
	updatedAt: string;
	/** Of the present turn, as is `completedAt`; `null` while it waits. */
	startedAt: string | null;
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

/**
 * The task with every documented field. What does not exist on one machine (teams, sandboxes, pull requests) is null.
 * `executions` are shown of a task of several agents only.
 */
export function toTask(record: TaskRecord, executions: readonly ExecutionRecord[]): object {
	const { linesAdded, linesRemoved, filesChanged } = record;
	return {
		id: record.id,
		userId: 'local',
		teamId: null,
		prompt: record.prompt,
		repoUrl: record.repoUrl,
		selectedAgent: record.selectedAgent,
		selectedModel: record.selectedModel,
		installDependencies: record.installDependencies,
		maxDuration: record.maxDuration,
		status: record.status,
		progress: record.progress,
		error: record.error,
		selectedBranch: record.selectedBranch,
		branchName: record.branchName,
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
		createdAt: record.createdAt,
		updatedAt: record.updatedAt,
		completedAt: record.completedAt,
		creatorName: null,
		creatorImage: null,
		prNumber: null,
		prUrl: null,
		// The repositories of this machine stand in for a source host, and the look-ups answer without a link to any.
		isEmptyGitUser: false,
		...(record.multiLaunch ? severalAgents(executions) : {}),
	};
}

/** contract: not shown (unspecified.md, "several agents on one prompt"). */
function severalAgents(executions: readonly ExecutionRecord[]): object {
	return {
		multiLaunch: true,
		selectedAgents: executions.map(({ agent, model }) => ({ agent, model })),
		agentExecutions: executions.map(({ agent, status, branchName, gitDiff }) => ({
			agent,
			status,
			branchName,
			gitDiff,
		})),
	};
}
