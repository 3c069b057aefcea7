// What the routes of tasks read and check, whichever store the tasks are in.
import * as z from 'zod';
import {
	followQuerySchema,
	type TaskCreateRequest,
	taskCreateSchema,
	taskFollowUpSchema,
	taskListQuerySchema,
} from '../../contract/tasks.ts';
import { numberIn, parseOrRefuse, RequestRefused } from '../replies.ts';
import type { AppContext } from '../server.ts';
import {
	type AgentChoice,
	FINAL_STATUSES,
	type NewTask,
	STATUSES_BY_FILTER,
	type TaskFilter,
	type TaskRecord,
	type TaskStatus,
} from '../store/taskRecord.ts';

const DEFAULT_LIMIT = 50;
/** contract: not shown. The time limit of a task in seconds if the request names none. */
const DEFAULT_MAXIMUM_DURATION = 1_800;

export interface ListQuery {
	/** The page, which the reply repeats. */
	page: { limit: number; offset: number };
	filter: TaskFilter;
	/** Any state, if there is none. */
	statuses: readonly TaskStatus[];
}

/** contract: not shown. A value outside its range gets a 400, as in the other areas. */
export function readListQuery(context: AppContext): ListQuery {
	const { limit, offset, filter, status } = context.req.query();
	const query = parseOrRefuse(taskListQuerySchema, {
		limit: numberIn(limit),
		offset: numberIn(offset),
		filter,
		status,
	});
	return {
		page: { limit: query.limit ?? DEFAULT_LIMIT, offset: query.offset ?? 0 },
		filter: query.filter ?? 'all',
		statuses: query.status === undefined ? [] : STATUSES_BY_FILTER[query.status],
	};
}

export function readFollowQuery(context: AppContext): { fromIndex: number; includeStatus: boolean } {
	const { fromIndex, includeStatus } = context.req.query();
	const query = parseOrRefuse(followQuerySchema, {
		fromIndex: numberIn(fromIndex),
		includeStatus: booleanIn(includeStatus),
	});
	return { fromIndex: query.fromIndex ?? 0, includeStatus: query.includeStatus ?? true };
}

function booleanIn(text: string | undefined): unknown {
	return text === 'true' ? true : text === 'false' ? false : text;
}

/** Returns the task that a request asks for, which begins with `branch`. */
export function newTask(
	{ prompt, repoUrl, installDependencies, maxDuration }: TaskCreateRequest,
	branch: string,
	[first, ...others]: readonly [{ choice: AgentChoice }, ...{ choice: AgentChoice }[]],
): Omit<NewTask, 'id' | 'mcpServers'> {
	return {
		prompt,
		repoUrl,
		selectedBranch: branch,
		agents: [first.choice, ...others.map(({ choice }) => choice)],
		installDependencies: installDependencies ?? false,
		maxDuration: maxDuration ?? DEFAULT_MAXIMUM_DURATION,
	};
}

const { prompt, selectedAgent, selectedModel } = taskCreateSchema.shape;

/** contract: not shown. The body of a follow-up (unspecified.md, "follow-up prompt"). */
export const taskContinueSchema = z.strictObject({
	currentPrompt: prompt,
	selectedAgent,
	selectedModel,
	fromStep: taskFollowUpSchema.shape.fromStep,
});

export function checkEnded(task: TaskRecord): void {
	if (!FINAL_STATUSES.has(task.status)) {
		throw new RequestRefused(409, 'The task is still at work. Wait for its end or stop it, then ask again.');
	}
}

/**
 * contract: not shown. Checks that a follow-up can continue the task, and refuses with 409 otherwise. Returns the branch
 * of the task, or null if it has made none and goes on from one of its steps.
 */
export function branchToContinue(task: TaskRecord, fromStep: number | undefined): string | null {
	checkEnded(task);
	if (task.multiLaunch) {
		throw new RequestRefused(
			409,
			'The agents of this task have a branch each. Start a new task from the branch to go on with.',
		);
	}
	if (task.branchName === null && fromStep === undefined) {
		throw new RequestRefused(409, 'The task has made no branch, so there is nothing to go on with. Start a new task.');
	}
	return task.branchName;
}
