import { isActiveTask, type Task } from '../contract/tasks.ts';

export interface TaskNoticesOptions {
	/** The user wants no notices, or has the log of the task in sight. */
	isQuiet(connection: string, taskId: string): boolean;
	/** Says how a task ended. */
	tell(connection: string, task: Task): void;
}

/** Says once of each task that was seen at work that it is over. */
export class TaskNotices {
	private readonly options: TaskNoticesOptions;
	private readonly active = new Set<string>();
	private readonly told = new Set<string>();

	constructor(options: TaskNoticesOptions) {
		this.options = options;
	}

	/** Takes a task as it is known now. */
	see(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		if (isActiveTask(task)) {
			// A list that was read a moment earlier may still call a task active that is over.
			if (!this.told.has(key)) {
				this.active.add(key);
			}
		} else if (this.active.has(key)) {
			this.ended(connection, task);
		}
	}

	/** Takes a task that was at work and is over. */
	ended(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		this.active.delete(key);
		if (!this.told.has(key)) {
			this.told.add(key);
			// What the user watched, or wants no word of, is told of for good.
			if (!this.options.isQuiet(connection, task.id)) {
				this.options.tell(connection, task);
			}
		}
	}

	/** Takes a task that is gone on with after its end: its next end is news again. */
	goesOn(connection: string, taskId: string): void {
		const key = keyOf(connection, taskId);
		this.told.delete(key);
		this.active.add(key);
	}
}

function keyOf(connection: string, taskId: string): string {
	return JSON.stringify([connection, taskId]);
}
