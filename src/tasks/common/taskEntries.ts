import type { Memento } from 'vscode';
import type * as z from 'zod';
import { StateEntries } from '../../platform/sharedState.ts';
import { taskKey } from '../model/taskEnds.ts';

interface TaskEntry {
	connection: string;
	taskId: string;
	/** Milliseconds since the epoch. */
	at?: number;
}

/**
 * Values of one kind about tasks of all connections, in a state that windows share. They have a copy in memory, because
 * reading the state opens a file for each value, and rows ask for them often.
 */
export class TaskEntries<T extends TaskEntry> {
	private readonly entries: StateEntries<T>;
	private readonly maximum: number;
	private known: Map<string, T> = new Map();

	/** Above the `maximum`, the oldest values are deleted. */
	constructor(state: Memento, prefix: string, schema: z.ZodType<T>, maximum = Number.POSITIVE_INFINITY) {
		this.entries = new StateEntries(state, prefix, (value): value is T => schema.safeParse(value).success);
		this.maximum = maximum;
		this.reload();
	}

	get(connection: string, taskId: string): T | undefined {
		return this.known.get(taskKey(connection, taskId));
	}

	values(): T[] {
		return [...this.known.values()];
	}

	set(value: T): void {
		const key = taskKey(value.connection, value.taskId);
		this.known.set(key, value);
		this.entries.note(key, value);
		if (this.known.size > this.maximum) {
			const oldestFirst = this.values().sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
			for (const { connection, taskId } of oldestFirst.slice(0, -this.maximum)) {
				this.delete(connection, taskId);
			}
		}
	}

	/** Returns whether there was a value. */
	delete(connection: string, taskId: string): boolean {
		const key = taskKey(connection, taskId);
		const wasThere = this.known.delete(key);
		if (wasThere) {
			this.entries.note(key);
		}
		return wasThere;
	}

	/** Reads the state again, which other windows may have changed. */
	reload(): void {
		this.known = new Map(this.entries.values().map(value => [taskKey(value.connection, value.taskId), value]));
	}
}
