import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import { readErrorValue } from '../contract/errorBody.ts';
import { routes } from '../contract/routes.ts';
import {
	multiAgentTaskCreateSchema,
	type Task,
	type TaskCreateRequest,
	type TaskFollowUp,
	taskContinueReplySchema,
	taskFollowUpSchema,
	taskReplySchema,
} from '../contract/tasks.ts';
import type { Caller } from './core/caller.ts';
import { checkRequest } from './core/requestCheck.ts';
import { follow } from './follow.ts';
import { DEFAULT_LIMIT, readPage, readPages } from './taskPages.ts';
import type { Client } from './types.ts';

const MAXIMUM_LIMIT = 100;

/**
 * contract: not shown. A 404 means that the link to the source host is missing, not the endpoint (unspecified.md,
 * "create a task").
 */
const CREATE_CODES = { 404: 'source-link-missing' } as const;

/** How many pages of the list are searched for a task that the service does not return by its id. */
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
				mayBeEmpty: true,
				firstByteMs: caller.limits.replyFirstByteMs,
				retry: 'turned-away',
				signal: undefined,
			});
			// The stop was accepted; a reply without the task only leaves its state unknown.
			return readTask(reply) ?? get(id);
		},
		async continue(id, followUp) {
			const { prompt, agent, model } = checkRequest<TaskFollowUp>(taskFollowUpSchema, followUp);
			const call = {
				route: routes.taskContinue,
				values: { taskId: id },
				body: { currentPrompt: prompt, selectedAgent: agent, selectedModel: model },
				mayBeEmpty: true,
				firstByteMs: caller.limits.replyFirstByteMs,
				// A second one would give the agent the same work again.
				retry: 'never' as const,
				signal: undefined,
			};
			await caller.json(call, reply => {
				if (taskContinueReplySchema.safeParse(reply).data?.success === false) {
					const { message } = readErrorValue(reply);
					throw new ClientError('server', 'the service did not take the follow-up', {
						...defined({ serviceMessage: message }),
					});
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
