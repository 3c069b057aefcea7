import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { stepsFolder } from '../../../agents/steps/stepChain.ts';
import { bundleState, bytesOfObject, diffOfState, fileOfState } from '../../../agents/steps/stepContent.ts';
import { integerFrom } from '../../../contract/ranges.ts';
import { CUT_HEADER, MAXIMUM_STEP_FILE, STEPS_PAGE, stepPaths, type TaskStep } from '../../../contract/taskSteps.ts';
import { numberIn, parseOrRefuse, RequestRefused } from '../../replies.ts';
import type { App } from '../../server.ts';
import type { TaskRecord } from '../../store/taskRecord.ts';
import type { TaskStore } from '../../store/taskStore.ts';
import type { TaskRunner } from '../taskRunner.ts';
import { stepsPrefix } from './taskSteps.ts';

const listQuerySchema = z.strictObject({ fromIndex: integerFrom(0).optional() });

export interface StepRoutesDependencies {
	store: TaskStore;
	runner: Pick<TaskRunner, 'folderOf'>;
	/** Returns a task, or refuses the request. */
	required(id: string | undefined): TaskRecord;
	/** Converts a path to Hono's form. */
	pattern(path: string): string;
}

/** Registers the routes of the steps (contract/taskSteps.ts). */
export function registerStepRoutes(app: App, { store, runner, required, pattern }: StepRoutesDependencies): void {
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
}
