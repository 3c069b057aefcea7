import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { stepsFolder } from '../../../agents/steps/stepChain.ts';
import { bundleState, bytesOfObject, diffOfState, fileOfState } from '../../../agents/steps/stepContent.ts';
import { describeError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { integerFrom } from '../../../contract/ranges.ts';
import { stepSearchRequestSchema } from '../../../contract/stepSearch.ts';
import { CUT_HEADER, MAXIMUM_STEP_FILE, STEPS_PAGE, stepPaths, type TaskStep } from '../../../contract/taskSteps.ts';
import { numberIn, parseOrRefuse, RequestRefused, runOrRefuse } from '../../replies.ts';
import { type App, pattern, readBody, streamReply } from '../../server.ts';
import type { TaskRecord } from '../../store/taskRecord.ts';
import type { TaskStore } from '../../store/taskStore.ts';
import type { TaskRunner } from '../taskRunner.ts';
import { NO_TESTS, type StepSearch } from './stepSearch.ts';
import { stepsPrefix } from './taskSteps.ts';

const planQuerySchema = stepSearchRequestSchema.pick({ agent: true });
/** Clients give up on a stream that is silent for long, and a run may be. */
const COMMENT_EVERY_MS = 15_000;

const listQuerySchema = z.strictObject({ fromIndex: integerFrom(0).optional() });

export interface StepRoutesDependencies {
	store: TaskStore;
	runner: Pick<TaskRunner, 'folderOf' | 'openSearch' | 'search'>;
	logger: Logger;
	required(id: string | undefined): TaskRecord;
	/** Returns a task that is over and whose folders nothing uses, or refuses the request. */
	ended(id: string | undefined): TaskRecord;
}

/** Registers the routes of the steps (contract/taskSteps.ts). */
export function registerStepRoutes(app: App, dependencies: StepRoutesDependencies): void {
	const { store, runner, logger, required, ended } = dependencies;
	app.get(pattern(stepPaths.list), context => {
		const task = required(context.req.param('taskId'));
		const { fromIndex = 0 } = parseOrRefuse(listQuerySchema, { fromIndex: numberIn(context.req.query('fromIndex')) });
		const steps = store.steps.list(task, fromIndex, STEPS_PAGE);
		const next = (steps.at(-1)?.index ?? fromIndex) + 1;
		return context.json({ steps, nextIndex: next < store.steps.count(task) ? next : null });
	});

	/** Returns a step with the folder of its execution. */
	const found = (
		id: string | undefined,
		index: string | undefined,
	): { step: TaskStep; task: TaskRecord; folder: string } => {
		const task = required(id);
		const step = /^\d{1,9}$/.test(index ?? '') ? store.steps.get(task, Number(index)) : undefined;
		const folder = runner.folderOf(task, step?.agent ?? 0);
		if (step === undefined || !existsSync(stepsFolder(folder))) {
			throw new RequestRefused(404, 'The task has no such step, or its files are not kept any more.');
		}
		return { step, task, folder };
	};

	app.get(pattern(stepPaths.file), async context => {
		const { step, folder } = found(context.req.param('taskId'), context.req.param('index'));
		const name = context.req.query('path') ?? '';
		if (name.includes('\0') || name.split('/').some(part => ['', '.', '..'].includes(part))) {
			throw new RequestRefused(400, 'path: must name a file within the repository, relative to its top folder');
		}
		const file = await fileOfState(folder, step.tree, name);
		if (file === undefined) {
			throw new RequestRefused(404, 'There was no file or link of this name after the step.');
		}
		if (file.size > MAXIMUM_STEP_FILE) {
			throw new RequestRefused(413, 'The file is larger than 48 MB.');
		}
		return context.body(new Uint8Array(await bytesOfObject(folder, file.object)), 200, {
			'content-type': 'application/octet-stream',
		});
	});

	app.get(pattern(stepPaths.diff), async context => {
		const { step, folder } = found(context.req.param('taskId'), context.req.param('index'));
		const { diff, isCut } = await diffOfState(folder, step.tree);
		return context.body(new Uint8Array(diff), 200, {
			'content-type': 'text/plain; charset=utf-8',
			...(isCut && { [CUT_HEADER]: 'true' }),
		});
	});

	app.get(pattern(stepPaths.bundle), async context => {
		const { step, task, folder } = found(context.req.param('taskId'), context.req.param('index'));
		const file = await bundleState(folder, step.tree, `${stepsPrefix(task.id)}/${step.index}`);
		const bytes = createReadStream(file).once('close', () => void rm(file, { force: true }));
		return context.body(Readable.toWeb(bytes) as ReadableStream, 200, { 'content-type': 'application/x-git-bundle' });
	});

	/** Prepares a search among the steps of an agent, or refuses the request. */
	const openSearch = async (task: TaskRecord, agent: number | undefined): Promise<StepSearch> => {
		const executions = store.executions(task);
		if (agent === undefined && executions.length > 1) {
			throw new RequestRefused(400, 'agent: several agents have worked on the task. Name one, counted from 0.');
		}
		const execution = executions[agent ?? 0];
		if (execution === undefined) {
			throw new RequestRefused(400, 'agent: the task has no such agent.');
		}
		const search = await runOrRefuse(409, () => runner.openSearch(task, execution));
		if (search === undefined) {
			throw new RequestRefused(404, 'The task has no steps, or their files are not kept any more.');
		}
		return search;
	};

	app.get(pattern(stepPaths.search), async context => {
		const task = ended(context.req.param('taskId'));
		const { agent } = parseOrRefuse(planQuerySchema, { agent: numberIn(context.req.query('agent')) });
		return context.json((await openSearch(task, agent)).plan);
	});

	app.post(pattern(stepPaths.search), async context => {
		const task = ended(context.req.param('taskId'));
		const { command, agent } = await readBody(context, stepSearchRequestSchema);
		const search = await openSearch(task, agent);
		if (command === undefined && search.plan.command === null) {
			throw new RequestRefused(400, NO_TESTS);
		}
		// Something else may have begun meanwhile.
		ended(task.id);
		return streamReply(signal => runner.search(task, search, command, signal), {
			outgoing: context.env.outgoing,
			commentEveryMs: COMMENT_EVERY_MS,
			onFailure: error =>
				logger.log('error', 'a search among steps failed', { taskId: task.id, reason: describeError(error) }),
		});
	});
}
