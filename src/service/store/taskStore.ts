import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Disposable } from '../../base/disposable.ts';
import type { Composition } from '../../contract/compositions.ts';
import { transaction } from './database.ts';
import { ModelUseStore } from './modelUseStore.ts';
import { StepStore } from './stepStore.ts';
import { nextTurn, taskAfter } from './taskProgress.ts';
import {
	type AgentChoice,
	type ExecutionRecord,
	FINAL_STATUSES,
	type LogRecord,
	type NewTask,
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
	/** The default is all tasks. */
	filter?: TaskFilter;
	/** The default is every state. */
	statuses?: readonly TaskStatus[];
	/** The default is both interrupted tasks and others. */
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

const EXECUTION_COLUMNS = `position, agent, model, status, progress, error, interrupted, baseCommit, branchName,
	linesAdded, linesRemoved, filesChanged, sandboxed, maxCost, hasWork, tests, testFilesChanged,
	json_extract(composition, '$.results') AS results`;

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
	/** The sums of the model calls of tasks. */
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
		const from = 'FROM executions WHERE taskSequence = ? ORDER BY position';
		this.selectExecutions = database.prepare(`SELECT ${EXECUTION_COLUMNS}, NULL AS gitDiff ${from}`);
		this.selectExecutionsWithDiffs = database.prepare(`SELECT ${EXECUTION_COLUMNS}, gitDiff ${from}`);
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

	/** Returns a page of tasks, newest first. */
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
		const statuses: TaskStatus[] = ['pending', 'processing', 'saving'];
		return this.list({ limit: Number.MAX_SAFE_INTEGER - 1, offset: 0, statuses }).tasks.reverse();
	}

	/** Stores a change together with the log entries that belong to it. An execution in a final state is not changed. */
	update(id: string, position: number, change: ExecutionChange, entries: readonly LogRecord[] = []): TaskRecord {
		const updated = transaction(this.database, () => {
			const task = this.require(id);
			const before = this.executions(task);
			const present = before.find(execution => execution.position === position);
			if (present === undefined) {
				throw new Error('An execution that was to be changed is not in the store.');
			}
			if (FINAL_STATUSES.has(present.status)) {
				return task;
			}
			this.insertEntries(task, entries);
			const after: ExecutionRecord = { ...present, ...change };
			this.writeExecution(task, after);
			return this.writeTask(
				task,
				before.map(execution => (execution === present ? after : execution)),
			);
		});
		this.watchers.tell(id);
		return updated;
	}

	/** Stores the outcome of an ended execution's work: its branch, its statistics and the entries that report them. */
	keep(
		id: string,
		position: number,
		change: Pick<ExecutionRecord, 'hasWork'> & Partial<ExecutionRecord>,
		entries: readonly LogRecord[],
	): TaskRecord {
		const updated = transaction(this.database, () => {
			const task = this.require(id);
			const executions = this.executions(task).map(present =>
				present.position === position ? { ...present, ...change } : present,
			);
			this.insertEntries(task, entries);
			for (const execution of executions.filter(candidate => candidate.position === position)) {
				this.writeExecution(task, execution);
			}
			return this.writeTask(task, executions);
		});
		this.watchers.tell(id);
		return updated;
	}

	/**
	 * Sets a task with one agent back to waiting, for a follow-up on its branch. The results of earlier turns are kept
	 * until this turn has new ones. The caller must have checked that the task is in a final state.
	 */
	followUp(id: string, { prompt, agent, model, fromStep }: FollowUp, entries: readonly LogRecord[]): TaskRecord {
		const updated = transaction(this.database, () => {
			const task = this.require(id);
			const [present, ...others] = this.executions(task);
			if (present === undefined || others.length > 0 || !FINAL_STATUSES.has(present.status)) {
				throw new Error('A task that cannot go on was to be continued.');
			}
			this.insertEntries(task, entries);
			this.database
				.prepare(
					`UPDATE tasks SET currentPrompt = ?, selectedAgent = ?, selectedModel = ?, fromStep = ?, turn = turn + 1,
						startedAt = NULL
					WHERE sequence = ?`,
				)
				.run(prompt, agent, model, fromStep ?? null, task.sequence);
			const after = nextTurn(present, { agent, model });
			this.writeExecution(task, after);
			return this.writeTask(this.require(id), [after]);
		});
		this.watchers.tell(id);
		return updated;
	}

	/** Adds an execution that composes the work of others, and sets the task back to waiting for it. */
	addComposition(id: string, agent: string, composition: Composition, entry: LogRecord): TaskRecord {
		const updated = transaction(this.database, () => {
			const task = this.require(id);
			this.insertEntries(task, [entry]);
			this.database
				.prepare(
					`INSERT INTO executions (taskSequence, position, agent, model, status, progress, interrupted, composition)
					VALUES (?, ?, ?, '', 'pending', 0, 0, ?)`,
				)
				.run(task.sequence, this.executions(task).length, agent, JSON.stringify(composition));
			return this.writeTask(task, this.executions(task));
		});
		this.watchers.tell(id);
		return updated;
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
		const first = transaction(this.database, () => this.insertEntries(this.require(id), entries));
		this.watchers.tell(id);
		return first;
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

	private writeExecution(task: TaskRecord, execution: ExecutionRecord): void {
		this.database
			.prepare(
				`UPDATE executions SET agent = ?, model = ?, status = ?, progress = ?, error = ?, interrupted = ?, baseCommit = ?,
					branchName = ?, linesAdded = ?, linesRemoved = ?, filesChanged = ?, gitDiff = coalesce(?, gitDiff), sandboxed = ?,
					maxCost = ?, hasWork = ?, tests = ?, testFilesChanged = ?
				WHERE taskSequence = ? AND position = ?`,
			)
			.run(
				execution.agent,
				execution.model,
				execution.status,
				execution.progress,
				execution.error,
				Number(execution.interrupted),
				execution.baseCommit,
				execution.branchName,
				execution.linesAdded,
				execution.linesRemoved,
				execution.filesChanged,
				execution.gitDiff,
				execution.sandboxed === null ? null : Number(execution.sandboxed),
				execution.maxCost,
				Number(execution.hasWork),
				execution.tests,
				execution.testFilesChanged,
				task.sequence,
				execution.position,
			);
	}

	/** Updates the task's own row from its executions, as lists are read from that row alone. */
	private writeTask(task: TaskRecord, executions: readonly ExecutionRecord[]): TaskRecord {
		const after = taskAfter(task, executions, new Date().toISOString());
		this.database
			.prepare(
				`UPDATE tasks SET status = ?, progress = ?, error = ?, interrupted = ?, branchName = ?, linesAdded = ?,
					linesRemoved = ?, filesChanged = ?, updatedAt = ?, startedAt = ?, completedAt = ? WHERE sequence = ?`,
			)
			.run(
				after.status,
				after.progress,
				after.error,
				Number(after.interrupted),
				after.branchName,
				after.linesAdded,
				after.linesRemoved,
				after.filesChanged,
				after.updatedAt,
				after.startedAt,
				after.completedAt,
				after.sequence,
			);
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
