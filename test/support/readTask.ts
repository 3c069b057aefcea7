import { type Task, taskSchema } from '../../src/contract/tasks.ts';

/** Returns a task as the client reads it from a reply with these fields. */
export function readTask(fields: Partial<Task>): Task {
	return taskSchema.parse(fields);
}
