// The agent task API (contract: cloud-tasks.md, GET {agent_url}/api/v1/tasks; its query and reply are not shown there).
import * as z from 'zod';
import { lenient, rowsOf } from './lenient.ts';
import { integerFrom } from './ranges.ts';

/** contract: not shown (unspecified.md, "agent task API list"). */
export const AGENT_TASK_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted'] as const;

/**
 * contract: not shown. The schema of an agent task in a reply: only `taskId` is required, and unknown fields are kept.
 */
export const agentTaskSchema = z.looseObject({
	taskId: z.string().min(1),
	runId: lenient(z.string()),
	/** One of AGENT_TASK_STATES, or a state that this version does not know. */
	status: lenient(z.string()),
	model: lenient(z.string()),
	/** All three times are in ISO 8601. */
	createdAt: lenient(z.string()),
	startedAt: lenient(z.string()),
	completedAt: lenient(z.string()),
});
export type AgentTask = z.output<typeof agentTaskSchema>;

/** contract: not shown. The reply is `{tasks, page, limit, hasMore}` or a bare array of tasks. */
export const agentTaskListSchema = z.preprocess(
	reply => (Array.isArray(reply) ? { tasks: reply } : reply),
	z.looseObject({
		tasks: rowsOf(agentTaskSchema),
		page: lenient(z.number()),
		limit: lenient(z.number()),
		hasMore: lenient(z.boolean()),
	}),
);

/** contract: not shown. No range is known, except that pages and tasks are counted from 1. */
export const agentTaskListQuerySchema = z.strictObject({
	page: integerFrom(1).optional(),
	limit: integerFrom(1).optional(),
	status: z.enum(AGENT_TASK_STATES).optional(),
});
export type AgentTaskListQuery = z.input<typeof agentTaskListQuerySchema>;
