import { ClientError } from '../base/errors.ts';
import { readErrorValue } from '../contract/errorBody.ts';
import { routes } from '../contract/routes.ts';
import {
	multiAgentTaskCreateSchema,
	type Task,
	type TaskCreateRequest,
	type TaskFollowUp,
	type TaskListQuery,
	taskContinueReplySchema,
	taskFollowUpSchema,
	taskListQuerySchema,
	taskListSchema,
	taskReplySchema,
} from '../contract/tasks.ts';
import type { Caller } from './core/caller.ts';
import { readReply } from './core/replyData.ts';
import { checkRequest } from './core/requestCheck.ts';
import { follow } from './follow.ts';
import type { Client, TaskPage } from './types.ts';

const MAXIMUM_LIMIT = 100;

/**
 * contract: not shown. A 404 means that the link to the source host is missing, not the endpoint (unspecified.md,
 * "create a task").
 */
const CREATE_CODES = { 404: 'source-link-missing' } as const;

/** The number of list pages that are searched for a task that the service does not return by its id. */
const SEARCHED_PAGES = 100;

/** Cloud tasks (contract: cloud-tasks.md). */
export function createTasks(caller: Caller): Client['tasks'] {
	const get = (id: string, signal?: AbortSignal) => getTask(caller, id, signal);
	return {
		async list(query = {}) {
			const { rows: _, ...page } = await readPage(caller, query, undefined);
			return page;
		},
		pages: (query = {}) =>
			readPages(caller, {
				query: { ...query, limit: DEFAULT_LIMIT },
				maximumPages: Number.POSITIVE_INFINITY,
				signal: undefined,
			}),
		get: id => get(id),
		async create(request) {
			const reply = await caller.json({
				route: routes.taskCreate,
				body: checkRequest<TaskCreateRequest>(multiAgentTaskCreateSchema, request),
				codes: CREATE_CODES,
				retry: 'never',
			});
			return readTask(reply) ?? throwNoTask('the task may have been created all the same');
		},
		async stop(id) {
			const reply = await caller.json({
				route: routes.taskStop,
				values: { taskId: id },
				body: { action: 'stop' },
				mayBeEmpty: true,
				retry: 'turned-away',
			});
			// The stop was accepted; without the task in the reply, only its state is unknown.
			return readTask(reply) ?? get(id);
		},
		async continue(id, followUp) {
			const { prompt, agent, model, fromStep } = checkRequest<TaskFollowUp>(taskFollowUpSchema, followUp);
			const call = {
				route: routes.taskContinue,
				values: { taskId: id },
				body: { currentPrompt: prompt, selectedAgent: agent, selectedModel: model, fromStep },
				mayBeEmpty: true,
				// A second request would give the agent the same work again.
				retry: 'never' as const,
			};
			await caller.json(call, reply => {
				if (taskContinueReplySchema.safeParse(reply).data?.success === false) {
					const { message } = readErrorValue(reply);
					throw new ClientError('server', 'the service did not take the follow-up', { serviceMessage: message });
				}
			});
		},
		follow: (id, options = {}) => follow({ caller, getTask: get, id, ...options }),
	};
}

/** contract: not shown. A service that does not return a task by its id may have it in its list (unspecified.md). */
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
		const search = { query: { limit: MAXIMUM_LIMIT }, maximumPages: SEARCHED_PAGES, signal };
		for await (const tasks of readPages(caller, search)) {
			const task = tasks.find(candidate => candidate.id === id);
			if (task) {
				return task;
			}
		}
		throw error;
	}
}

function readTask(reply: unknown): Task | undefined {
	return taskReplySchema.safeParse(reply).data;
}

function throwNoTask(detail: string): never {
	throw new ClientError('bad-response', `the reply holds no task; ${detail}`);
}

/** The service's own default limit (contract: cloud-tasks.md). */
const DEFAULT_LIMIT = 50;

/** The number of tasks that a page repeats from the previous one. */
const OVERLAP = 10;

