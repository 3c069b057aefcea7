import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nullLogger } from '../../../../src/base/logger.ts';
import { isFinalStatus } from '../../../../src/contract/tasks.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { NewTask, TaskRecord } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { type QueueLimits, type RunSupport, TaskRunner } from '../../../../src/service/tasks/taskRunner.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { NO_SERVICES, shellTaskAgent } from './shellTaskAgent.ts';

/** Sets up a store and a repository for each test of a `describe`, in whose body it is called, and makes runners on them. */
export function useTaskRunner() {
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

	/** Runs a line of shell in the tree. */
	const shell = (line: string, id?: string): Agent => shellTaskAgent(() => line, id);

	/** Writes its process id to a file, and takes its time to end when asked. */
	const slow = (): Agent =>
		shell(`trap 'sleep 0.5; exit' TERM; echo $$ > ${path.join(folder, 'pid')}; while :; do sleep 0.1; done`, 'slow');

	const runnerOf = (support: Partial<RunSupport> = {}, limits: QueueLimits = {}, work = path.join(folder, 'work')) =>
		new TaskRunner(
			{ store, folder: work },
			{
				services: NO_SERVICES,
				agentOf: () => undefined,
				logger: nullLogger,
				onBroken: error => assert.fail(`The store is broken: ${error}`),
				...support,
			},
			limits,
		);

	const task = (prompt = 'Try it', agents: NewTask['agents'] = [{ agent: 'slow', model: 'none' }]) => ({
		prompt,
		repoUrl: repository.path,
		selectedBranch: 'main',
		agents,
		installDependencies: false,
		maxDuration: 60,
	});

	const final = (id: string): Promise<TaskRecord> =>
		waitFor('the end of the task', () => {
			const record = store.get(id);
			return record !== undefined && isFinalStatus(record.status) && record;
		});

	const logOf = (record: TaskRecord) => store.entries(record, 0, 1_000).map(({ message }) => message);

	async function completed(id: string): Promise<TaskRecord & { branchName: string }> {
		const record = await final(id);
		assert.equal(record.status, 'completed', record.error ?? '');
		assert.ok(record.branchName);
		return { ...record, branchName: record.branchName };
	}

	return {
		/** A folder for whatever a test needs; the database and the folder of the work are in it. */
		get folder() {
			return folder;
		},
		get database() {
			return database;
		},
		get store() {
			return store;
		},
		get repository() {
			return repository;
		},
		slow,
		shell,
		runnerOf,
		task,
		final,
		logOf,
		completed,
	};
}
