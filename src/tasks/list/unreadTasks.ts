import type { Memento } from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { TaskEntries } from '../common/taskEntries.ts';
import { UNREAD_ENTRIES } from '../model/storageKeys.ts';

const unreadSchema = z.object({ connection: z.string(), taskId: z.string(), at: z.number() });

/** Beyond this number, the oldest tasks count as looked at. */
const MAXIMUM_UNREAD = 200;

/** The tasks that have ended and that the user has not looked at, across reloads and in all windows of the workspace. */
export class UnreadTasks implements Disposable {
	private readonly entries: TaskEntries<z.infer<typeof unreadSchema>>;
	private readonly changed = new Emitter<undefined>();
	readonly onDidChange = this.changed.event;

	constructor(workspaceState: Memento) {
		this.entries = new TaskEntries(workspaceState, UNREAD_ENTRIES, unreadSchema, MAXIMUM_UNREAD);
	}

	/** Reads the state again, which other windows may have changed. */
	refresh(): void {
		this.entries.reload();
		this.changed.fire(undefined);
	}

	add(connection: string, taskId: string): void {
		this.entries.set({ connection, taskId, at: Date.now() });
		this.changed.fire(undefined);
	}

	/** Records that the user has looked at a task, or that it is gone or continues. */
	look(connection: string, taskId: string): void {
		if (this.entries.delete(connection, taskId)) {
			this.changed.fire(undefined);
		}
	}

	/** Returns the tasks of all connections that the user has not looked at. */
	all(): { connection: string; taskId: string }[] {
		return this.entries.values();
	}

	/** Returns the number of a connection's tasks that the user has not looked at. */
	countOf(connection: string): number {
		return this.entries.values().filter(task => task.connection === connection).length;
	}

	dispose(): void {
		this.changed.dispose();
	}
}
