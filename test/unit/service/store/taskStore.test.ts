import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/store/database.ts';
import { type LogRecord, type TaskStatus, toTask } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';

const entry = (message: string): LogRecord => ({
	type: 'info',
	contentType: 'plain-text',
	message,
	timestamp: new Date().toISOString(),
	agent: 'demo',
	step: 'agent_executing',
});

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

	function add(id: string, status: TaskStatus = 'pending'): void {
		store.create({
			id,
			prompt: `Prompt of ${id}`,
			repoUrl: '/repository',
			selectedBranch: 'main',
			selectedAgent: 'demo',
			selectedModel: 'demo',
			installDependencies: true,
			maxDuration: 1.5,
		});
		if (status !== 'pending') {
			store.update(id, { status });
		}
	}

	const list = (query: Partial<Parameters<TaskStore['list']>[0]> = {}) => {
		const { tasks, hasMore } = store.list({ limit: 50, offset: 0, filter: 'all', status: undefined, ...query });
		return { ids: tasks.map(({ id }) => id), hasMore };
	};

	it('keeps everything across a new start', () => {
		add('a');
		store.append('a', [entry('one'), entry('with \u0000 and \ud83d\ude00')]);
		const before = store.get('a');
		database.close();
		open();
		assert.deepEqual(store.get('a'), before);
		const task = store.get('a');
		assert.ok(task);
		assert.deepEqual(
			store.entries(task, 0, 10).map(({ message }) => message),
			['one', 'with \u0000 and \ud83d\ude00'],
		);
	});

	it('lists newest first, in pages that say whether there is more', () => {
		for (const id of ['a', 'b', 'c', 'd', 'e']) {
			add(id);
		}
		assert.deepEqual(list(), { ids: ['e', 'd', 'c', 'b', 'a'], hasMore: false });
		assert.deepEqual(list({ limit: 2 }), { ids: ['e', 'd'], hasMore: true });
		assert.deepEqual(list({ limit: 2, offset: 2 }), { ids: ['c', 'b'], hasMore: true });
		assert.deepEqual(list({ limit: 2, offset: 4 }), { ids: ['a'], hasMore: false });
		assert.deepEqual(list({ limit: 5 }), { ids: ['e', 'd', 'c', 'b', 'a'], hasMore: false });
		assert.deepEqual(list({ offset: 9 }), { ids: [], hasMore: false });
	});

	it('filters by groups of states, and by batches, of which there are none', () => {
		const states = ['pending', 'processing', 'saving', 'completed', 'error', 'timeout', 'stopped'] as const;
		for (const status of states) {
			add(status, status);
		}
		assert.deepEqual(list({ status: 'active' }).ids, ['saving', 'processing', 'pending']);
		assert.deepEqual(list({ status: 'completed' }).ids, ['completed']);
		assert.deepEqual(list({ status: 'failed' }).ids, ['timeout', 'error']);
		assert.deepEqual(list({ status: 'stopped' }).ids, ['stopped']);
		assert.equal(list({ filter: 'tasks' }).ids.length, states.length);
		assert.deepEqual(list({ filter: 'batch' }), { ids: [], hasMore: false });
		assert.deepEqual(list({ filter: 'tasks', status: 'active', limit: 2 }), {
			ids: ['saving', 'processing'],
			hasMore: true,
		});
	});

	it('numbers log entries without gaps, each task its own', () => {
		add('a');
		add('b');
		store.append('a', [entry('a0'), entry('a1')]);
		store.append('b', [entry('b0')]);
		store.update('a', { progress: 10 }, [entry('a2')]);
		const [a, b] = [store.get('a'), store.get('b')];
		assert.ok(a && b);
		assert.deepEqual(
			store.entries(a, 1, 10).map(({ message }) => message),
			['a1', 'a2'],
		);
		assert.equal(store.entryCount(a), 3);
		assert.equal(store.entryCount(b), 1);
		assert.deepEqual(store.entries(a, 3, 10), []);
	});

	it('lets a final state stand', () => {
		add('a', 'stopped');
		const before = store.get('a');
		const after = store.update('a', { status: 'completed', progress: 100 }, [entry('late')]);
		assert.deepEqual(after, before);
		assert.ok(before?.completedAt);
		assert.equal(store.entryCount(after), 0);
	});

	it('tells those who watch a task about its changes only, until they stop', () => {
		add('a');
		add('b');
		let calls = 0;
		const listener = () => calls++;
		const watches = [store.watch('a', listener), store.watch('a', listener)];
		store.append('a', [entry('x')]);
		store.append('b', [entry('x')]);
		assert.equal(calls, 2);
		watches[0]?.dispose();
		store.update('a', { progress: 1 });
		assert.equal(calls, 3);
		watches[1]?.dispose();
		store.append('a', [entry('x')]);
		assert.equal(calls, 3);
	});

	it('shows a task with every documented field, and none of its own', () => {
		add('a');
		const task = store.get('a');
		assert.ok(task);
		const view = toTask(task) as Record<string, unknown>;
		const documented =
			`id userId teamId prompt repoUrl selectedAgent selectedModel installDependencies maxDuration status
			progress error selectedBranch branchName sandboxUrl sandboxId merged diffStats autoDeployEnabled deployments badge
			batchId createdAt updatedAt completedAt creatorName creatorImage prNumber prUrl isEmptyGitUser`.split(/\s+/);
		assert.deepEqual(Object.keys(view).sort(), documented.sort());
		assert.equal(view['installDependencies'], true);
		assert.equal(view['maxDuration'], 1.5);
		assert.equal(view['diffStats'], null);
	});
});