/**
 * A service may change its list as fast as it is read, or not page as documented. These limit the number of consecutive
 * pages without a new task, and the number of consecutive times that the walk goes back.
 */
const BARREN_PAGES = 4;
const TIMES_BACK = 8;

/** `rows` has undefined for each row that is not a task, because such rows count for the offsets as well. */
interface RowPage extends TaskPage {
	rows: (Task | undefined)[];
}

async function readPage(caller: Caller, query: TaskListQuery, signal: AbortSignal | undefined): Promise<RowPage> {
	const { limit, offset, filter, status } = checkRequest<TaskListQuery>(taskListQuerySchema, query);
	const reply = await caller.json({
		route: routes.taskList,
		query: { limit, offset, filter, status },
		firstByteMs: caller.limits.lookUpFirstByteMs,
		retry: 'idempotent',
		signal,
	});
	const page = readReply(taskListSchema, reply, 'the reply is no list of tasks');
	return {
		tasks: page.tasks.filter(task => task !== undefined),
		hasMore: page.hasMore ?? false,
		offset: page.offset ?? offset ?? 0,
		limit: page.limit ?? limit ?? DEFAULT_LIMIT,
		rows: page.tasks,
	};
}

interface WalkOptions {
	query: TaskListQuery;
	/** The maximum number of pages to request. */
	maximumPages: number;
	signal: AbortSignal | undefined;
}

/**
 * Yields every task once, a page at a time, although tasks may come and go between two pages. Every task that is in the
 * list all the time is included, as long as the remaining tasks keep their order.
 *
 * New tasks push the others down, so that some are repeated; repetitions are dropped. Removed tasks pull the others up,
 * past an offset that was right before. Each page therefore overlaps with the previous one. If it does not, rows may be
 * missing between the two, and the walk goes back until a page overlaps or the list begins.
 */
async function* readPages(caller: Caller, { query, maximumPages, signal }: WalkOptions): AsyncGenerator<Task[], void> {
	const seen = new Set<string>();
	let offset = 0;
	let mustOverlap = false;
	let isGoingBack = false;
	let pageLength = 1;
	let barrenPages = 0;
	let timesBack = 0;
	for (let count = 0; count < maximumPages; count++) {
		const { tasks, hasMore, rows } = await readPage(caller, { ...query, offset }, signal);
		// A service may return fewer rows than requested.
		pageLength = Math.max(pageLength, rows.length);
		const isConnected = offset === 0 || !mustOverlap || tasks.some(({ id }) => seen.has(id));
		if (!isConnected && (isGoingBack || timesBack < TIMES_BACK)) {
			timesBack += isGoingBack ? 0 : 1;
			isGoingBack = true;
			offset = Math.max(0, offset - pageLength);
			continue;
		}
		const fresh = tasks.filter(({ id }) => !seen.has(id));
		for (const { id } of fresh) {
			seen.add(id);
		}
		if (fresh.length > 0) {
			yield fresh;
			barrenPages = 0;
			timesBack = 0;
		} else if (!isGoingBack) {
			barrenPages++;
		}
		if (!hasMore || rows.length === 0 || barrenPages > BARREN_PAGES) {
			return;
		}
		// New tasks may come as fast as widely overlapping pages advance. After a page without new tasks, one task is
		// therefore enough to recognise the overlap.
		const step = overlapStart(rows, fresh.length === 0 && !isGoingBack ? 1 : OVERLAP);
		isGoingBack = false;
		mustOverlap = step < rows.length;
		offset += step;
	}
}

/**
 * Returns the index at which the next page begins, so that `overlap` tasks are in both if the page is long enough. Rows
 * that are not tasks cannot be recognised and do not count. Never returns the first row, so that each page advances.
 */
function overlapStart(rows: readonly (Task | undefined)[], overlap: number): number {
	let start = rows.length;
	let remaining = Math.min(overlap, Math.floor(rows.length / 2));
	for (let index = rows.length - 1; index > 0 && remaining > 0; index--) {
		if (rows[index]) {
			start = index;
			remaining--;
		}
	}
	return start;
}
