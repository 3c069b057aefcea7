// The stored form of a task, of each agent's work on it and of a log entry, and the conversion of a task into the form
// of the contract.
import { defined } from '../../base/defined.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import { isFinalStatus, type TASK_FILTERS, TASK_STATES, type TASK_STATUS_FILTERS } from '../../contract/tasks.ts';
import { type ExecutionUse, knownCost, useForReply } from './modelUseStore.ts';

export type TaskStatus = (typeof TASK_STATES)[number];
export type TaskFilter = (typeof TASK_FILTERS)[number];
type TaskStatusFilter = (typeof TASK_STATUS_FILTERS)[number];

export const FINAL_STATUSES: ReadonlySet<TaskStatus> = new Set(TASK_STATES.filter(isFinalStatus));

/**
 * The states that each filter of the list covers.
 * contract: not shown what `failed` is; it covers the two states that mean failure.
 */
export const STATUSES_BY_FILTER: Readonly<Record<TaskStatusFilter, readonly TaskStatus[]>> = {
	active: ['pending', 'processing', 'saving'],
	completed: ['completed'],
	failed: ['error', 'timeout'],
	stopped: ['stopped'],
};

export interface AgentChoice {
	agent: string;
	model: string;
}

export interface NewTask {
	id: string;
	prompt: string;
	repoUrl: string;
	selectedBranch: string;
	/** One agent, or several that work on the same prompt, each on its own branch. */
	agents: readonly [AgentChoice, ...AgentChoice[]];
	installDependencies: boolean;
	/** The time limit for each agent in seconds. */
	maxDuration: number;
	/** The names of the MCP servers that came with it; none by default. */
	mcpServers?: readonly string[];
}

/** The progress of an execution, or of a task, which is derived from its executions. */
export interface Progress {
	status: TaskStatus;
	/** The percentage, 0 to 100. */
	progress: number;
	error: string | null;
	/** True if the end of the service caused the error, not the agent. */
	interrupted: boolean;
	branchName: string | null;
	linesAdded: number | null;
	linesRemoved: number | null;
	filesChanged: number | null;
}

/** The work of one agent on a task. */
export interface ExecutionRecord extends Progress {
	/** True if the agent ran in a sandbox; `null` before it started. */
	sandboxed: boolean | null;
	/** The limit of the cost of the last run in US dollars, or `null` if there was none. */
	maxCost: number | null;
	/** True if the agent was ended with work in its tree that can still be committed. */
	hasWork: boolean;
	/** The outcome of the tests that the service ran after the agent, or `null` if it is not known how to run them. */
	tests: TestOutcome | null;
	/** The number of test files that the agent's work changed, or `null` before that is known. */
	testFilesChanged: number | null;
	/** The position in the request, counted from 0. */
	position: number;
	agent: string;
	model: string;
	baseCommit: string | null;
	/** The positions of the agents whose work the execution composes, or `null` for the work of an agent. */
	composedOf: readonly number[] | null;
	/** The diff of a task with several agents. It is also `null` if it was not requested. */
	gitDiff: string | null;
}

export interface TaskRecord extends Omit<Required<NewTask>, 'agents'>, Progress {
	/** The order of creation. It is never sent to a client. */
	sequence: number;
	/** The first agent and its model, or those of the last follow-up. */
	selectedAgent: string;
	selectedModel: string;
	multiLaunch: boolean;
	/** The prompt of the last follow-up, or `null` if there is none. */
	currentPrompt: string | null;
	/** The index of the step with which the last follow-up has begun, or `null`. */
	fromStep: number | null;
	/** The number of the turn: 1 for the prompt, plus one for each follow-up. */
	turn: number;
	/** All times are in ISO 8601. */
	createdAt: string;
	updatedAt: string;
	/** The time when the current turn started, or `null` while it waits. `completedAt` refers to the current turn too. */
	startedAt: string | null;
	completedAt: string | null;
}

export interface LogRecord {
	type: 'info' | 'error' | 'success' | 'warning' | 'system';
	contentType: 'agentResponse' | 'ansi' | 'system' | 'message' | 'plain-text';
	message: string;
	/** The time in ISO 8601. */
	timestamp: string;
	agent: string;
	step: string;
}

