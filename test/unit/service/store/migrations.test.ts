import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/store/database.ts';
import { MIGRATIONS } from '../../../../src/service/store/migrations.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';

describe('a database of the first version', () => {
	let folder: string;
	let file: string;
	let database: DatabaseSync;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-migrations-'));
		file = path.join(folder, 'state.sqlite');
		const old = new DatabaseSync(file);
		old.exec(`PRAGMA journal_mode = WAL; ${MIGRATIONS[0]}; PRAGMA user_version = 1`);
		const insert = old.prepare(
			`INSERT INTO tasks (id, prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, installDependencies,
				maxDuration, status, progress, error, branchName, linesAdded, linesRemoved, filesChanged, createdAt, updatedAt,
				completedAt)
			VALUES (?, 'Prompt', '/repository', 'main', 'demo', 'demo', 1, 60, ?, ?, ?, ?, ?, ?, ?, '2026-01-01', '2026-01-02', ?)`,
		);
		insert.run('done', 'completed', 100, null, 'errand/done', 3, 2, 1, '2026-01-02');
		insert.run('failed', 'error', 20, 'It failed.', null, null, null, null, '2026-01-02');
		insert.run('interrupted', 'error', 20, 'Interrupted: the service stopped.', null, null, null, null, '2026-01-02');
		insert.run('stored', 'saving', 90, null, 'errand/stored', 1, 0, 1, null);
		insert.run('running', 'processing', 20, null, null, null, null, null, null);
		insert.run('waiting', 'pending', 0, null, null, null, null, null, null);
		old.exec(
			`INSERT INTO logEntries VALUES (1, 0, 'info', 'plain-text', 'kept', '2026-01-01', 'demo', 'agent_executing')`,
		);
		old.close();
		database = openDatabase(file);
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true, force: true });
	});

	it('is brought to the present version, with every task and entry, each task with its one execution', () => {
		const store = new TaskStore(database);
		const version = database.prepare('PRAGMA user_version').get();
		assert.deepEqual({ ...version }, { user_version: MIGRATIONS.length });
		const { tasks } = store.list({ limit: 100, offset: 0 });
		assert.deepEqual(
			tasks.map(({ id }) => id),
			['waiting', 'running', 'stored', 'interrupted', 'failed', 'done'],
		);
		for (const task of tasks) {
			const [execution, ...others] = store.executions(task, { diffs: true });
			assert.deepEqual(others, []);
			assert.equal(execution?.status, task.status);
			assert.equal(execution?.error, task.error);
			assert.equal(execution?.branchName, task.branchName);
			assert.equal(execution?.baseCommit, null);
			assert.equal(task.turn, 1);
			assert.equal(task.multiLaunch, false);
			assert.equal(task.installDependencies, true);
		}
		const done = store.get('done');
		assert.ok(done);
		assert.equal(done.completedAt, '2026-01-02');
		assert.deepEqual([done.linesAdded, done.linesRemoved, done.filesChanged], [3, 2, 1]);
		assert.equal(store.entries(done, 0, 10)[0]?.message, 'kept');
	});

	it('tells which tasks were interrupted, and completes one whose result is stored', () => {
		const store = new TaskStore(database);
		assert.equal(store.get('interrupted')?.interrupted, true);
		assert.equal(store.get('failed')?.interrupted, false);
		const stored = store.get('stored');
		assert.equal(stored?.status, 'completed');
		assert.equal(stored?.progress, 100);
		assert.equal(stored?.completedAt, '2026-01-02');
		assert.deepEqual(
			store.active().map(({ id }) => id),
			['running', 'waiting'],
		);
	});

	it('takes changes like one of the present version, and is opened again', () => {
		new TaskStore(database).update('waiting', 0, { status: 'processing', progress: 10 });
		database.close();
		database = openDatabase(file);
		assert.equal(new TaskStore(database).get('waiting')?.progress, 10);
	});

	it('stays as it was when a step of the way fails', () => {
		const other = path.join(folder, 'other.sqlite');
		const old = new DatabaseSync(other);
		// Its tables are not there, so the second step cannot be made.
		old.exec('CREATE TABLE mine (x); PRAGMA user_version = 1');
		old.close();
		assert.throws(() => openDatabase(other), { name: 'UserFacingError' });
		const after = new DatabaseSync(other);
		assert.deepEqual({ ...after.prepare('PRAGMA user_version').get() }, { user_version: 1 });
		assert.equal(after.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'], 1);
		after.close();
	});
});
