import type { Memento } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { ENDED_ENTRIES } from '../model/storageKeys.ts';

interface EndedTask {
	connection: string;
	taskId: string;
	/** Milliseconds since the epoch. */
	at: number;
}

/** The oldest tasks above this number count as looked at. */
const MAXIMUM_ENDED = 200;

/** The tasks that have ended and that the user has not looked at, across reloads and in all windows of the workspace. */
export class EndedTasks implements Disposable {
	private readonly entries: StateEntries<EndedTask>;
	/** Reading the state takes a file for each entry, and the number is asked for often. */
	private known: Map<string, EndedTask>;
	private readonly changed = new Emitter<undefined>();
	readonly onDidChange = this.changed.event;

	constructor(workspaceState: Memento) {
		this.entries = new StateEntries(workspaceState, ENDED_ENTRIES, isEndedTask);
		this.known = this.read();
	}

	/** Reads again what other windows may have changed. */
	refresh(): void {
		this.known = this.read();
		this.changed.fire(undefined);
	}

	add(connection: string, taskId: string): void {
		const ended = { connection, taskId, at: Date.now() };
		this.known.set(idOf(ended), ended);
		this.entries.note(idOf(ended), ended);
		const oldestLast = [...this.known.values()].sort((one, other) => other.at - one.at);
		for (const oldest of oldestLast.slice(MAXIMUM_ENDED)) {
			this.forget(idOf(oldest));
		}
		this.changed.fire(undefined);
	}

	/** Takes note that the user has looked at a task, or that it is gone or goes on. */
	look(connection: string, taskId: string): void {
		const id = idOf({ connection, taskId });
		if (this.known.has(id)) {
			this.forget(id);
			this.changed.fire(undefined);
		}
	}

	/** Returns how many tasks of a connection the user has not looked at. */
	countOf(connection: string): number {
		return [...this.known.values()].filter(ended => ended.connection === connection).length;
	}

	private forget(id: string): void {
		this.known.delete(id);
		this.entries.note(id);
	}

	private read(): Map<string, EndedTask> {
		return new Map(this.entries.values().map(ended => [idOf(ended), ended]));
	}

	dispose(): void {
		this.changed.dispose();
	}
}

const idOf = ({ connection, taskId }: Pick<EndedTask, 'connection' | 'taskId'>): string =>
	JSON.stringify([connection, taskId]);

function isEndedTask(value: unknown): value is EndedTask {
	const ended = value as Partial<EndedTask> | null;
	return typeof ended?.connection === 'string' && typeof ended.taskId === 'string' && typeof ended.at === 'number';
}