/**
 * Converts a task into the form of the contract, with every documented field. Fields for things that do not exist on
 * one machine (teams, remote sandboxes, pull requests) are null. The executions themselves are included only for a task
 * with several agents. `use` is the model use of all executions, and `steps` the number of steps.
 */
export function toTask(
	record: TaskRecord,
	executions: readonly ExecutionRecord[],
	use: readonly ExecutionUse[],
	steps: number,
): object {
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
		// The repositories of this machine stand in for a source host, and their look-ups need no linked account.
		isEmptyGitUser: false,
		...(record.multiLaunch ? severalAgents(record, executions, use) : {}),
		errand: { ...extrasOf(record, executions, use), ...defined({ steps: steps || undefined }) },
	};
}

/** Returns the fields that the local service adds (contract/agents.ts, `taskExtrasSchema`), without unknown ones. */
function extrasOf(record: TaskRecord, executions: readonly ExecutionRecord[], use: readonly ExecutionUse[]): object {
	const canKeep = FINAL_STATUSES.has(record.status) && executions.some(({ hasWork }) => hasWork);
	const mcpServers = record.mcpServers.length === 0 ? undefined : record.mcpServers;
	const agents = executions.filter(isAgents);
	return { ...factsOf(record, agents, use), ...defined({ canKeep: canKeep || undefined, mcpServers }) };
}

/** Summarises how the agents ran. The base commit and the budget are known only for a single agent. */
function factsOf({ turn }: TaskRecord, executions: readonly ExecutionRecord[], use: readonly ExecutionUse[]): object {
	const started = executions.filter(({ sandboxed }) => sandboxed !== null);
	const [only, ...others] = executions;
	const single = others.length === 0 ? only : undefined;
	return defined({
		sandboxed: started.length === 0 ? undefined : started.every(({ sandboxed }) => sandboxed),
		...(started.length === 0 && use.length === 0 ? {} : usedBy(use)),
		budget:
			single?.maxCost == null
				? undefined
				: budgetOf(
						single.maxCost,
						use.filter(part => part.turn === turn),
					),
		tests: testsOf(started),
		testFilesChanged: started.some(({ testFilesChanged }) => testFilesChanged !== null)
			? started.reduce((total, { testFilesChanged }) => total + (testFilesChanged ?? 0), 0)
			: undefined,
		baseCommit: single?.baseCommit ?? undefined,
		composedOf: single?.composedOf ?? undefined,
	});
}

function usedBy(use: readonly ExecutionUse[]): object {
	return {
		inputTokens: use.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
		outputTokens: use.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
		...defined({ cost: use.some(({ cost }) => cost === null) ? undefined : knownCost(use) }),
		models: use.map(({ position: _, ...part }) => useForReply(part)),
	};
}

/** The limit applies to one run, and covers only the calls that have a price. */
function budgetOf(limit: number, use: readonly ExecutionUse[]): object {
	return { limit, spent: knownCost(use), ...defined({ atLeast: use.some(({ cost }) => cost === null) || undefined }) };
}

/** The tests of several agents have failed if one agent's have; any other outcome must be the same for all. */
function testsOf(started: readonly ExecutionRecord[]): TestOutcome | undefined {
	const [outcome, ...others] = new Set(started.map(({ tests }) => tests));
	if (outcome === 'failed' || others.includes('failed')) {
		return 'failed';
	}
	return others.length === 0 ? (outcome ?? undefined) : undefined;
}

/** Returns whether an execution is the work of an agent. */
export const isAgents = ({ composedOf }: ExecutionRecord): boolean => composedOf === null;

/** contract: not shown (unspecified.md, "several agents on one prompt"). */
function severalAgents(
	record: TaskRecord,
	executions: readonly ExecutionRecord[],
	use: readonly ExecutionUse[],
): object {
	return {
		multiLaunch: true,
		selectedAgents: executions.filter(isAgents).map(({ agent, model }) => ({ agent, model })),
		agentExecutions: executions.map(execution => ({
			agent: execution.agent,
			status: execution.status,
			branchName: execution.branchName,
			gitDiff: execution.gitDiff,
			errand: factsOf(
				record,
				[execution],
				use.filter(({ position }) => position === execution.position),
			),
		})),
	};
}
