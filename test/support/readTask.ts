import { type Task, taskSchema } from '../../src/contract/tasks.ts';

/** A task as the client reads it from a reply that holds these fields. */
export function readTask(fields: Partial<Task>): Task {
	return taskSchema.parse(fields);
}
