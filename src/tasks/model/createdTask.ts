import * as z from 'zod';
import { isSameRepository } from '../../base/remoteUrl.ts';
import type { Task } from '../../contract/tasks.ts';
import { timeOf } from './taskGroups.ts';

/** A request whose reply has not come. */
export const pendingTaskSchema = z.object({
	connection: z.string(),
	prompt: z.string(),
	repoUrl: z.string(),
	branch: z.string().optional(),
	/** Milliseconds since the epoch. */
	sentAt: z.number(),
	/** The ids of the tasks with this prompt that existed before. */
	known: z.array(z.string()),
});
export type PendingTask = z.output<typeof pendingTaskSchema>;

/**
 * The maximum time, in milliseconds, by which the creation of a task may precede a request whose reply was lost, for
 * the task to be taken for that request's.
 */
const LOOK_BACK_MS = 2 * 60 * 1000;

/** The maximum duration of a request, in milliseconds, which is longer than any window waits for its reply. */
export const UNDER_WAY_MS = 10 * 60_000;

/**
 * Returns the task that a request with a lost reply has created, if it did (contract: unspecified.md, "creation is not
 * idempotent").
 */
export function findCreatedTask(tasks: readonly Task[], request: Omit<PendingTask, 'connection'>): Task | undefined {
	return tasks.find(
		task =>
			!request.known.includes(task.id) &&
			task.prompt?.trim() === request.prompt.trim() &&
			// A task without an address counts as a match: a wrong match does less harm than creating a second task.
			(task.repoUrl === undefined || isSameRepository(task.repoUrl, request.repoUrl)) &&
			timeOf(task.createdAt) >= request.sentAt - LOOK_BACK_MS,
	);
}
