import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nullLogger } from '../../../../src/base/logger.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { NewTask } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { childEnvironment } from '../../../../src/service/tasks/childEnvironment.ts';
import { TaskRunner } from '../../../../src/service/tasks/taskRunner.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { isAlive, waitFor } from '../../../support/waitFor.ts';

describe('TaskRunner', function () {
	this.timeout(30_000);
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;
	let repository: TemporaryRepository;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-runner-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
		repository = await TemporaryRepository.create();
	});
	afterEach(async () => {
		if (database.isOpen) {
			database.close();
		}
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	/** Writes its process id to a file, and takes its time to end when asked. */
	const slow = (): Agent => ({
		id: 'slow',
		models: ['none'],
		launch: () => ({
			command: process.execPath,
			args: [
				'-e',
				`process.on('SIGTERM', () => setTimeout(() => process.exit(), 500));
				require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'pid'))}, process.pid + '\\n');
				setInterval(() => {}, 1000);`,
			],
			env: childEnvironment(process.env, {}),
		}),
	});

	const runnerOf = (onBroken: (error: unknown) => void = () => assert.fail('The store is broken.')) =>
		new TaskRunner({ store, folder: path.join(folder, 'tasks'), agents: [], logger: nullLogger, onBroken });

	const task = (prompt = 'Try it'): Omit<NewTask, 'id'> => ({
		prompt,
		repoUrl: repository.path,
		selectedBranch: 'main',
		selectedAgent: 'slow',
		selectedModel: 'none',
		installDependencies: false,
		maxDuration: 60,
	});

	describe('after a crash', () => {
		it('completes a task whose result is stored', () => {
			store.create({ ...task(), id: 'done' });
			store.update('done', { status: 'saving', progress: 90 });
			store.update('done', { branchName: 'errand/done', linesAdded: 2, linesRemoved: 1, filesChanged: 1 });
			runnerOf().recover();
			const after = store.get('done');
			assert.equal(after?.status, 'completed');
			assert.equal(after?.progress, 100);
			assert.equal(after?.branchName, 'errand/done');
			assert.ok(after?.completedAt);
		});

		it('names the branch that one was about to make, since it may be there', () => {
			store.create({ ...task('Name the branch'), id: '01234567-89' });
			store.update('01234567-89', { status: 'saving', progress: 90 });
			runnerOf().recover();
			const after = store.get('01234567-89');
			assert.equal(after?.status, 'error');
			assert.match(
				after?.error ?? '',
				/^Interrupted: .* the branch errand\/name-the-branch-01234567; if that is there/,
			);
			assert.equal(after?.branchName, null);
		});

		it('does not speak of a branch where the agent was still at work', () => {
			store.create({ ...task(), id: 'early' });
			store.update('early', { status: 'processing', progress: 20 });
			runnerOf().recover();
			assert.equal(store.get('early')?.error, 'Interrupted: the local service stopped while the task was running.');
		});
	});

	it('has ended every child when it is shut down, even when nothing can be stored any more', async () => {
		const broken: unknown[] = [];
		const runner = runnerOf(error => broken.push(error));
		runner.create(task(), slow());
		const pid = await waitFor('the agent', async () => {
			const text = await readFile(path.join(folder, 'pid'), 'utf8').catch(() => '');
			return text.endsWith('\n') && Number(text);
		});
		// One more that runs, and one that waits: its end is a mere write, which fails at once.
		runner.create(task(), slow());
		runner.create(task(), slow());
		database.close();
		await assert.rejects(runner.shutdown(), /not open/);
		assert.ok(!(await isAlive(pid)), 'the agent is still there');
		assert.ok(broken.length > 0);
	});
});
