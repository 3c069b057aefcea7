import type { Memento } from 'vscode';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { ARCHIVED_ENTRIES } from '../model/storageKeys.ts';

const MAXIMUM_ENTRIES = 5000;

interface ArchiveEntry {
	connection: string;
	taskId: string;
	/**
	 * The time at which the task had ended, as its service reports it: a task that has continued since is no longer
	 * archived.
	 */
	completedAt: string;
	/** Milliseconds since the epoch. */
	at: number;
}

/** The tasks that the user has archived on this machine, of all connections. */
export class ArchiveStore {
	private readonly entries: StateEntries<ArchiveEntry>;
	/** Keyed by connection and id. Read once, because rows look up every task each time they are drawn. */
	private known: Map<string, ArchiveEntry> | undefined;

	constructor(globalState: Memento) {
		this.entries = new StateEntries(globalState, ARCHIVED_ENTRIES, isArchiveEntry);
	}

	has(connection: string, task: Pick<Task, 'id' | 'status' | 'completedAt'>): boolean {
		const entry = this.read().get(keyOf(connection, task.id));
		return entry !== undefined && !isActiveTask(task) && entry.completedAt === (task.completedAt ?? '');
	}

	/** The number of archived tasks is limited: beyond it, the one that was archived first is shown again. */
	add(connection: string, { id, completedAt = '' }: Pick<Task, 'id' | 'completedAt'>, now: number): void {
		const known = this.read();
		const entry = { connection, taskId: id, completedAt, at: now };
		known.set(keyOf(connection, id), entry);
		this.entries.note(keyOf(connection, id), entry);
		if (known.size > MAXIMUM_ENTRIES) {
			const oldest = [...known.values()].reduce((first, other) => (other.at < first.at ? other : first));
			this.remove(oldest.connection, oldest.taskId);
		}
	}

	remove(connection: string, taskId: string): void {
		this.read().delete(keyOf(connection, taskId));
		this.entries.note(keyOf(connection, taskId));
	}

	private read(): Map<string, ArchiveEntry> {
		this.known ??= new Map(this.entries.values().map(entry => [keyOf(entry.connection, entry.taskId), entry]));
		return this.known;
	}
}

const keyOf = (connection: string, taskId: string): string => JSON.stringify([connection, taskId]);

function isArchiveEntry(value: unknown): value is ArchiveEntry {
	const entry = value as Partial<ArchiveEntry> | null;
	return (
		typeof entry?.connection === 'string' &&
		typeof entry.taskId === 'string' &&
		typeof entry.completedAt === 'string' &&
		typeof entry.at === 'number'
	);
}
