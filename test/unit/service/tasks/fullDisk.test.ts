import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nullLogger } from '../../../../src/base/logger.ts';
import { IdleWatch } from '../../../../src/service/idleWatch.ts';
import { createApp, startServer } from '../../../../src/service/server.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import { logRecord } from '../../../../src/service/tasks/taskLog.ts';
import { registerTaskRoutes } from '../../../../src/service/tasks/taskRoutes.ts';
import { TaskRunner } from '../../../../src/service/tasks/taskRunner.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { NO_SERVICES, shellTaskAgent } from './shellTaskAgent.ts';

const TOKEN = 'x'.repeat(40);

/** More than the pages that are left hold. */
const PRINTED_BYTES = 400_000;

describe('tasks on a full disk', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;
	let runner: TaskRunner;
	let repository: TemporaryRepository;
	let broken: unknown[];
	let work: string;
	/** The line of shell that the agent runs. */
	let line: string;
	let fetchTasks: (json?: object) => Promise<Response>;
	let close: () => Promise<void>;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-full-'));
		repository = await TemporaryRepository.create();
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
		broken = [];
		const agent = shellTaskAgent(() => line, 'talker');
		work = path.join(folder, 'work');
		line = 'true';
		const onBroken = (error: unknown) => broken.push(error);
		runner = new TaskRunner(
			{ store, folder: work },
			{
				services: NO_SERVICES,
				agentOf: () => agent,
				logger: nullLogger,
				onBroken,
			},
		);
		const app = createApp(nullLogger);
		registerTaskRoutes(app, { store, runner, agents: async () => [agent], folder: work, logger: nullLogger });
		const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
		const server = await startServer({ token: TOKEN, port: 0, app, idleWatch: () => idleWatch });
		const headers = { authorization: `Bearer ${TOKEN}` };
		fetchTasks = json =>
			fetch(
				`${server.address}/api/tasks`,
				json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) },
			);
		close = async () => {
			idleWatch.dispose();
			await server.close(0);
		};
	});
	afterEach(async () => {
		await runner.shutdown();
		await close();
		database.close();
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	/** The limit on pages is SQLite's own way to a full disk. */
	function leave(pages: number): void {
		const { page_count: count } = database.prepare('PRAGMA page_count').get() as { page_count: number };
		database.exec(`PRAGMA max_page_count = ${count + pages}`);
	}

	it('are refused with a sentence, and accepted when there is room again', async () => {
		leave(0);
		const json = { prompt: 'x'.repeat(100_000), repoUrl: repository.path };
		const refused = await fetchTasks(json);
		assert.equal(refused.status, 500);
		const { error } = (await refused.json()) as { error: string };
		assert.match(error, /cannot be stored: the disk of the data folder is full\. Free some space/);
		assert.deepEqual(((await (await fetchTasks()).json()) as { tasks: unknown[] }).tasks, []);
		assert.ok(!runner.isBusy);
		leave(1_000);
		assert.equal((await fetchTasks(json)).status, 200);
	});

	const intact = () => {
		assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
		const [task] = store.list({ limit: 1, offset: 0 }).tasks;
		assert.ok(task);
		return task;
	};

	it('end with a sentence when an agent prints more than there is room for', async () => {
		leave(30);
		// It comes in one piece, because small ones could leave no page for the end either.
		line = `head -c ${PRINTED_BYTES} /dev/zero | tr '\\0' x`;
		assert.equal((await fetchTasks({ prompt: 'x', repoUrl: repository.path })).status, 200);
		await waitFor('the end', () => !runner.isBusy);
		const task = intact();
		assert.equal(task.status, 'error');
		assert.match(task.error ?? '', /^The disk of the data folder is full.*Free some space/);
		assert.deepEqual(broken, []);
	});

	it('end the service when not even their end can be stored, and say so at the next start', async () => {
		const gate = path.join(folder, 'gate');
		line = `while [ ! -e ${gate} ]; do sleep 0.02; done`;
		const response = await fetchTasks({ prompt: 'x', repoUrl: repository.path });
		const { id } = ((await response.json()) as { task: { id: string } }).task;
		await waitFor('the agent', () => store.get(id)?.progress === 20);
		leave(0);
		let acknowledged = store.entryCount(intact());
		assert.throws(
			() => {
				for (;;) {
					store.append(id, [logRecord('talker', 'agent_executing', 'info', 'x'.repeat(acknowledged % 50))]);
					acknowledged++;
				}
			},
			{ errcode: 13 },
		);
		await writeFile(gate, '');
		await waitFor('the failure', () => broken.length > 0);
		assert.match(String(broken[0]), /full/);
		assert.ok(['processing', 'saving'].includes(intact().status));
		assert.equal(store.entryCount(intact()), acknowledged);
		const next = new TaskRunner(
			{ store, folder: work },
			{
				services: NO_SERVICES,
				agentOf: () => undefined,
				logger: nullLogger,
				onBroken: assert.fail,
			},
		);
		await assert.rejects(next.recover(), /full/);
		leave(1_000);
		await next.recover();
		assert.match(intact().error ?? '', /^Interrupted/);
	});
});
