import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WORK_MARKER, workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, finalTask, logOf, readTask, stopTask, type TaskView } from '../helpers.ts';

/** A command of git, and what a task shows while that runs. */
const STEPS = {
	cloning: { command: 'fetch', status: 'processing', progress: 0 },
	'checking out': { command: 'read-tree', status: 'processing', progress: 0 },
	comparing: { command: 'diff-files', status: 'saving', progress: 90 },
	committing: { command: 'commit-tree', status: 'saving', progress: 90 },
	pushing: { command: 'push', status: 'saving', progress: 90 },
} as const;

describe('a task that ends in the middle of a step', () => {
	let repository: TemporaryRepository;
	let service: ServiceProcess;
	/** Holds the name of the command that git stays in, and then `reached`. */
	let held: string;

	before(async () => {
		repository = await TemporaryRepository.create();
		const programs = path.join(repository.folder, 'programs');
		held = path.join(repository.folder, 'held');
		const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
		await mkdir(programs);
		// A real git that, at the command that a test names, does not end by itself.
		await writeFile(
			path.join(programs, 'git'),
			`#!/bin/sh
			name=$(cat "${held}" 2>/dev/null)
			case " $* " in *" \${name:-none} "*) echo reached > "${held}"; sleep 60;; esac
			exec "${real}" "$@"
			`,
		);
		await chmod(path.join(programs, 'git'), 0o755);
		service = await ServiceProcess.start({
			environment: { PATH: `${programs}${path.delimiter}${process.env['PATH']}` },
		});
	});
	after(async () => {
		await service.stop();
		await repository.remove();
	});
	afterEach(() => rm(held, { force: true }));

	async function reach(step: keyof typeof STEPS, fields: object = {}): Promise<TaskView> {
		const { command, status, progress } = STEPS[step];
		await writeFile(held, command);
		const { id } = await createTask(service, { prompt: step, repoUrl: repository.path, ...fields });
		await waitFor(step, async () => (await readFile(held, 'utf8')).trim() === 'reached');
		const task = await readTask(service, id);
		assert.equal(task.status, status);
		assert.equal(task.progress, progress);
		return task;
	}

	async function nothingIsLeft(): Promise<void> {
		assert.deepEqual(await repository.branches(), ['main']);
		assert.deepEqual(await readdir(workFolderOf(service.stateFolder)), [WORK_MARKER]);
	}

	for (const step of Object.keys(STEPS) as (keyof typeof STEPS)[]) {
		it(`is stopped while ${step}, and leaves nothing`, async () => {
			const { id } = await reach(step);
			const task = await stopTask(service, id);
			assert.equal(task.status, 'stopped');
			assert.equal(task.error, null);
			assert.equal((await logOf(service, id)).at(-1)?.log.message, 'Stopped by the user.');
			await nothingIsLeft();
		});
	}

	it('is a timeout while cloning', async () => {
		const { id } = await reach('cloning', { maxDuration: 2 });
		const task = await finalTask(service, id);
		assert.equal(task.status, 'timeout');
		assert.match(task.error ?? '', /longer than its limit of 2 s/);
		await nothingIsLeft();
	});

	it('is a timeout while pushing', async () => {
		const { id } = await reach('pushing', { maxDuration: 5 });
		assert.equal((await finalTask(service, id)).status, 'timeout');
		await nothingIsLeft();
	});

	it('does not count the time that it waits', async () => {
		const slow = await Promise.all(
			[1, 2].map(() => createTask(service, { prompt: '/demo slow', repoUrl: repository.path })),
		);
		const waiting = await createTask(service, { prompt: '/demo slow', repoUrl: repository.path, maxDuration: 0.3 });
		// Had the time run, it would have ended by then.
		await waitFor('twice its limit to pass', () => Date.now() > Date.parse(waiting.createdAt) + 600);
		assert.equal((await readTask(service, waiting.id)).status, 'pending');
		await Promise.all(slow.map(({ id }) => stopTask(service, id)));
		assert.equal((await finalTask(service, waiting.id)).status, 'timeout');
		await nothingIsLeft();
	});
});
