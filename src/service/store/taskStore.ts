import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Disposable } from '../../base/disposable.ts';
import type { Composition } from '../../contract/compositions.ts';
import { transaction } from './database.ts';
import { ModelUseStore } from './modelUseStore.ts';
import { StepStore } from './stepStore.ts';
import { NO_PROGRESS, nextTurn, taskAfter } from './taskProgress.ts';
import {
	type AgentChoice,
	type ExecutionRecord,
	FINAL_STATUSES,
	type LogRecord,
	type NewTask,
	type Progress,
	STATUSES_BY_FILTER,
	type TaskFilter,
	type TaskRecord,
	type TaskStatus,
} from './taskRecord.ts';
import { TaskWatchers } from './taskWatchers.ts';

/** The fields of an execution that may change after its creation. */
export type ExecutionChange = Partial<Omit<ExecutionRecord, 'position' | 'agent' | 'model'>>;

export interface TaskPageQuery {
	limit: number;
	offset: number;
	filter?: TaskFilter;
	statuses?: readonly TaskStatus[];
	interrupted?: boolean;
}

export interface FollowUp extends AgentChoice {
	prompt: string;
	/** The index of the step whose files the agent begins with. */
	fromStep?: number | undefined;
}

/**
 * The limit in UTF-16 code units. A client that stops reading holds one page in memory, and JSON can turn each unit
 * into six bytes.
 */
export const MAXIMUM_PAGE_LENGTH = 64 * 1024;

const PROGRESS = Object.keys(NO_PROGRESS) as (keyof Progress)[];
/** What the row of an execution, and of a task, has of its record as it is. */
const EXECUTION_COLUMNS = [
	...PROGRESS,
	...(['agent', 'model', 'baseCommit', 'sandboxed', 'maxCost', 'hasWork', 'tests', 'testFilesChanged'] as const),
];
const TASK_COLUMNS = [...PROGRESS, 'updatedAt', 'startedAt', 'completedAt'] as const;

/**
 * Stores the tasks, their executions and their logs in SQLite. Every method has committed its changes when it returns.
 * Nothing but steps is ever deleted, and a log only grows. A final state changes only by a follow-up.
 */
export class TaskStore {
	private readonly database: DatabaseSync;
	private readonly watchers = new TaskWatchers();
	private readonly selectTask: StatementSync;
	private readonly selectEntries: StatementSync;
	private readonly countEntries: StatementSync;
	private readonly insertEntry: StatementSync;
	private readonly selectExecutions: StatementSync;
	private readonly selectExecutionsWithDiffs: StatementSync;
	readonly modelUse: ModelUseStore;
	readonly steps: StepStore;

