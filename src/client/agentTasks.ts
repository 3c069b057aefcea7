import { type AgentTaskListQuery, agentTaskListQuerySchema, agentTaskListSchema } from '../contract/agentTasks.ts';
import { routes } from '../contract/routes.ts';
import type { Caller } from './core/caller.ts';
import { readReply } from './core/replyData.ts';
import { checkRequest } from './core/requestCheck.ts';
import type { Client } from './types.ts';

const FIRST_PAGE = 1;

/**
 * 403 means that the key is valid, but its account lacks the plan (contract: cloud-tasks.md, Authentication, Agent task
 * API 2).
 */
const CODES = { 403: 'plan-required' } as const;

/** The agent task API (contract: cloud-tasks.md). */
export function createAgentTasks(caller: Caller): Client['agentTasks'] {
	return {
		async list(query = {}) {
			const { page, limit, status } = checkRequest<AgentTaskListQuery>(agentTaskListQuerySchema, query);
			const reply = await caller.json({
				route: routes.agentTaskList,
				query: { page, limit, status },
				codes: CODES,
				firstByteMs: caller.limits.lookUpFirstByteMs,
				retry: 'idempotent',
			});
			const list = readReply(agentTaskListSchema, reply, 'the reply is no list of agent tasks');
			const tasks = list.tasks.filter(task => task !== undefined);
			return {
				tasks,
				page: list.page ?? page ?? FIRST_PAGE,
				limit: list.limit ?? limit ?? tasks.length,
				hasMore: list.hasMore ?? false,
			};
		},
	};
}
