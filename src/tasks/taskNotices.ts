import { isActiveTask, type Task } from '../contract/tasks.ts';

export interface TaskNoticesOptions {
	/** Whether the user wants no notices or can see the log of the task. */
	isQuiet(connection: string, taskId: string): boolean;
	/** Shows how a task ended. */
	tell(connection: string, task: Task): void;
}

/** Reports the end of each task that was seen running exactly once. */
export class TaskNotices {
	private readonly options: TaskNoticesOptions;
	private readonly active = new Set<string>();
	private readonly told = new Set<string>();

	constructor(options: TaskNoticesOptions) {
		this.options = options;
	}

	/** Records the current state of a task. */
	see(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		if (isActiveTask(task)) {
			// A list that was read a moment earlier may still report a task as active that has ended.
			if (!this.told.has(key)) {
				this.active.add(key);
			}
		} else if (this.active.has(key)) {
			this.ended(connection, task);
		}
	}

	/** Records the end of a task that was running. */
	ended(connection: string, task: Task): void {
		const key = keyOf(connection, task.id);
		this.active.delete(key);
		if (!this.told.has(key)) {
			this.told.add(key);
			// The end counts as reported even if the user watched it or wants no notices.
			if (!this.options.isQuiet(connection, task.id)) {
				this.options.tell(connection, task);
			}
		}
	}

	/** Records that a task continues after its end, so that its next end is news again. */
	goesOn(connection: string, taskId: string): void {
		const key = keyOf(connection, taskId);
		this.told.delete(key);
		this.active.add(key);
	}
}

function keyOf(connection: string, taskId: string): string {
	return JSON.stringify([connection, taskId]);
}
