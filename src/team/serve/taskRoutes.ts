import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { routes } from '../../contract/routes.ts';
import { multiAgentTaskCreateSchema, taskStopSchema } from '../../contract/tasks.ts';
import { RequestRefused } from '../../service/replies.ts';
import { type App, type AppContext, pattern, readBody, streamReply } from '../../service/server.ts';
import { FINAL_STATUSES, toTask } from '../../service/store/taskRecord.ts';
import { chooseAgents, chooseNextAgent } from '../../service/tasks/agentChoice.ts';
import { registerAgentTaskRoutes } from '../../service/tasks/agentTaskRoutes.ts';
import { type FollowedTask, logStream } from '../../service/tasks/logStream.ts';
import { withoutFieldName } from '../../service/tasks/repoUrl.ts';
import {
	branchToContinue,
	newTask,
	readFollowQuery,
	readListQuery,
	taskContinueSchema,
} from '../../service/tasks/taskRequests.ts';
import type { Limits } from '../configuration.ts';
import type { People, User } from '../database/people.ts';
import { type Queueing, TaskConflict, type TaskDatabase, type TaskParts } from '../database/taskDatabase.ts';
import type { TeamTask } from '../database/taskRows.ts';
import type { OfferedAgent } from '../database/workers.ts';
import { LONGEST_LIMIT_SECONDS, type RunQueue } from '../runQueue.ts';
import { type Access, mayChange, maySee, noTask, teamOf } from './access.ts';

/** A worker ends a task within seconds. Who has asked for it waits for so long. */
const STOP_WAIT_MS = 20_000;
/** When a task may have ended, so that there is room for the next one. */
const ROOM_RETRY_MS = 30_000;

export interface TaskRoutesDependencies {
	access: Access;
	people: People;
	tasks: TaskDatabase;
	queue: Pick<RunQueue, 'enqueue'>;
	/** Returns the agents that the workers offer now. The first one is the default. */
	agents(): Promise<readonly OfferedAgent[]>;
	/** As `beginningOf`. */
	beginning(user: User, repoUrl: string, branch: string | undefined): Promise<string>;
	limits: Limits;
	/** Aborts when this front end stops. Followers then go on at another. */
	stopping: AbortSignal;
	logger: Logger;
}

/** Lists have the prompts of up to a hundred tasks, of which many may be asked for at the same time. */
const MAXIMUM_PROMPT_LENGTH = 100_000;
const promptSchema = multiAgentTaskCreateSchema.shape.prompt.refine(
	prompt => prompt.length <= MAXIMUM_PROMPT_LENGTH,
	`allowed: at most ${MAXIMUM_PROMPT_LENGTH} characters. What is longer can stand in a file of the repository`,
);
const continueSchema = taskContinueSchema.extend({ currentPrompt: promptSchema });

/** The body of a creation, with whose task it is to be and who else sees it. */
const createSchema = multiAgentTaskCreateSchema.safeExtend({
	prompt: promptSchema,
	/** The name or the id of a team of the user's. */
	teamId: z.string().min(1).optional(),
	isPublic: z.boolean().optional(),
	maxDuration: multiAgentTaskCreateSchema.shape.maxDuration.refine(
		(seconds = 0) => seconds <= LONGEST_LIMIT_SECONDS,
		`allowed: at most ${LONGEST_LIMIT_SECONDS}`,
	),
});

