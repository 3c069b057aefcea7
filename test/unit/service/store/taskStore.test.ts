import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/store/database.ts';
import { toTask } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import { logRecord } from '../../../../src/service/tasks/taskLog.ts';
import { entry, newTask, taskStoreSuite } from '../../../support/taskStoreSuite.ts';

describe('TaskStore', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-store-'));
		open();
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true, force: true });
	});

	function open(): void {
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
	}

	taskStoreSuite(async () => ({
		create: async task => store.create(task),
		get: async id => store.get(id),
		executions: async (task, options) => store.executions(task, options),
		list: async query => store.list(query),
		update: async (id, position, change, entries) => store.update(id, position, change, entries),
		append: async (id, entries) => void store.append(id, entries),
		followUp: async (id, followUp) => {
			const message = `Asked to go on: ${followUp.prompt}`;
			return store.followUp(id, followUp, [logRecord(followUp.agent, 'task_continued', 'info', message)]);
		},
		entries: async (task, from, limit) => store.entries(task, from, limit),
		entryCount: async task => store.entryCount(task),
		watch: (id, listener) => store.watch(id, listener),
	}));

	it('keeps everything across a new start', () => {
		store.create(newTask('a'));
		store.append('a', [entry('one'), entry('two')]);
		const before = store.get('a');
		database.close();
		open();
		const task = store.get('a');
		assert.deepEqual(task, before);
		assert.ok(task);
		assert.deepEqual(
			store.entries(task, 0, 10).map(({ message }) => message),
			['one', 'two'],
		);
	});

	it('shows a task with every documented field, and one of its own', () => {
		const view = toTask(store.create(newTask('a')), [], [], 0) as Record<string, unknown>;
		const documented =
			`id userId teamId prompt repoUrl selectedAgent selectedModel installDependencies maxDuration status
			progress error selectedBranch branchName sandboxUrl sandboxId merged diffStats autoDeployEnabled deployments badge
			batchId createdAt updatedAt completedAt creatorName creatorImage prNumber prUrl isEmptyGitUser errand`.split(
				/\s+/,
			);
		assert.deepEqual(Object.keys(view).sort(), documented.sort());
		assert.equal(view['installDependencies'], true);
		assert.equal(view['maxDuration'], 1.5);
		assert.equal(view['diffStats'], null);
	});

	describe('on a full disk', () => {
		it('fails with an error, keeps what it had acknowledged, and goes on when there is room again', () => {
			store.create(newTask('a'));
			const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
			// The limit on pages is SQLite's own way to a full disk.
			database.exec(`PRAGMA max_page_count = ${pages + 20}`);
			let acknowledged = 0;
			assert.throws(
				() => {
					for (;;) {
						store.append('a', [entry(`${acknowledged}:${'x'.repeat(2_000)}`)]);
						acknowledged++;
					}
				},
				{ errcode: 13 },
			);
			assert.ok(acknowledged > 5);
			assert.throws(() => store.create(newTask('x'.repeat(200_000))), { errcode: 13 });
			const check = () => {
				const task = store.get('a');
				assert.ok(task);
				assert.equal(task.status, 'pending');
				assert.equal(store.entryCount(task), acknowledged);
				assert.deepEqual(
					store.entries(task, 0, 1_000).map(({ message }) => Number.parseInt(message, 10)),
					Array.from({ length: acknowledged }, (_, index) => index),
				);
				assert.deepEqual(
					store.list({ limit: 50, offset: 0 }).tasks.map(({ id }) => id),
					['a'],
				);
				assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
			};
			check();
			database.close();
			open();
			check();
			store.append('a', [entry(`${acknowledged++}:room`)]);
			check();
		});
	});
});
