import type { Memento } from 'vscode';
import { StateEntries } from '../../platform/sharedState.ts';
import { START_ENTRIES } from '../model/storageKeys.ts';

interface TaskStart {
	taskId: string;
	commit: string;
	/** Milliseconds since the epoch. */
	at: number;
}

/** Beyond this number, the oldest starts are forgotten. */
const MAXIMUM_STARTS = 200;

/**
 * The commits from which this workspace has started tasks. A service need not report them, and the scratch branch from
 * which a task started is removed when the task has ended.
 */
export class TaskStarts {
	private readonly entries: StateEntries<TaskStart>;

	constructor(workspaceState: Memento) {
		this.entries = new StateEntries(workspaceState, START_ENTRIES, isTaskStart);
	}

	commitOf(taskId: string): string | undefined {
		return this.entries.get(taskId)?.commit;
	}

	remember(taskId: string, commit: string): void {
		this.entries.note(taskId, { taskId, commit, at: Date.now() });
		const oldestLast = this.entries.values().sort((one, other) => other.at - one.at);
		for (const { taskId: id } of oldestLast.slice(MAXIMUM_STARTS)) {
			this.entries.note(id);
		}
	}
}

function isTaskStart(value: unknown): value is TaskStart {
	const start = value as Partial<TaskStart> | null;
	return typeof start?.taskId === 'string' && typeof start.commit === 'string' && typeof start.at === 'number';
}
