import { routes } from '../contract/routes.ts';
import {
	type Task,
	type TaskCreateRequest,
	type TaskListQuery,
	taskCreateSchema,
	taskListQuerySchema,
	taskListSchema,
	taskReplySchema,
} from '../contract/tasks.ts';
import type { Client } from './client.ts';
import type { Caller } from './core/caller.ts';
import { ClientError } from './core/errors.ts';
import { checkRequest } from './core/requestCheck.ts';
import { follow } from './follow.ts';
import type { TaskPage } from './types.ts';

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 100;

/** A task that the service does not give by its id is looked for in this many pages of the list. */
const SEARCHED_PAGES = 100;

/** `rows` counts what the page really had, rows that do not fit included: the next page begins after them. */
type Page = TaskPage & { rows: number };

/** Cloud tasks (contract: cloud-tasks.md). */
export function createTasks(caller: Caller): Client['tasks'] {
	const get = (id: string, signal?: AbortSignal) => getTask(caller, id, signal);
	return {
		async list(query = {}) {
			const { rows: _, ...page } = await readPage(caller, query, undefined);
			return page;
		},
		pages: (query = {}) => readPages(caller, { ...query, limit: DEFAULT_LIMIT }, Number.POSITIVE_INFINITY, undefined),
		get: id => get(id),
		async create(request) {
			const reply = await caller.json({
				route: routes.taskCreate,
				body: checkRequest<TaskCreateRequest>(taskCreateSchema, request),
				firstByteMs: caller.limits.replyFirstByteMs,
				retry: 'never',
				signal: undefined,
			});
			return readTask(reply) ?? throwNoTask('the task may have been created all the same');
		},
		async stop(id) {
			const reply = await caller.json({
				route: routes.taskStop,
				values: { taskId: id },
				body: { action: 'stop' },
				firstByteMs: caller.limits.replyFirstByteMs,
				retry: 'turned-away',
				signal: undefined,
			});
			// The stop was accepted; a reply without the task leaves only its state open.
			return readTask(reply) ?? get(id);
		},
		follow: (id, options = {}) => follow({ caller, getTask: get, id, ...options }),
	};
}

/** contract: not shown. A service that does not give a task by its id may have it in its list (unspecified.md). */
async function getTask(caller: Caller, id: string, signal: AbortSignal | undefined): Promise<Task> {
	try {
		const reply = await caller.json({
			route: routes.taskGet,
			values: { taskId: id },
			firstByteMs: caller.limits.lookUpFirstByteMs,
			retry: 'idempotent',
			signal,
		});
		return readTask(reply) ?? throwNoTask('it was asked for by its id');
	} catch (error) {
		if (!ClientError.is(error, 'not-found')) {
			throw error;
		}
		for await (const tasks of readPages(caller, { limit: MAXIMUM_LIMIT }, SEARCHED_PAGES, signal)) {
			const task = tasks.find(candidate => candidate.id === id);
			if (task) {
				return task;
			}
		}
		throw error;
	}
}

async function readPage(caller: Caller, query: TaskListQuery, signal: AbortSignal | undefined): Promise<Page> {
	const { limit, offset, filter, status } = checkRequest<TaskListQuery>(taskListQuerySchema, query);
	const reply = await caller.json({
		route: routes.taskList,
		query: { limit, offset, filter, status },
		firstByteMs: caller.limits.lookUpFirstByteMs,
		retry: 'idempotent',
		signal,
	});
	const listed = typeof reply === 'object' && reply !== null ? Reflect.get(reply, 'tasks') : undefined;
	const rows = listed === null || listed === 'None' ? [] : listed;
	const page = taskListSchema.safeParse(reply).data;
	if (!page || !Array.isArray(rows)) {
		throw new ClientError('bad-response', 'the reply is no list of tasks');
	}
	return {
		tasks: page.tasks,
		hasMore: page.hasMore ?? false,
		offset: page.offset ?? offset ?? 0,
		limit: page.limit ?? limit ?? DEFAULT_LIMIT,
		rows: rows.length,
	};
}

/** A page that brings no task that is new ends it, whatever `hasMore` says. Tasks that moved down a page come once. */
async function* readPages(
	caller: Caller,
	query: TaskListQuery,
	maximumPages: number,
	signal: AbortSignal | undefined,
): AsyncGenerator<Task[], void> {
	const seen = new Set<string>();
	for (let offset = 0, count = 0; count < maximumPages; count++) {
		const { tasks, hasMore, rows } = await readPage(caller, { ...query, offset }, signal);
		const fresh = tasks.filter(({ id }) => !seen.has(id));
		for (const { id } of fresh) {
			seen.add(id);
		}
		if (fresh.length > 0) {
			yield fresh;
		}
		if (!hasMore || fresh.length === 0) {
			return;
		}
		offset += rows;
	}
}

function readTask(reply: unknown): Task | undefined {
	return taskReplySchema.safeParse(reply).data;
}

function throwNoTask(detail: string): never {
	throw new ClientError('bad-response', `the reply holds no task; ${detail}`);
}
