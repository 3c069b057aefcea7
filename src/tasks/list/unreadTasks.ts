import type { Memento } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { UNREAD_ENTRIES } from '../model/storageKeys.ts';

interface UnreadTask {
	connection: string;
	taskId: string;
	/** Milliseconds since the epoch. */
	at: number;
}

/** Beyond this number, the oldest tasks count as looked at. */
const MAXIMUM_UNREAD = 200;

/** The tasks that have ended and that the user has not looked at, across reloads and in all windows of the workspace. */
export class UnreadTasks implements Disposable {
	private readonly entries: StateEntries<UnreadTask>;
	/** A copy in memory, because reading the state opens a file for each entry, and the number is needed often. */
	private known: Map<string, UnreadTask>;
	private readonly changed = new Emitter<undefined>();
	readonly onDidChange = this.changed.event;

	constructor(workspaceState: Memento) {
		this.entries = new StateEntries(workspaceState, UNREAD_ENTRIES, isUnreadTask);
		this.known = this.read();
	}

	/** Reads the state again, which other windows may have changed. */
	refresh(): void {
		this.known = this.read();
		this.changed.fire(undefined);
	}

	add(connection: string, taskId: string): void {
		const task = { connection, taskId, at: Date.now() };
		this.known.set(idOf(task), task);
		this.entries.note(idOf(task), task);
		const oldestLast = [...this.known.values()].sort((one, other) => other.at - one.at);
		for (const oldest of oldestLast.slice(MAXIMUM_UNREAD)) {
			this.forget(idOf(oldest));
		}
		this.changed.fire(undefined);
	}

	/** Records that the user has looked at a task, or that it is gone or continues. */
	look(connection: string, taskId: string): void {
		const id = idOf({ connection, taskId });
		if (this.known.has(id)) {
			this.forget(id);
			this.changed.fire(undefined);
		}
	}

	/** Returns the number of a connection's tasks that the user has not looked at. */
	countOf(connection: string): number {
		return [...this.known.values()].filter(task => task.connection === connection).length;
	}

	private forget(id: string): void {
		this.known.delete(id);
		this.entries.note(id);
	}

	private read(): Map<string, UnreadTask> {
		return new Map(this.entries.values().map(task => [idOf(task), task]));
	}

	dispose(): void {
		this.changed.dispose();
	}
}

const idOf = ({ connection, taskId }: Pick<UnreadTask, 'connection' | 'taskId'>): string =>
	JSON.stringify([connection, taskId]);

function isUnreadTask(value: unknown): value is UnreadTask {
	const task = value as Partial<UnreadTask> | null;
	return typeof task?.connection === 'string' && typeof task.taskId === 'string' && typeof task.at === 'number';
}