	constructor(database: DatabaseSync) {
		this.database = database;
		this.selectTask = database.prepare('SELECT * FROM tasks WHERE id = ?');
		this.selectEntries = database.prepare(
			'SELECT type, contentType, message, timestamp, agent, step FROM logEntries WHERE taskSequence = ? AND position >= ? ORDER BY position LIMIT ?',
		);
		this.countEntries = database.prepare(
			'SELECT coalesce(max(position) + 1, 0) AS count FROM logEntries WHERE taskSequence = ?',
		);
		this.insertEntry = database.prepare('INSERT INTO logEntries VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
		const columns = `position, ${EXECUTION_COLUMNS.join(', ')}, json_extract(composition, '$.results') AS results`;
		const from = 'FROM executions WHERE taskSequence = ? ORDER BY position';
		this.selectExecutions = database.prepare(`SELECT ${columns}, NULL AS gitDiff ${from}`);
		this.selectExecutionsWithDiffs = database.prepare(`SELECT ${columns}, gitDiff ${from}`);
		this.modelUse = new ModelUseStore(database);
		this.steps = new StepStore(database);
	}

	create(task: NewTask): TaskRecord {
		const now = new Date().toISOString();
		const [first] = task.agents;
		return transaction(this.database, () => {
			this.database
				.prepare(
					`INSERT INTO tasks (id, prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, installDependencies,
						maxDuration, multiLaunch, mcpServers, status, progress, createdAt, updatedAt)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?)`,
				)
				.run(
					task.id,
					task.prompt,
					task.repoUrl,
					task.selectedBranch,
					first.agent,
					first.model,
					Number(task.installDependencies),
					task.maxDuration,
					Number(task.agents.length > 1),
					JSON.stringify(task.mcpServers ?? []),
					now,
					now,
				);
			const record = this.require(task.id);
			const insert = this.database.prepare(
				`INSERT INTO executions (taskSequence, position, agent, model, status, progress, interrupted)
				VALUES (?, ?, ?, ?, 'pending', 0, 0)`,
			);
			for (const [position, { agent, model }] of task.agents.entries()) {
				insert.run(record.sequence, position, agent, model);
			}
			return record;
		});
	}

	get(id: string): TaskRecord | undefined {
		const row = this.selectTask.get(id);
		return row === undefined ? undefined : toRecord(row);
	}

	/**
	 * Returns the executions in the order of the request. The diffs can be large, so they are read only if they are
	 * needed.
	 */
	executions(task: TaskRecord, { diffs = false } = {}): ExecutionRecord[] {
		return (diffs ? this.selectExecutionsWithDiffs : this.selectExecutions).all(task.sequence).map(toExecution);
	}

	list({ limit, offset, filter, statuses = [], interrupted }: TaskPageQuery): {
		tasks: TaskRecord[];
		hasMore: boolean;
	} {
		// The local service creates no batches, so this list is always empty.
		if (filter === 'batch') {
			return { tasks: [], hasMore: false };
		}
		const conditions: string[] = [];
		const values: SQLInputValue[] = [...statuses];
		if (statuses.length > 0) {
			conditions.push(`status IN (${statuses.map(() => '?').join(', ')})`);
		}
		if (interrupted !== undefined) {
			conditions.push('interrupted = ?');
			values.push(Number(interrupted));
		}
		const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
		const rows = this.database
			.prepare(`SELECT * FROM tasks ${where} ORDER BY sequence DESC LIMIT ? OFFSET ?`)
			.all(...values, limit + 1, offset);
		return { tasks: rows.slice(0, limit).map(toRecord), hasMore: rows.length > limit };
	}

	/**
	 * Returns every task that is not in a final state in order of creation. A follow-up keeps the position of its task.
	 */
	active(): TaskRecord[] {
		const statuses = STATUSES_BY_FILTER.active;
		return this.list({ limit: Number.MAX_SAFE_INTEGER - 1, offset: 0, statuses }).tasks.reverse();
	}

	/** Stores a change together with the log entries that belong to it. An execution in a final state is not changed. */
	update(id: string, position: number, change: ExecutionChange, entries: readonly LogRecord[] = []): TaskRecord {
		return this.change(id, task => {
			const present = this.execution(task, position);
			return FINAL_STATUSES.has(present.status) ? task : this.write(task, { ...present, ...change }, entries);
		});
	}

	/** Stores the outcome of an ended execution's work: its branch, its statistics and the entries that report them. */
	keep(
		id: string,
		position: number,
		change: Pick<ExecutionRecord, 'hasWork'> & Partial<ExecutionRecord>,
		entries: readonly LogRecord[],
	): TaskRecord {
		return this.change(id, task => this.write(task, { ...this.execution(task, position), ...change }, entries));
	}

	/**
	 * Sets a task with one agent back to waiting, for a follow-up on its branch. The results of earlier turns are kept
	 * until this turn has new ones. The caller must have checked that the task is in a final state.
	 */
	followUp(id: string, { prompt, agent, model, fromStep }: FollowUp, entries: readonly LogRecord[]): TaskRecord {
		return this.change(id, task => {
			const [present, ...others] = this.executions(task);
			if (present === undefined || others.length > 0 || !FINAL_STATUSES.has(present.status)) {
				throw new Error('A task that cannot go on was to be continued.');
			}
			this.database
				.prepare(
					`UPDATE tasks SET currentPrompt = ?, selectedAgent = ?, selectedModel = ?, fromStep = ?, turn = turn + 1,
						startedAt = NULL
					WHERE sequence = ?`,
				)
				.run(prompt, agent, model, fromStep ?? null, task.sequence);
			return this.write(this.require(id), nextTurn(present, { agent, model }), entries);
		});
	}

	/** Adds an execution that composes the work of others, and sets the task back to waiting for it. */
	addComposition(id: string, agent: string, composition: Composition, entry: LogRecord): TaskRecord {
		return this.change(id, task => {
			this.insertEntries(task, [entry]);
			this.database
				.prepare(
					`INSERT INTO executions (taskSequence, position, agent, model, status, progress, interrupted, composition)
					VALUES (?, ?, ?, '', 'pending', 0, 0, ?)`,
				)
				.run(task.sequence, this.executions(task).length, agent, JSON.stringify(composition));
			return this.writeTask(task);
		});
	}

	/** Returns what an execution composes, or undefined if it is the work of an agent. */
	composition(task: TaskRecord, position: number): Composition | undefined {
		const row = this.database
			.prepare('SELECT composition FROM executions WHERE taskSequence = ? AND position = ?')
			.get(task.sequence, position);
		return row?.['composition'] == null ? undefined : JSON.parse(String(row['composition']));
	}

	/** Appends entries to a task's log in one transaction. Returns the index of the first one. */
	append(id: string, entries: readonly LogRecord[]): number | undefined {
		if (entries.length === 0) {
			return undefined;
		}
		return this.change(id, task => this.insertEntries(task, entries));
	}

	/**
	 * Returns the entries from position `from` on, without gaps: at most `limit`, and no further ones once their text is
	 * longer than `MAXIMUM_PAGE_LENGTH`. The list is empty only if there are no more entries.
	 */
	entries(task: TaskRecord, from: number, limit: number): LogRecord[] {
		const entries: LogRecord[] = [];
		let length = 0;
		for (const row of this.selectEntries.iterate(task.sequence, from, limit)) {
			const entry = row as unknown as LogRecord;
			entries.push(entry);
			length += entry.message.length;
			if (length > MAXIMUM_PAGE_LENGTH) {
				break;
			}
		}
		return entries;
	}

	entryCount(task: TaskRecord): number {
		return Number(this.countEntries.get(task.sequence)?.['count']);
	}

	/** Calls `listener` after every change of the task or its log, until disposed. */
	watch(id: string, listener: () => void): Disposable {
		return this.watchers.watch(id, listener);
	}

	/** Makes a change of a task as a whole or not at all, and tells those who watch the task. */
	private change<T>(id: string, body: (task: TaskRecord) => T): T {
		const result = transaction(this.database, () => body(this.require(id)));
		this.watchers.tell(id);
		return result;
	}

	private execution(task: TaskRecord, position: number): ExecutionRecord {
		const found = this.executions(task).find(execution => execution.position === position);
		if (found === undefined) {
			throw new Error('An execution that was to be changed is not in the store.');
		}
		return found;
	}

	/** Writes an execution, and with it its task. An earlier diff stays where there is none now. */
	private write(task: TaskRecord, execution: ExecutionRecord, entries: readonly LogRecord[]): TaskRecord {
		this.insertEntries(task, entries);
		this.database
			.prepare(
				`UPDATE executions SET ${assigned(EXECUTION_COLUMNS)}, gitDiff = coalesce(?, gitDiff)
				WHERE taskSequence = ? AND position = ?`,
			)
			.run(...values(execution, EXECUTION_COLUMNS), execution.gitDiff, task.sequence, execution.position);
		return this.writeTask(task);
	}

	/** Updates the task's own row from its executions, as lists are read from that row alone. */
	private writeTask(task: TaskRecord): TaskRecord {
		const after = taskAfter(task, this.executions(task), new Date().toISOString());
		this.database
			.prepare(`UPDATE tasks SET ${assigned(TASK_COLUMNS)} WHERE sequence = ?`)
			.run(...values(after, TASK_COLUMNS), task.sequence);
		return after;
	}

	private insertEntries(task: TaskRecord, entries: readonly LogRecord[]): number {
		const first = this.entryCount(task);
		let position = first;
		for (const { type, contentType, message, timestamp, agent, step } of entries) {
			this.insertEntry.run(task.sequence, position++, type, contentType, message, timestamp, agent, step);
		}
		return first;
	}

	private require(id: string): TaskRecord {
		const task = this.get(id);
		if (task === undefined) {
			throw new Error('A task that was to be changed is not in the store.');
		}
		return task;
	}
}

const assigned = (columns: readonly string[]): string => columns.map(column => `${column} = ?`).join(', ');

function values<Column extends string>(
	record: Readonly<Record<Column, string | number | boolean | null>>,
	columns: readonly Column[],
): SQLInputValue[] {
	return columns.map(column => {
		const value: string | number | boolean | null = record[column];
		return typeof value === 'boolean' ? Number(value) : value;
	});
}

function toExecution({ results, ...row }: Record<string, SQLOutputValue>): ExecutionRecord {
	return {
		...(row as unknown as ExecutionRecord),
		composedOf:
			results == null ? null : (JSON.parse(String(results)) as Composition['results']).map(({ agent }) => agent),
		interrupted: row['interrupted'] === 1,
		sandboxed: row['sandboxed'] === null ? null : row['sandboxed'] === 1,
		hasWork: row['hasWork'] === 1,
	};
}

function toRecord(row: Record<string, SQLOutputValue>): TaskRecord {
	return {
		...(row as unknown as TaskRecord),
		installDependencies: row['installDependencies'] === 1,
		multiLaunch: row['multiLaunch'] === 1,
		mcpServers: JSON.parse(String(row['mcpServers'])) as string[],
		interrupted: row['interrupted'] === 1,
	};
}
