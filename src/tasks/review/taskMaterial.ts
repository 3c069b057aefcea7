import * as vscode from 'vscode';
import { plainText } from '../../base/plainText.ts';
import type { Client } from '../../client/types.ts';
import { isRace, resultsOf } from '../../contract/taskResults.ts';
import { isActiveTask, type LogEntry, type Task } from '../../contract/tasks.ts';
import type { LogEntryText, TaskFacts, TaskPatch } from '../api.ts';
import { rowWords } from '../common/messages.ts';
import { taskIdOf } from '../list/pickTask.ts';
import { readEntries } from '../log/readEntries.ts';
import { isAccount, stepOf } from '../model/formatEntry.ts';
import { outcomeOf } from '../model/taskGroups.ts';
import { hasFailed, taskTitle } from '../model/taskRow.ts';
import { readChangeUri } from '../results/changeUri.ts';
import { pickResult } from '../results/pickResult.ts';
import { readPatch } from '../results/readChanges.ts';
import type { TaskChanges } from '../results/taskChanges.ts';

/** A longer log is read at its beginning and at its end. */
const FIRST_ENTRIES = 100;
const LAST_ENTRIES = 2_000;
const MAXIMUM_ENTRY = 4_000;
const MAXIMUM_TITLE = 60;

/** Finds the task of a command. */
export interface TaskFinder {
	/** The known tasks. */
	all(): Iterable<Task>;
	/** Returns a task of the active connection. Rejects with a ClientError. */
	get(id: string): Promise<Task>;
	/** Lets the user choose a task that matches. Resolves with undefined if none was chosen, or none matches. */
	pick(matches: (task: Task) => boolean, title: string, none: string): Promise<string | undefined>;
}

/** The active connection, from which the material of a task is read. */
export interface TaskConnectionAccess {
	client(): Promise<Pick<Client, 'tasks'>>;
	/** Returns its name for the user. */
	label(): string;
	/** Asks for the key if it is missing. Resolves with false if there is still none, which the user has been told. */
	ensureKey(): Promise<boolean>;
}

export interface TaskMaterialDependencies {
	changes: TaskChanges;
	tasks: Pick<TaskFinder, 'get' | 'pick'>;
	connection: Pick<TaskConnectionAccess, 'client' | 'ensureKey'>;
}

const choices: Record<'any' | 'failed' | 'changed', (task: Task) => boolean> = {
	any: () => true,
	failed: hasFailed,
	changed: task => !isActiveTask(task) && resultsOf(task).length > 0,
};

/** Reads prompts, logs and changes of tasks for questions about them. Everything rejects with errors to be explained. */
export class TaskMaterial {
	private readonly dependencies: TaskMaterialDependencies;

	constructor(dependencies: TaskMaterialDependencies) {
		this.dependencies = dependencies;
	}

	/**
	 * Returns the task that an argument names or that the user chooses; undefined if there is none, which the user has
	 * been told.
	 */
	async choose(argument: unknown, title: string, which: keyof typeof choices): Promise<TaskFacts | undefined> {
		if (!(await this.dependencies.connection.ensureKey())) {
			return undefined;
		}
		const none = {
			any: vscode.l10n.t('There are no tasks on this connection. Start one first.'),
			failed: vscode.l10n.t('No task has failed, so there’s nothing to explain.'),
			changed: vscode.l10n.t('No task has ended with changes.'),
		}[which];
		// The argument is a row, an id, or the URI of a file that a task has changed.
		const named = argument instanceof vscode.Uri ? readChangeUri(argument)?.taskId : taskIdOf(argument);
		const id = named ?? (await this.dependencies.tasks.pick(choices[which], title, none));
		if (id === undefined) {
			return undefined;
		}
		const task = await this.dependencies.tasks.get(id);
		const outcome = outcomeOf(task);
		return {
			id,
			title: taskTitle(task, rowWords.untitled, MAXIMUM_TITLE),
			prompt: task.prompt ?? '',
			status: outcome === 'active' ? rowWords.running : rowWords.outcome(outcome),
			error: task.error,
			hasFailed: hasFailed(task),
			isRace: isRace(task),
			hasChanges: choices.changed(task),
		};
	}

	/** Returns the entries of a task's log, without those that only count a model's cost. */
	async readLog(taskId: string, signal: AbortSignal): Promise<LogEntryText[]> {
		const { parts } = await this.readLogSoFar(taskId, signal);
		return parts.flat();
	}

	/**
	 * Returns the beginning and the end of the same entries, and the number of entries left out between them. If
	 * `limit` aborts, returns what has arrived by then.
	 */
	async readLogSoFar(
		taskId: string,
		signal: AbortSignal,
		limit?: AbortSignal,
	): Promise<{ parts: [LogEntryText[], LogEntryText[]]; leftOut: number }> {
		const client = await this.dependencies.connection.client();
		const first: LogEntryText[] = [];
		let last: LogEntryText[] = [];
		let count = 0;
		try {
			for await (const record of readEntries({ client, taskId, from: 0, signal })) {
				if ('note' in record || isAccount(record.entry)) {
					continue;
				}
				count++;
				const line = lineOf(record.index, record.entry);
				if (first.length < FIRST_ENTRIES) {
					first.push(line);
				} else if (last.push(line) > 2 * LAST_ENTRIES) {
					last = last.slice(-LAST_ENTRIES);
				}
			}
		} catch (error) {
			if (!limit?.aborted) {
				throw error;
			}
		}
		last = last.slice(-LAST_ENTRIES);
		return { parts: [first, last], leftOut: count - first.length - last.length };
	}

	/**
	 * Returns the changes of a task. `argument` may name one of several results, by its `resultKey`; otherwise the user
	 * is asked.
	 */
	async readChanges(
		taskId: string,
		argument: unknown,
		title: string,
	): Promise<(TaskPatch & { resultKey: string }) | undefined> {
		const task = await this.dependencies.tasks.get(taskId);
		const named = argument instanceof vscode.Uri ? readChangeUri(argument) : argument;
		const result = await pickResult(task, named, title);
		if (!result) {
			return undefined;
		}
		const changes = await this.dependencies.changes.read(task, result);
		return { resultKey: result.key, name: result.name ?? result.branch, ...(await readPatch(changes)) };
	}
}

function lineOf(index: number, entry: LogEntry): LogEntryText {
	const step = stepOf(entry);
	const message = plainText((entry.message ?? '').slice(0, MAXIMUM_ENTRY)).trim();
	const text = [entry.type === 'error' ? 'error' : undefined, step, message].filter(Boolean).join(': ');
	return { index, text, isProblem: entry.type === 'error' || entry.type === 'warning' };
}
