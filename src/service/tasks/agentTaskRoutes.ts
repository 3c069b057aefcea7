import { AGENT_TASK_STATES, agentTaskListQuerySchema } from '../../contract/agentTasks.ts';
import { integerBetween } from '../../contract/ranges.ts';
import { routes } from '../../contract/routes.ts';
import { numberIn, parseOrRefuse } from '../replies.ts';
import type { App, AppContext } from '../server.ts';
import type { TaskRecord, TaskStatus } from '../store/taskRecord.ts';
import type { TaskPageQuery } from '../store/taskStore.ts';

type AgentTaskState = (typeof AGENT_TASK_STATES)[number];

/** contract: not shown. */
const DEFAULT_LIMIT = 20;
const MAXIMUM_LIMIT = 100;
const querySchema = agentTaskListQuerySchema.extend({ limit: integerBetween(1, MAXIMUM_LIMIT).optional() });

/** The task states that each state of an agent task covers. Every task has exactly one of the latter. */
const STATES: Readonly<Record<AgentTaskState, { statuses: readonly TaskStatus[]; interrupted: boolean }>> = {
	queued: { statuses: ['pending'], interrupted: false },
	running: { statuses: ['processing', 'saving'], interrupted: false },
	completed: { statuses: ['completed'], interrupted: false },
	failed: { statuses: ['error', 'timeout'], interrupted: false },
	cancelled: { statuses: ['stopped'], interrupted: false },
	interrupted: { statuses: ['error'], interrupted: true },
};

interface TaskPage {
	tasks: readonly TaskRecord[];
	hasMore: boolean;
}

/**
 * Registers the task list in the form of the agent API (contract: cloud-tasks.md, GET {agent_url}/api/v1/tasks). `list`
 * returns a page of the caller's tasks, newest first.
 */
export function registerAgentTaskRoutes(
	app: App,
	list: (query: TaskPageQuery, context: AppContext) => TaskPage | Promise<TaskPage>,
): void {
	app.get(routes.agentTaskList.path, async context => {
		const { page, limit, status } = context.req.query();
		const query = parseOrRefuse(querySchema, { page: numberIn(page), limit: numberIn(limit), status });
		const echoed = { page: query.page ?? 1, limit: query.limit ?? DEFAULT_LIMIT };
		const offset = (echoed.page - 1) * echoed.limit;
		const wanted = query.status === undefined ? {} : STATES[query.status];
		const { tasks, hasMore } = await list({ limit: echoed.limit, offset, ...wanted }, context);
		return context.json({ tasks: tasks.map(toAgentTask), ...echoed, hasMore });
	});
}

/** Converts a task. Each follow-up is a further run of the same task. */
function toAgentTask(task: TaskRecord): object {
	return {
		taskId: task.id,
		runId: `${task.id}-${task.turn}`,
		status: AGENT_TASK_STATES.find(
			state => STATES[state].statuses.includes(task.status) && STATES[state].interrupted === task.interrupted,
		),
		model: task.selectedModel,
		createdAt: task.createdAt,
		startedAt: task.startedAt,
		completedAt: task.completedAt,
	};
}
