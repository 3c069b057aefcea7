// A task as a file for other programs: its prompt, its agents with their models, its cost, and its results.
import { defined } from '../../base/defined.ts';
import { redactText } from '../../base/redact.ts';
import { readRemoteUrl } from '../../base/remoteUrl.ts';
import type { ExecutionExtras } from '../../contract/agents.ts';
import { isRace, resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { costOf, percentOf, type Usage } from './modelUse.ts';

const FORMAT = 'errand-task';
const VERSION = 1;

export interface ExportFacts {
	/** The connection whose service ran the task. */
	connection: { name: string; label: string };
	/** Milliseconds since the epoch. */
	now: number;
	/** Returns the commit at which a branch of the task began, if this window knows it. */
	baseOf(result: TaskResult): string | undefined;
}

/**
 * Returns the task as JSON, with null for unknown values. Writes only the fields named here, because a service may send
 * others that are not for everyone: addresses with tokens in them, and the user's identity.
 */
export function exportTask(task: Task, { connection, now, baseOf }: ExportFacts): string {
	const written = {
		format: FORMAT,
		version: VERSION,
		exportedAt: new Date(now).toISOString(),
		connection: { name: connection.name, label: connection.label },
		task: {
			id: task.id,
			prompt: task.prompt,
			status: task.status,
			// Git quotes the address that it could not reach.
			error: task.error && redactText(task.error),
			repository: repositoryOf(task.repoUrl),
			startBranch: task.selectedBranch,
			installDependencies: task.installDependencies,
			maxDurationSeconds: task.maxDuration,
			createdAt: task.createdAt,
			updatedAt: task.updatedAt,
			completedAt: task.completedAt,
			pullRequest: task.prNumber,
			merged: task.merged,
		},
		agents: agentsOf(task, baseOf),
		...defined({ together: isRace(task) ? usageOf(task.errand) : undefined }),
	};
	return `${JSON.stringify(written, (_, value: unknown) => value ?? null, '\t')}\n`;
}

function agentsOf(task: Task, baseOf: ExportFacts['baseOf']): object[] {
	const results = new Map(resultsOf(task).map(result => [result.key, result]));
	const baseBy = (key: string, errand: ExecutionExtras | undefined) => {
		const result = results.get(key);
		return errand?.baseCommit ?? (result && baseOf(result));
	};
	if (isRace(task)) {
		return (task.agentExecutions ?? []).map(({ agent, status, branchName: branch, errand }, position) => ({
			agent,
			askedModel: task.selectedAgents?.[position]?.model,
			status,
			branch,
			base: baseBy(`${task.id}:${position}`, errand),
			...workOf(errand),
		}));
	}
	const { selectedAgent, selectedModel, status, branchName, errand, diffStats } = task;
	return [
		{
			agent: selectedAgent,
			askedModel: selectedModel,
			status,
			branch: branchName,
			base: baseBy(task.id, errand),
			...workOf(errand),
			changes: diffStats && {
				linesAdded: diffStats.totalLinesAdded,
				linesRemoved: diffStats.totalLinesRemoved,
				files: diffStats.totalFilesChanged,
			},
		},
	];
}

/** `tests` are those that the service ran after the agent. */
function workOf(errand: ExecutionExtras | undefined): object {
	const { sandboxed, tests, testFilesChanged } = errand ?? {};
	return { sandboxed, tests, testFilesChanged, ...usageOf(errand) };
}

function usageOf(usage: Usage = {}): object {
	const { inputTokens, outputTokens, models, budget } = usage;
	return {
		inputTokens,
		outputTokens,
		cost: costWritten(usage),
		budget: budget && {
			limitUsd: budget.limit,
			spentUsd: budget.spent,
			percent: percentOf(budget),
			known: budget.atLeast === true ? 'part' : 'whole',
		},
		models: models?.map(({ agent, turn, model, provider, calls, failedCalls, estimatedCalls, ...amounts }) => ({
			agent,
			turn,
			model,
			provider,
			requests: calls,
			failedRequests: failedCalls,
			estimatedRequests: estimatedCalls,
			inputTokens: amounts.inputTokens,
			outputTokens: amounts.outputTokens,
			costUsd: amounts.cost,
		})),
	};
}

/** `known` distinguishes a cost of nothing from an unknown one, and a whole sum from a lower bound. */
function costWritten(usage: Usage): object {
	const isTold = usage.inputTokens !== undefined || usage.cost !== undefined;
	const cost = costOf(usage) ?? (isTold ? { known: 'whole', dollars: 0, isEstimated: false } : { known: 'nothing' });
	return {
		usd: 'dollars' in cost ? cost.dollars : undefined,
		known: cost.known,
		estimated: 'isEstimated' in cost ? cost.isEstimated : undefined,
	};
}

/** Leaves out credentials, and every address that cannot be parsed, as it may contain some. */
function repositoryOf(repoUrl: string | undefined): string | undefined {
	const place = readRemoteUrl(repoUrl ?? '');
	return place.kind === 'url' ? place.url : place.kind === 'directory' ? place.path : undefined;
}
