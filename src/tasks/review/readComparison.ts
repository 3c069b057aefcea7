import * as vscode from 'vscode';
import { distinctNames } from '../../base/distinctNames.ts';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import { resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { readEntries } from '../log/readEntries.ts';
import { type ComparedFile, compareResults } from '../model/compareResults.ts';
import type { Contender } from '../model/comparisonProtocol.ts';
import { LogTimes } from '../model/logTimes.ts';
import type { Usage } from '../model/modelUse.ts';
import { outcomeOf, type TaskOutcome } from '../model/taskGroups.ts';
import type { ResultChanges, TaskChanges } from '../results/taskChanges.ts';
import type { TaskConnectionAccess, TaskFinder } from './taskMaterial.ts';

/** The maximum number of entries that are read from one log. */
const MAXIMUM_ENTRIES = 50_000;
const MAXIMUM_NAME = 28;

/** A result in the comparison. */
export interface ComparedResult {
	/** Different from the names of the others. */
	name: string;
	task: Task;
	outcome: TaskOutcome;
	model: string | undefined;
	/** The service's additions to the record. */
	extras: (Usage & { tests?: TestOutcome | undefined; composedOf?: number[] | undefined }) | undefined;
	/** Undefined while no branch has been made; then there are no changes either. */
	result: TaskResult | undefined;
	changes: ResultChanges | undefined;
}

export interface Comparison {
	/** `duration` is in milliseconds. It is undefined for a log without times, or whose task is still active. */
	results: (ComparedResult & { duration: number | undefined })[];
	files: ComparedFile[];
}

export interface ComparisonSource {
	changes: Pick<TaskChanges, 'read'>;
	tasks: Pick<TaskFinder, 'get'>;
	connection: Pick<TaskConnectionAccess, 'client'>;
}

/** Reads the contenders' changes so far, and the times in their logs. Rejects as `readResults` does. */
export async function readComparison(
	contenders: readonly Contender[],
	source: ComparisonSource,
	isAskedAnew: boolean,
	signal: AbortSignal,
): Promise<Comparison> {
	const results = await readResults(contenders, source, isAskedAnew);
	const logs = new Map<Task, Promise<(number | undefined)[]>>();
	for (const { task } of results.filter(read => !isActiveTask(read.task))) {
		logs.set(task, logs.get(task) ?? readLog(task, source.connection, signal));
	}
	return {
		results: await Promise.all(
			results.map(async read => {
				const position = resultsOf(read.task).findIndex(({ key }) => key === read.result?.key);
				return { ...read, duration: (await logs.get(read.task))?.[position] };
			}),
		),
		files: compareResults(results.map(({ changes }) => changes?.files ?? [])),
	};
}

/**
 * Reads the contenders' changes so far. `isAskedAnew`: their branches are read again. Rejects with an error for the
 * user.
 */
export async function readResults(
	contenders: readonly Contender[],
	{ changes, tasks }: ComparisonSource,
	isAskedAnew: boolean,
): Promise<ComparedResult[]> {
	const ids = [...new Set(contenders.map(({ taskId }) => taskId))];
	const found = new Map(await Promise.all(ids.map(async id => [id, await tasks.get(id)] as const)));
	const recorded = contenders.map(({ taskId, resultKey }) => recordOf(found.get(taskId) as Task, resultKey));
	const names = distinctNames(
		recorded.map(({ name, model, result }) => [name, ...[model, result?.branch].map(shortened)]),
	);
	const results = await Promise.all(
		recorded.map(async (record, at) => ({
			...record,
			name: names[at] ?? '',
			changes: record.result && (await changes.read(record.task, record.result, isAskedAnew)),
		})),
	);
	if (new Set(results.flatMap(read => read.changes?.repository.place.directory ?? [])).size > 1) {
		throw new UserFacingError(
			vscode.l10n.t('These tasks worked on different repositories. Select tasks of one repository.'),
		);
	}
	return results;
}

const shortened = (text = '') => oneLine(text, MAXIMUM_NAME);

/** Returns the facts about one contender from the record of its task. */
function recordOf(task: Task, resultKey: string): Omit<ComparedResult, 'changes'> {
	const result = resultsOf(task).find(({ key }) => key === resultKey);
	const position = resultKey === task.id ? -1 : Number(resultKey.slice(task.id.length + 1));
	const execution = task.agentExecutions?.[position];
	return {
		name: shortened(execution?.agent ?? task.selectedAgent ?? result?.branch),
		task,
		outcome: outcomeOf({ ...task, status: execution?.status ?? task.status }),
		model: position < 0 ? task.selectedModel : task.selectedAgents?.[position]?.model,
		extras: position < 0 ? task.errand : execution?.errand,
		result,
	};
}

/**
 * Returns how long each result of a task took, by its log. If the log cannot be read, there are no times, but the
 * changes are still there.
 */
async function readLog(
	task: Task,
	connection: ComparisonSource['connection'],
	signal: AbortSignal,
): Promise<(number | undefined)[]> {
	const times = new LogTimes(resultsOf(task));
	let count = 0;
	try {
		const client = await connection.client();
		for await (const record of readEntries({ client, taskId: task.id, from: 0, signal })) {
			if ('entry' in record) {
				times.add(record.entry, record.sentAt);
			}
			if (++count >= MAXIMUM_ENTRIES) {
				break;
			}
		}
		return times.durations();
	} catch {
		return [];
	}
}
