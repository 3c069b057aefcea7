import { Emitter } from '../../base/event.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';

export interface TaskEnd {
	connection: string;
	task: Task;
}

/** Returns a key that distinguishes a task from those of all connections. */
export function taskKey(connection: string, taskId: string): string {
	return JSON.stringify([connection, taskId]);
}

/** Finds out which tasks have ended, and reports the end of each task that was seen running exactly once. */
export class TaskEnds {
	private readonly ended = new Emitter<TaskEnd>();
	readonly onDidEnd = this.ended.event;
	private readonly active = new Set<string>();
	private readonly told = new Set<string>();

	/** Records the current state of a task. */
	see(connection: string, task: Task): void {
		const key = taskKey(connection, task.id);
		if (isActiveTask(task)) {
			// A list that was read a moment earlier may still report as active a task that has ended.
			if (!this.told.has(key)) {
				this.active.add(key);
			}
		} else if (this.active.has(key)) {
			this.end(connection, task);
		}
	}

	/** Records the end of a task that was running. */
	end(connection: string, task: Task): void {
		const key = taskKey(connection, task.id);
		this.active.delete(key);
		if (!this.told.has(key)) {
			this.told.add(key);
			this.ended.fire({ connection, task });
		}
	}

	/** Records that a task continues after its end, so that its next end is news again. */
	goesOn(connection: string, taskId: string): void {
		const key = taskKey(connection, taskId);
		this.told.delete(key);
		this.active.add(key);
	}
}
