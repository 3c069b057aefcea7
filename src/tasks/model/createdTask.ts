import { isSameRepository } from '../../base/remoteUrl.ts';
import type { Task, TaskCreateRequest } from '../../contract/tasks.ts';
import { timeOf } from './taskGroups.ts';

/**
 * The maximum time, in milliseconds, by which the creation of a task may precede a request whose reply was lost, for
 * the task to be taken for that request's.
 */
const LOOK_BACK_MS = 2 * 60 * 1000;

/** The maximum duration of a request, in milliseconds, which is longer than any window waits for its reply. */
export const UNDER_WAY_MS = 10 * 60_000;

/**
 * Returns the task that a request with a lost reply has created, if it did (contract: unspecified.md, "creation is not
 * idempotent"). `known` has the ids of the tasks that existed before the request was sent.
 */
export function findCreatedTask(
	tasks: readonly Task[],
	request: TaskCreateRequest,
	sentAt: number,
	known: ReadonlySet<string>,
): Task | undefined {
	return tasks.find(
		task =>
			!known.has(task.id) &&
			task.prompt?.trim() === request.prompt.trim() &&
			// A task without an address counts as a match: a wrong match does less harm than creating a second task.
			(task.repoUrl === undefined || isSameRepository(task.repoUrl, request.repoUrl)) &&
			timeOf(task.createdAt) >= sentAt - LOOK_BACK_MS,
	);
}
