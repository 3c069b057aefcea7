import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import {
	COMPOSITIONS,
	type Composition,
	compositionSchema,
	MAXIMUM_COMPOSITIONS,
} from '../../contract/compositions.ts';
import { controlPaths } from '../../contract/control.ts';
import { type TaskServer, taskWithServersSchema } from '../../contract/mcpServers.ts';
import { routes } from '../../contract/routes.ts';
import { multiAgentTaskCreateSchema, type TaskCreateRequest, taskStopSchema } from '../../contract/tasks.ts';
import { RequestRefused, runOrRefuse } from '../replies.ts';
import { type App, pattern, readBody, streamReply } from '../server.ts';
import { isDiskFull } from '../store/database.ts';
import { type ExecutionRecord, FINAL_STATUSES, isAgents, type TaskRecord, toTask } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { chooseAgents, chooseNextAgent } from './agentChoice.ts';
import { isMoved } from './composition.ts';
import { logStream } from './logStream.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import {
	queryRepository,
	type ReferencesQuery,
	readBranchToMove,
	readReferences,
	readSource,
} from './sourceRepository.ts';
import { registerStepRoutes } from './steps/stepRoutes.ts';
import {
	branchToContinue,
	checkEnded,
	newTask,
	readFollowQuery,
	readListQuery,
	taskContinueSchema,
} from './taskRequests.ts';
import type { TaskRunner } from './taskRunner.ts';

export interface TaskRoutesDependencies {
	store: TaskStore;
	runner: TaskRunner;
	/** Returns the agents that can be used now. The first one is the default. */
	agents(): Promise<readonly Agent[]>;
	/** The folder for temporary files while a repository is read. The runner uses it too, and each start empties it. */
	folder: string;
	logger: Logger;
}

export function registerTaskRoutes(app: App, dependencies: TaskRoutesDependencies): void {
	const { store, runner, agents, logger } = dependencies;
	const required = (id: string | undefined): TaskRecord => {
		const task = id === undefined ? undefined : store.get(id);
		if (task === undefined) {
			throw new RequestRefused(404, 'Task not found');
		}
		return task;
	};
	const shown = (task: TaskRecord, diffs = task.multiLaunch) =>
		toTask(task, store.executions(task, { diffs }), store.modelUse.ofTask(task), store.steps.count(task));

	const ended = (id: string | undefined): TaskRecord => {
		const task = required(id);
		checkUnused(runner, task);
		checkEnded(task);
		return task;
	};
	/** Checks the repository, so that the caller learns of a problem at once and not later from a log. */
	const query = <T>(status: number, repoUrl: string, read: (query: ReferencesQuery) => Promise<T>): Promise<T> =>
		runOrRefuse(status, async () => queryRepository(folderOfRepoUrl(repoUrl), dependencies.folder, read));
	registerStepRoutes(app, { store, runner, logger, required, ended });

	app.get(routes.taskList.path, context => {
		const { page, ...wanted } = readListQuery(context);
		const { tasks, hasMore } = store.list({ ...page, ...wanted });
		// The diffs are left out, because lists are requested often.
		const views = tasks.map(task => shown(task, false));
		return context.json({ tasks: views, hasMore, ...page });
	});

	const create = async (request: TaskCreateRequest, servers: readonly TaskServer[] = []): Promise<TaskRecord> => {
		const chosen = chooseAgents(await agents(), request);
		checkRoom(runner, chosen.length);
		const { branch } = await query(400, request.repoUrl, references =>
			readSource({ ...references, branch: request.selectedBranch }),
		);
		checkRoom(runner, chosen.length);
		return storedOrRefused(() =>
			runner.create(
				newTask(request, branch, chosen),
				chosen.map(({ agent }) => agent),
				servers,
			),
		);
	};

	app.post(routes.taskCreate.path, async context => {
		const request = await readBody(context, multiAgentTaskCreateSchema);
		return context.json({ task: shown(await create(request)) });
	});

	app.post(controlPaths.tasks, async context => {
		const request = await readBody(context, taskWithServersSchema);
		return context.json({ task: shown(await create(request.task, request.mcpServers)) });
	});

	app.post(pattern(routes.taskContinue.path), async context => {
		const task = required(context.req.param('taskId'));
		const request = await readBody(context, taskContinueSchema);
		checkUnused(runner, task);
		const branch = branchToContinue(task, request.fromStep);
		const { agent, choice } = chooseNextAgent(await agents(), task, request);
		checkRoom(runner, 1);
		await query(409, task.repoUrl, references =>
			branch === null
				? readSource({ ...references, branch: task.selectedBranch })
				: readBranchToMove({ ...references, branch }),
		);
		checkRoom(runner, 1);
		// Another follow-up may have been accepted while git was reading.
		branchToContinue(required(task.id), request.fromStep);
		checkUnused(runner, task);
		if (request.fromStep !== undefined && store.steps.get(task, request.fromStep) === undefined) {
			throw new RequestRefused(400, 'fromStep: the task has no such step, or its files are not kept any more.');
		}
		const { currentPrompt: prompt, fromStep } = request;
		storedOrRefused(() => runner.continue(task.id, { ...choice, prompt, fromStep }, agent));
		const message = branch === null ? 'The task goes on.' : `The task goes on with the branch ${branch}.`;
		return context.json({ success: true, message });
	});

	app.post(pattern(COMPOSITIONS), async context => {
		const task = required(context.req.param('taskId'));
		const composition = await readBody(context, compositionSchema);
		const branches = branchesToCompose(store.executions(task), composition);
		checkRoom(runner, 1);
		await query(409, task.repoUrl, async references => {
			const { commits } = await readReferences(references);
			for (const [branch, commit] of branches) {
				if (commits.get(`refs/heads/${branch}`) !== commit) {
					throw isMoved(branch);
				}
			}
		});
		// Another composition may have been accepted while git was reading.
		branchesToCompose(store.executions(task), composition);
		return context.json({
			task: shown(
				storedOrRefused(() => runner.compose(task.id, composition)),
				false,
			),
		});
	});

	app.get(pattern(routes.taskGet.path), context =>
		context.json({ task: shown(required(context.req.param('taskId'))) }),
	);

	app.patch(pattern(routes.taskStop.path), async context => {
		const task = required(context.req.param('taskId'));
		await readBody(context, taskStopSchema);
		// contract: not shown. Stopping a task that has ended is not an error, because the caller wanted it ended.
		await runner.stop(task.id);
		const after = required(task.id);
		const message =
			after.status === 'stopped' ? 'The task is stopped.' : 'The task had ended before it could be stopped.';
		return context.json({ message, task: shown(after) });
	});

	app.get(pattern(routes.taskStream.path), context => {
		const task = required(context.req.param('taskId'));
		const followed = readFollowQuery(context);
		return streamReply(signal => logStream({ store, task, ...followed, signal }), {
			outgoing: context.env.outgoing,
			onFailure: error => logger.log('error', 'a log stream failed', { taskId: task.id, reason: describeError(error) }),
		});
	});
}