/** Registers the task service for its users, each of whom sees and changes what is theirs. */
export function registerTaskRoutes(app: App, dependencies: TaskRoutesDependencies): void {
	const { access, tasks, queue, agents, beginning, limits, stopping, logger } = dependencies;
	const queueing: Queueing = { enqueue: queue.enqueue, tasksAtOnce: limits.tasksAtOnce };

	const seen = async (context: AppContext): Promise<TeamTask> => {
		const task = await tasks.get(context.req.param('taskId') ?? '');
		if (task === undefined || !maySee(access.userOf(context), task)) {
			throw noTask();
		}
		return task;
	};
	const changeable = async (context: AppContext): Promise<TeamTask> => {
		const task = await seen(context);
		if (!mayChange(access.userOf(context), task)) {
			throw new RequestRefused(403, 'Only the user who made this task and the members of its team can change it.');
		}
		return task;
	};
	const shown = async (task: TeamTask): Promise<object> => {
		const diffs = task.multiLaunch;
		const [executions, use] = await Promise.all([tasks.executions(task, { diffs }), tasks.modelUse(task)]);
		return shownWith(task, { executions, use });
	};

	app.get(routes.taskList.path, async context => {
		const user = access.userOf(context);
		const { page, ...wanted } = readListQuery(context);
		const team = context.req.query('team');
		const of = team === undefined ? { userId: user.id } : { teamId: teamOf(user, team).id };
		const found = await tasks.list({ ...page, ...wanted, of });
		const partsOf = await tasks.parts(found.tasks);
		const views = found.tasks.map(task => shownWith(task, partsOf(task)));
		return context.json({ tasks: views, hasMore: found.hasMore, ...page });
	});
	registerAgentTaskRoutes(app, (query, context) => tasks.list({ ...query, of: { userId: access.userOf(context).id } }));

	app.post(routes.taskCreate.path, async context => {
		const user = access.userOf(context);
		const request = await readBody(context, createSchema);
		const teamId = request.teamId === undefined ? null : teamOf(user, request.teamId).id;
		const chosen = chooseAgents(await availableAgents(agents), request);
		await checkCost(user, user, dependencies);
		const branch = await beginning(user, request.repoUrl, request.selectedBranch).catch(error => {
			throw error instanceof UserFacingError ? new RequestRefused(400, error.message) : error;
		});
		const task = await tasks
			.create(
				{ ...newTask(request, branch, chosen), id: randomUUID() },
				{ userId: user.id, teamId, isPublic: request.isPublic ?? false },
				queueing,
			)
			.catch(error => {
				throw conflict(error, limits);
			});
		return context.json({ task: await shown(task) });
	});

	app.post(pattern(routes.taskContinue.path), async context => {
		const user = access.userOf(context);
		const task = await changeable(context);
		const request = await readBody(context, continueSchema);
		if (request.fromStep !== undefined) {
			throw new RequestRefused(400, 'fromStep: the steps of tasks are not kept here.');
		}
		const branch = branchToContinue(task, undefined) ?? undefined;
		const { choice } = chooseNextAgent(await availableAgents(agents), task, request);
		// The creator bears the cost, whoever asks: members could otherwise spend without an end in each other's names.
		await checkCost({ id: task.userId, name: task.creatorName }, user, dependencies);
		// A member of the team could otherwise push with the token of the task's creator where their own is not enough.
		await beginning(user, task.repoUrl, branch).catch(error => {
			throw error instanceof UserFacingError ? new RequestRefused(409, withoutFieldName(error.message)) : error;
		});
		await tasks.followUp(task.id, { ...choice, prompt: request.currentPrompt }, queueing).catch(error => {
			throw conflict(error, limits);
		});
		return context.json({ success: true, message: `The task goes on with the branch ${branch}.` });
	});

	app.get(pattern(routes.taskGet.path), async context => context.json({ task: await shown(await seen(context)) }));

	app.patch(pattern(routes.taskStop.path), async context => {
		const { id } = await changeable(context);
		await readBody(context, taskStopSchema);
		// contract: not shown. Stopping a task that has ended is not an error, because the caller wanted it ended.
		await tasks.requestStop(id);
		const task = await untilEnded(tasks, id, stopping);
		return context.json({ message: stopMessage(task), task: await shown(task) });
	});

	app.get(pattern(routes.taskStream.path), async context => {
		const task = await seen(context);
		const query = readFollowQuery(context);
		const store = {
			// Who follows for long may have lost the token or the team meanwhile.
			get: async (id: string) => {
				const [present, user] = await Promise.all([tasks.followed(id), access.presentUserOf(context)]);
				if (present === undefined || !maySee(user, present)) {
					throw noTask();
				}
				return present;
			},
			entries: (...page: Parameters<TaskDatabase['entries']>) => tasks.entries(...page),
			entryCount: (of: FollowedTask) => tasks.entryCount(of),
			watch: (id: string, listener: () => void) => tasks.watch(id, listener),
		};
		return streamReply(signal => logStream({ store, task, ...query, signal: AbortSignal.any([signal, stopping]) }), {
			outgoing: context.env.outgoing,
			onFailure: error => logger.log('warn', 'a log stream failed', { taskId: task.id, reason: describeError(error) }),
		});
	});
}

function shownWith(task: TeamTask, { executions, use }: TaskParts): object {
	const { userId, teamId, creatorName } = task;
	return { ...toTask(task, executions, use, 0), userId, teamId, creatorName };
}

async function availableAgents(agents: TaskRoutesDependencies['agents']): Promise<readonly OfferedAgent[]> {
	const available = await agents();
	if (available.length === 0) {
		throw new RequestRefused(503, 'No worker is there that could run a task. Try again later, or tell the operator.');
	}
	return available;
}

/** contract: 402 for an account without credit (unspecified.md, "create a task"). `payer` is whose task it is. */
async function checkCost(
	payer: Pick<User, 'id' | 'name'>,
	caller: User,
	{ people, limits: { costAMonth } }: Pick<TaskRoutesDependencies, 'people' | 'limits'>,
): Promise<void> {
	if (costAMonth !== undefined && (await people.costThisMonth(payer.id)) >= costAMonth) {
		const now = new Date();
		const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
		throw new RequestRefused(
			402,
			`${payer.id === caller.id ? 'Your tasks' : `The tasks of ${payer.name}`} have cost the ${costAMonth} US dollars of this month. The next one can begin next month.`,
			'limit_reached',
			{ retryAfterMs: nextMonth - now.getTime() },
		);
	}
}

function conflict(error: unknown, { tasksAtOnce }: Limits): unknown {
	if (!(error instanceof TaskConflict)) {
		return error;
	}
	if (error.reason !== 'tooMany') {
		return new RequestRefused(409, error.message);
	}
	const message = `You have ${tasksAtOnce} tasks that wait or run, and may have no more at a time. Wait for the end of one, or stop one.`;
	return new RequestRefused(429, message, 'rate_limited', { retryAfterMs: ROOM_RETRY_MS });
}

/** Waits until a worker has ended a task, for a limited time. */
async function untilEnded(tasks: TaskDatabase, id: string, stopping: AbortSignal): Promise<TeamTask> {
	const end = AbortSignal.any([stopping, AbortSignal.timeout(STOP_WAIT_MS)]);
	let changed = Promise.withResolvers<void>();
	const watch = tasks.watch(id, () => changed.resolve());
	try {
		for (;;) {
			changed = Promise.withResolvers();
			const task = await tasks.get(id);
			if (task === undefined) {
				throw noTask();
			}
			if (FINAL_STATUSES.has(task.status) || end.aborted) {
				return task;
			}
			await Promise.race([changed.promise, delay(1_000, undefined, { signal: end }).catch(() => {})]);
		}
	} finally {
		watch.dispose();
	}
}

function stopMessage({ status }: TeamTask): string {
	if (!FINAL_STATUSES.has(status)) {
		return 'The task is being stopped.';
	}
	return status === 'stopped' ? 'The task is stopped.' : 'The task had ended before it could be stopped.';
}
