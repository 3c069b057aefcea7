import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAbortError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { routes } from '../../contract/routes.ts';
import { followQuerySchema, taskCreateSchema, taskListQuerySchema, taskStopSchema } from '../../contract/tasks.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';
import { type App, readJson } from '../server.ts';
import { type TaskRecord, toTask } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { streamReply } from '../streamReply.ts';
import type { Agent } from './agent.ts';
import { GitError } from './git.ts';
import { logStream } from './logStream.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { readSource, writeGitConfiguration } from './sourceRepository.ts';
import type { TaskRunner } from './taskRunner.ts';

const BODY_MEGABYTES = 1;
const DEFAULT_LIMIT = 50;
/** contract: not shown. Seconds that a task may take when the request does not say. */
const DEFAULT_MAXIMUM_DURATION = 1_800;
/** For the look at the source repository while the caller waits. */
const LOOK_TIMEOUT_MS = 20_000;

export interface TaskRoutesDependencies {
	store: TaskStore;
	runner: TaskRunner;
	agents: readonly Agent[];
	/** Where a repository is looked at; cleared at each start, as it is the runner's too. */
	folder: string;
	logger: Logger;
}

/** Hono's form of a path of the routes table. */
const pattern = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

export function registerTaskRoutes(app: App, dependencies: TaskRoutesDependencies): void {
	const { store, runner, agents, logger } = dependencies;
	const required = (id: string | undefined): TaskRecord => {
		const task = id === undefined ? undefined : store.get(id);
		if (task === undefined) {
			throw new RequestRefused(404, 'Task not found');
		}
		return task;
	};

	app.get(routes.taskList.path, context => {
		const { limit, offset, filter, status } = context.req.query();
		// contract: not shown. A value outside its range is answered 400, as in the other areas.
		const query = parseOrRefuse(taskListQuerySchema, {
			limit: numberIn(limit),
			offset: numberIn(offset),
			filter,
			status,
		});
		const page = { limit: query.limit ?? DEFAULT_LIMIT, offset: query.offset ?? 0 };
		const { tasks, hasMore } = store.list({ ...page, filter: query.filter ?? 'all', status: query.status });
		return context.json({ tasks: tasks.map(toTask), hasMore, ...page });
	});

	app.post(routes.taskCreate.path, async context => {
		const request = parseOrRefuse(taskCreateSchema, await readJson(context, BODY_MEGABYTES));
		const agent = chooseAgent(agents, request.selectedAgent);
		const selectedModel = chooseModel(agent, request.selectedModel);
		const branch = await lookAt(request.repoUrl, request.selectedBranch, dependencies.folder);
		if (runner.isStopping) {
			throw new RequestRefused(503, 'The local service is stopping. Try again in a moment.');
		}
		const task = runner.create(
			{
				prompt: request.prompt,
				repoUrl: request.repoUrl,
				selectedBranch: branch,
				selectedAgent: agent.id,
				selectedModel,
				installDependencies: request.installDependencies ?? false,
				maxDuration: request.maxDuration ?? DEFAULT_MAXIMUM_DURATION,
			},
			agent,
		);
		return context.json({ task: toTask(task) });
	});

	app.get(pattern(routes.taskGet.path), context =>
		context.json({ task: toTask(required(context.req.param('taskId'))) }),
	);

	app.patch(pattern(routes.taskStop.path), async context => {
		const task = required(context.req.param('taskId'));
		parseOrRefuse(taskStopSchema, await readJson(context, BODY_MEGABYTES));
		// contract: not shown. Stopping what has ended is no error: the caller wanted it ended.
		await runner.stop(task.id);
		const after = required(task.id);
		const message =
			after.status === 'stopped' ? 'The task is stopped.' : 'The task had ended before it could be stopped.';
		return context.json({ message, task: toTask(after) });
	});

	app.get(pattern(routes.taskStream.path), context => {
		const task = required(context.req.param('taskId'));
		const { fromIndex, includeStatus } = context.req.query();
		const query = parseOrRefuse(followQuerySchema, {
			fromIndex: numberIn(fromIndex),
			includeStatus: booleanIn(includeStatus),
		});
		return streamReply(
			signal =>
				logStream({
					store,
					task,
					fromIndex: query.fromIndex ?? 0,
					includeStatus: query.includeStatus ?? true,
					signal,
				}),
			{
				outgoing: context.env.outgoing,
				onFailure: () => logger.log('error', 'a log stream failed', { taskId: task.id }),
			},
		);
	});
}

/** What is no number stays text, for the schema to refuse by its name. */
function numberIn(text: string | undefined): unknown {
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function booleanIn(text: string | undefined): unknown {
	return text === 'true' ? true : text === 'false' ? false : text;
}

function chooseAgent(agents: readonly Agent[], id: string | undefined): Agent {
	const agent = id === undefined ? agents[0] : agents.find(candidate => candidate.id === id);
	if (agent === undefined) {
		const names = agents.map(candidate => `"${candidate.id}"`).join(', ');
		throw new RequestRefused(400, `selectedAgent: there is no agent of this name here. There is ${names}.`);
	}
	return agent;
}

function chooseModel(agent: Agent, model: string | undefined): string {
	if (model !== undefined && !agent.models.includes(model)) {
		const names = agent.models.map(name => `"${name}"`).join(', ');
		throw new RequestRefused(400, `selectedModel: the agent "${agent.id}" has no such model. It has ${names}.`);
	}
	return model ?? agent.models[0];
}

/** The branch that the task will start from. Whatever is wrong with the repository is said now, not in a log later. */
async function lookAt(repoUrl: string, selectedBranch: string | undefined, parent: string): Promise<string> {
	await mkdir(parent, { recursive: true, mode: 0o700 });
	const scratchFolder = await mkdtemp(path.join(parent, 'look-'));
	try {
		const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
		const folder = folderOfRepoUrl(repoUrl);
		const configuration = path.join(scratchFolder, 'gitconfig');
		await writeGitConfiguration(configuration, signal);
		const source = await readSource({ folder, branch: selectedBranch, scratchFolder, configuration, signal });
		return source.branch;
	} catch (error) {
		if (error instanceof UserFacingError) {
			throw new RequestRefused(400, error.message);
		}
		if (error instanceof GitError) {
			const words = error.stderr.trim().split('\n')[0]?.slice(0, 300) ?? '';
			throw new RequestRefused(400, `repoUrl: git cannot read the repository: ${words}`);
		}
		if (isAbortError(error) || (error instanceof Error && error.name === 'TimeoutError')) {
			throw new RequestRefused(400, `repoUrl: git could not read the repository within ${LOOK_TIMEOUT_MS / 1000} s.`);
		}
		throw error;
	} finally {
		await rm(scratchFolder, { recursive: true, force: true });
	}
}
