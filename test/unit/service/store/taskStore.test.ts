import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../../src/service/store/database.ts';
import {
	type LogRecord,
	type NewTask,
	statusesOf,
	type TaskStatus,
	toTask,
} from '../../../../src/service/store/taskRecord.ts';
import { type ExecutionChange, TaskStore } from '../../../../src/service/store/taskStore.ts';

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

	function add(id: string, status: TaskStatus = 'pending', change: ExecutionChange = {}): void {
		store.create({
			id,
			prompt: `Prompt of ${id}`,
			repoUrl: '/repository',
			selectedBranch: 'main',
			agents: [{ agent: 'demo', model: 'demo' }],
			installDependencies: true,
			maxDuration: 1.5,
		});
		if (status !== 'pending') {
			store.update(id, 0, { status, ...change });
		}
	}

	const list = (query: Partial<Parameters<TaskStore['list']>[0]> = {}) => {
		const { tasks, hasMore } = store.list({ limit: 50, offset: 0, ...query });
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
		assert.deepEqual(list({ statuses: statusesOf('active') }).ids, ['saving', 'processing', 'pending']);
		assert.deepEqual(list({ statuses: statusesOf('completed') }).ids, ['completed']);
		assert.deepEqual(list({ statuses: statusesOf('failed') }).ids, ['timeout', 'error']);
		assert.deepEqual(list({ statuses: statusesOf('stopped') }).ids, ['stopped']);
		assert.equal(list({ filter: 'tasks' }).ids.length, states.length);
		assert.deepEqual(list({ filter: 'batch' }), { ids: [], hasMore: false });
		assert.deepEqual(list({ filter: 'tasks', statuses: statusesOf('active'), limit: 2 }), {
			ids: ['saving', 'processing'],
			hasMore: true,
		});
	});

	it('numbers log entries without gaps, each task its own', () => {
		add('a');
		add('b');
		store.append('a', [entry('a0'), entry('a1')]);
		store.append('b', [entry('b0')]);
		store.update('a', 0, { progress: 10 }, [entry('a2')]);
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
		const after = store.update('a', 0, { status: 'completed', progress: 100 }, [entry('late')]);
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
		store.update('a', 0, { progress: 1 });
		assert.equal(calls, 3);
		watches[1]?.dispose();
		store.append('a', [entry('x')]);
		assert.equal(calls, 3);
	});

	it('shows a task with every documented field, and one of its own', () => {
		add('a');
		const task = store.get('a');
		assert.ok(task);
		const view = toTask(task, [], [], 0) as Record<string, unknown>;
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

	it('tells an interruption from a failure in what it lists', () => {
		add('failed', 'error');
		add('interrupted', 'error', { interrupted: true, error: 'Interrupted: …' });
		assert.deepEqual(list({ statuses: ['error'], interrupted: true }).ids, ['interrupted']);
		assert.deepEqual(list({ statuses: ['error'], interrupted: false }).ids, ['failed']);
		assert.deepEqual(list({ statuses: ['error'] }).ids, ['interrupted', 'failed']);
	});

	it('notes when a task was started and when it ended', () => {
		add('a');
		assert.equal(store.get('a')?.startedAt, null);
		store.update('a', 0, { status: 'processing' });
		const { startedAt } = store.get('a') ?? {};
		assert.ok(startedAt);
		store.update('a', 0, { status: 'completed' });
		assert.equal(store.get('a')?.startedAt, startedAt);
		assert.ok(store.get('a')?.completedAt);
	});

	describe('a follow-up', () => {
		const followUp = { prompt: 'And more', agent: 'other', model: 'large' };

		it('makes the task wait again, with its log and its result kept and its prompt the first', () => {
			add('a', 'completed', { progress: 100, branchName: 'errand/a', baseCommit: 'base', linesAdded: 3 });
			store.append('a', [entry('first')]);
			const before = store.get('a');
			const after = store.followUp('a', followUp, [entry('again')]);
			assert.equal(after.status, 'pending');
			assert.equal(after.progress, 0);
			assert.equal(after.completedAt, null);
			assert.equal(after.startedAt, null);
			assert.equal(after.prompt, before?.prompt);
			assert.equal(after.currentPrompt, 'And more');
			assert.equal(after.turn, 2);
			assert.equal(after.selectedAgent, 'other');
			assert.equal(after.selectedModel, 'large');
			assert.equal(after.branchName, 'errand/a');
			assert.equal(after.linesAdded, 3);
			assert.deepEqual(after, store.get('a'));
			const [execution] = store.executions(after);
			assert.equal(execution?.baseCommit, 'base');
			assert.equal(execution?.agent, 'other');
			assert.deepEqual(
				store.entries(after, 0, 10).map(({ message }) => message),
				['first', 'again'],
			);
			store.update('a', 0, { status: 'processing' });
			assert.ok(store.get('a')?.startedAt);
		});

		it('forgets the error and the interruption of the turn before', () => {
			add('a', 'error', { error: 'Interrupted: …', interrupted: true, branchName: 'errand/a' });
			const after = store.followUp('a', followUp, []);
			assert.equal(after.error, null);
			assert.equal(after.interrupted, false);
		});

		it('is refused to a task at work and to one of several agents, and nothing is written', () => {
			add('busy', 'processing');
			assert.throws(() => store.followUp('busy', followUp, [entry('never')]));
			store.create({ ...several, id: 'several' });
			store.update('several', 0, { status: 'completed' });
			store.update('several', 1, { status: 'completed' });
			assert.throws(() => store.followUp('several', followUp, [entry('never')]));
			for (const id of ['busy', 'several']) {
				const task = store.get(id);
				assert.ok(task);
				assert.equal(store.entryCount(task), 0);
				assert.equal(task.turn, 1);
			}
		});
	});

	const several = {
		id: 'several',
		prompt: 'Both',
		repoUrl: '/repository',
		selectedBranch: 'main',
		agents: [
			{ agent: 'demo', model: 'small' },
			{ agent: 'demo', model: 'large' },
		],
		installDependencies: false,
		maxDuration: 60,
	} satisfies NewTask;

	describe('a task of several agents', () => {
		const both = (first: ExecutionChange, second: ExecutionChange) => {
			store.update('several', 0, first);
			return store.update('several', 1, second);
		};
		beforeEach(() => {
			store.create(several);
		});

		for (const [first, second, expected] of [
			['pending', 'pending', 'pending'],
			['processing', 'pending', 'processing'],
			['saving', 'processing', 'processing'],
			['saving', 'saving', 'saving'],
			['completed', 'pending', 'processing'],
			['error', 'saving', 'saving'],
			['completed', 'error', 'completed'],
			['stopped', 'completed', 'completed'],
			['timeout', 'error', 'timeout'],
			['error', 'stopped', 'stopped'],
			['error', 'error', 'error'],
		] as const) {
			it(`is ${expected} when one is ${first} and the other ${second}`, () => {
				const task = both({ status: first }, { status: second });
				assert.equal(task.status, expected);
				assert.equal(task.completedAt !== null, ['completed', 'stopped', 'timeout', 'error'].includes(expected));
			});
		}

		it('has no branch of its own, and the error of the end that it shows', () => {
			const task = both({ status: 'error', error: 'first' }, { status: 'timeout', error: 'second', branchName: 'b' });
			assert.equal(task.error, 'second');
			assert.equal(task.branchName, null);
			assert.equal(both({}, {}).status, 'timeout');
		});

		it('shows what each agent has made, and the diffs only where they are read', () => {
			const task = both(
				{ status: 'completed', branchName: 'errand/both-1', gitDiff: 'diff --git' },
				{ status: 'error', error: 'no' },
			);
			const view = toTask(task, store.executions(task, { diffs: true }), [], 0) as Record<string, unknown>;
			assert.equal(view['multiLaunch'], true);
			assert.deepEqual(view['selectedAgents'], several.agents);
			assert.deepEqual(view['agentExecutions'], [
				{ agent: 'demo', status: 'completed', branchName: 'errand/both-1', gitDiff: 'diff --git', errand: {} },
				{ agent: 'demo', status: 'error', branchName: null, gitDiff: null, errand: {} },
			]);
			assert.ok(store.executions(task).every(({ gitDiff }) => gitDiff === null));
		});
	});

	describe('on a full disk', () => {
		it('fails with an error, keeps what it had acknowledged, and goes on when there is room again', () => {
			add('a');
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
			assert.throws(() => add('x'.repeat(200_000)), { errcode: 13 });
			const check = () => {
				const task = store.get('a');
				assert.ok(task);
				assert.equal(task.status, 'pending');
				assert.equal(store.entryCount(task), acknowledged);
				assert.deepEqual(
					store.entries(task, 0, 1_000).map(({ message }) => Number.parseInt(message, 10)),
					Array.from({ length: acknowledged }, (_, index) => index),
				);
				assert.deepEqual(list().ids, ['a']);
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
