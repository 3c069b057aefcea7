import type { Task, TaskCreateRequest } from '../../contract/tasks.ts';
import { timeOf } from './taskGroups.ts';

/** How far back a task may have been made to be the one whose reply was lost, in milliseconds. */
const LOOK_BACK_MS = 2 * 60 * 1000;

/** How long a request may be under way, in milliseconds: longer than any window waits for its reply. */
export const UNDER_WAY_MS = 10 * 60_000;

/**
 * The task that a request whose reply was lost has made, if it did (contract: unspecified.md, "creation is not
 * idempotent"). `known` are the ids of the tasks that were there before the request was sent.
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
			sameRepository(task.repoUrl, request.repoUrl) &&
			timeOf(task.createdAt) >= sentAt - LOOK_BACK_MS,
	);
}

/** A service may write an address down without what git does not need. */
function sameRepository(first: string | undefined, second: string): boolean {
	const plain = (url: string) => url.replace(/\/+$/, '').replace(/\.git$/, '');
	// Where it does not say, taking it for ours is the lesser harm: otherwise a second one would be made.
	return first === undefined || plain(first) === plain(second);
}