function checkRoom(runner: TaskRunner, count: number): void {
	if (runner.isStopping) {
		throw new RequestRefused(503, 'The local service is stopping. Try again in a moment.');
	}
	if (!runner.hasRoomFor(count)) {
		throw new RequestRefused(429, 'Too many tasks are waiting. Try again when some have ended, or stop some of them.');
	}
}

/** Refuses with 409 while something else works in the folders of the task. */
function checkUnused(runner: TaskRunner, { id }: TaskRecord): void {
	const use = runner.useOf(id);
	if (use !== undefined) {
		throw new RequestRefused(409, use);
	}
}

/**
 * Checks that the work of a task's agents can be composed, and refuses otherwise. Returns the commits by their branches.
 */
function branchesToCompose(
	executions: readonly ExecutionRecord[],
	{ base, results }: Composition,
): Map<string, string> {
	if (executions.filter(execution => !isAgents(execution)).length >= MAXIMUM_COMPOSITIONS) {
		throw new RequestRefused(409, `A task has at most ${MAXIMUM_COMPOSITIONS} compositions.`);
	}
	const branches = new Map<string, string>();
	for (const { agent, commit } of results) {
		const execution = executions[agent];
		const branch = execution?.branchName;
		if (execution === undefined || branch == null || !isAgents(execution) || executions.length < 2) {
			throw new RequestRefused(400, `results: agent ${agent} is none of several agents that have made a branch.`);
		}
		if (!FINAL_STATUSES.has(execution.status)) {
			throw new RequestRefused(409, 'The agent is still at work. Wait for its end or stop it, then ask again.');
		}
		if (execution.baseCommit !== base) {
			throw new RequestRefused(409, `The branch "${branch}" did not begin at this commit.`);
		}
		branches.set(branch, commit);
	}
	return branches;
}

/** Runs a write to the store. A full disk is the only failure that the caller can fix. */
function storedOrRefused<T>(write: () => T): T {
	try {
		return write();
	} catch (error) {
		if (isDiskFull(error)) {
			throw new RequestRefused(
				500,
				'The task cannot be stored: the disk of the data folder is full. Free some space, then try again.',
			);
		}
		throw error;
	}
}
