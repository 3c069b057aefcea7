import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { type Disposable, toDisposable } from '../../base/disposable.ts';
import { transaction } from './database.ts';
import type { TaskFilter, TaskStatus, TaskStatusFilter } from './taskRecord.ts';
import { FINAL_STATUSES, type LogRecord, type NewTask, statusesOf, type TaskRecord } from './taskRecord.ts';

/** What may change of a task after its creation. */
export type TaskChange = Partial<
	Pick<TaskRecord, 'status' | 'progress' | 'error' | 'branchName' | 'linesAdded' | 'linesRemoved' | 'filesChanged'>
>;

export interface TaskPageQuery {
	limit: number;
	offset: number;
	filter: TaskFilter;
	status: TaskStatusFilter | undefined;
}

/** UTF-16 code units. A reader that does not read costs a page, and JSON can make six bytes of each. */
const MAXIMUM_PAGE_LENGTH = 64 * 1024;

/**
 * The tasks and their logs, in SQLite. Every method has stored what it was given when it returns.
 * Nothing is ever deleted; a log only grows, and a task in a final state does not change any more.
 */
export class TaskStore {
	private readonly database: DatabaseSync;
	private readonly listeners = new Map<string, Set<() => void>>();
	private readonly selectTask: StatementSync;
	private readonly selectEntries: StatementSync;
	private readonly countEntries: StatementSync;
	private readonly insertEntry: StatementSync;

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
	}

	create(task: NewTask): TaskRecord {
		const now = new Date().toISOString();
		this.database
			.prepare(
				`INSERT INTO tasks (id, prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, installDependencies,
					maxDuration, status, progress, createdAt, updatedAt)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?)`,
			)
			.run(
				task.id,
				task.prompt,
				task.repoUrl,
				task.selectedBranch,
				task.selectedAgent,
				task.selectedModel,
				task.installDependencies ? 1 : 0,
				task.maxDuration,
				now,
				now,
			);
		return this.require(task.id);
	}

	get(id: string): TaskRecord | undefined {
		const row = this.selectTask.get(id);
		return row === undefined ? undefined : toRecord(row);
	}

	/** Newest first. */
	list({ limit, offset, filter, status }: TaskPageQuery): { tasks: TaskRecord[]; hasMore: boolean } {
		// No batches are made here, so a list of batch tasks has none.
		if (filter === 'batch') {
			return { tasks: [], hasMore: false };
		}
		const statuses = status === undefined ? [] : statusesOf(status);
		const where = statuses.length === 0 ? '' : `WHERE status IN (${statuses.map(() => '?').join(', ')})`;
		const rows = this.database
			.prepare(`SELECT * FROM tasks ${where} ORDER BY sequence DESC LIMIT ? OFFSET ?`)
			.all(...statuses, limit + 1, offset);
		return { tasks: rows.slice(0, limit).map(toRecord), hasMore: rows.length > limit };
	}

	active(): TaskRecord[] {
		return this.list({ limit: Number.MAX_SAFE_INTEGER - 1, offset: 0, filter: 'all', status: 'active' }).tasks;
	}

	/** Writes a change together with log entries that belong to it. A task in a final state is left as it is. */
	update(id: string, change: TaskChange, entries: readonly LogRecord[] = []): TaskRecord {
		const updated = transaction(this.database, () => {
			const before = this.require(id);
			if (FINAL_STATUSES.has(before.status)) {
				return before;
			}
			this.insertEntries(before, entries);
			const now = new Date().toISOString();
			const after: TaskRecord = { ...before, ...change, updatedAt: now };
			after.completedAt = FINAL_STATUSES.has(after.status) ? now : null;
			this.database
				.prepare(
					`UPDATE tasks SET status = ?, progress = ?, error = ?, branchName = ?, linesAdded = ?, linesRemoved = ?,
						filesChanged = ?, updatedAt = ?, completedAt = ? WHERE sequence = ?`,
				)
				.run(
					after.status,
					after.progress,
					after.error,
					after.branchName,
					after.linesAdded,
					after.linesRemoved,
					after.filesChanged,
					after.updatedAt,
					after.completedAt,
					after.sequence,
				);
			return after;
		});
		this.notify(id);
		return updated;
	}

	/** Adds to the end of a task's log, in one transaction. */
	append(id: string, entries: readonly LogRecord[]): void {
		if (entries.length > 0) {
			transaction(this.database, () => this.insertEntries(this.require(id), entries));
			this.notify(id);
		}
	}

	/**
	 * Entries from position `from` on, without gaps: at most `limit`, and no more once their text is longer than
	 * `MAXIMUM_PAGE_LENGTH`. None only where there are none.
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
		const listeners = this.listeners.get(id) ?? new Set();
		this.listeners.set(id, listeners);
		// A function of its own: the same listener may watch twice.
		const entry = () => listener();
		listeners.add(entry);
		return toDisposable(() => {
			listeners.delete(entry);
			if (listeners.size === 0 && this.listeners.get(id) === listeners) {
				this.listeners.delete(id);
			}
		});
	}

	private insertEntries(task: TaskRecord, entries: readonly LogRecord[]): void {
		let position = this.entryCount(task);
		for (const { type, contentType, message, timestamp, agent, step } of entries) {
			this.insertEntry.run(task.sequence, position++, type, contentType, message, timestamp, agent, step);
		}
	}

	private require(id: string): TaskRecord {
		const task = this.get(id);
		if (task === undefined) {
			throw new Error('A task that was to be changed is not in the store.');
		}
		return task;
	}

	private notify(id: string): void {
		for (const listener of [...(this.listeners.get(id) ?? [])]) {
			listener();
		}
	}
}

function toRecord(row: Record<string, SQLOutputValue>): TaskRecord {
	return {
		...(row as unknown as TaskRecord),
		status: row['status'] as TaskStatus,
		installDependencies: row['installDependencies'] === 1,
	};
}
