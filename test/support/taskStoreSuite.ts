import assert from 'node:assert/strict';
import type { Disposable } from '../../src/base/disposable.ts';
import {
	type AgentChoice,
	type ExecutionRecord,
	type LogRecord,
	type NewTask,
	STATUSES_BY_FILTER,
	type TaskRecord,
	type TaskStatus,
	toTask,
} from '../../src/service/store/taskRecord.ts';
import { type ExecutionChange, MAXIMUM_PAGE_LENGTH, type TaskPageQuery } from '../../src/service/store/taskStore.ts';
import { waitFor } from './waitFor.ts';

export const entry = (message: string): LogRecord => ({
	type: 'info',
	contentType: 'plain-text',
	message,
	timestamp: new Date().toISOString(),
	agent: 'demo',
	step: 'agent_executing',
});

/** A task of one agent, or of as many as are given. */
export const newTask = (id: string, others: Partial<NewTask> = {}): NewTask => ({
	id,
	prompt: `Prompt of ${id}`,
	repoUrl: '/repository',
	selectedBranch: 'main',
	agents: [{ agent: 'demo', model: 'demo' }],
	installDependencies: true,
	maxDuration: 1.5,
	...others,
});

/** What the stores of one machine and of a team have in common. */
export interface StoreUnderTest {
	create(task: NewTask): Promise<TaskRecord>;
	get(id: string): Promise<TaskRecord | undefined>;
	executions(task: TaskRecord, options?: { diffs?: boolean }): Promise<ExecutionRecord[]>;
	list(query: TaskPageQuery): Promise<{ tasks: TaskRecord[]; hasMore: boolean }>;
	update(id: string, position: number, change: ExecutionChange, entries?: readonly LogRecord[]): Promise<TaskRecord>;
	append(id: string, entries: readonly LogRecord[]): Promise<void>;
	followUp(id: string, followUp: AgentChoice & { prompt: string }): Promise<TaskRecord>;
	entries(task: TaskRecord, from: number, limit: number): Promise<LogRecord[]>;
	entryCount(task: TaskRecord): Promise<number>;
	watch(id: string, listener: () => void): Disposable;
}

/** What holds of either store. `open` returns a store without tasks, before each test. */
export function taskStoreSuite(open: () => Promise<StoreUnderTest>): void {
	let store: StoreUnderTest;

	beforeEach(async () => {
		store = await open();
	});

	async function add(id: string, status: TaskStatus = 'pending', change: ExecutionChange = {}): Promise<void> {
		await store.create(newTask(id));
		if (status !== 'pending') {
			await store.update(id, 0, { status, ...change });
		}
	}

	async function required(id: string): Promise<TaskRecord> {
		const task = await store.get(id);
		assert.ok(task);
		return task;
	}

	const messages = async (id: string, from = 0) =>
		(await store.entries(await required(id), from, 100)).map(({ message }) => message);

	const list = async (query: Partial<TaskPageQuery> = {}) => {
		const { tasks, hasMore } = await store.list({ limit: 50, offset: 0, ...query });
		return { ids: tasks.map(({ id }) => id), hasMore };
	};

	it('lists newest first, in pages that say whether there is more', async () => {
		for (const id of ['a', 'b', 'c', 'd', 'e']) {
			await add(id);
		}
		assert.deepEqual(await list(), { ids: ['e', 'd', 'c', 'b', 'a'], hasMore: false });
		assert.deepEqual(await list({ limit: 2 }), { ids: ['e', 'd'], hasMore: true });
		assert.deepEqual(await list({ limit: 2, offset: 2 }), { ids: ['c', 'b'], hasMore: true });
		assert.deepEqual(await list({ limit: 2, offset: 4 }), { ids: ['a'], hasMore: false });
		assert.deepEqual(await list({ limit: 5 }), { ids: ['e', 'd', 'c', 'b', 'a'], hasMore: false });
		assert.deepEqual(await list({ offset: 9 }), { ids: [], hasMore: false });
	});

	it('filters by groups of states, and by batches, of which there are none', async () => {
		const states = ['pending', 'processing', 'saving', 'completed', 'error', 'timeout', 'stopped'] as const;
		for (const status of states) {
			await add(status, status);
		}
		assert.deepEqual((await list({ statuses: STATUSES_BY_FILTER.active })).ids, ['saving', 'processing', 'pending']);
		assert.deepEqual((await list({ statuses: STATUSES_BY_FILTER.completed })).ids, ['completed']);
		assert.deepEqual((await list({ statuses: STATUSES_BY_FILTER.failed })).ids, ['timeout', 'error']);
		assert.deepEqual((await list({ statuses: STATUSES_BY_FILTER.stopped })).ids, ['stopped']);
		assert.equal((await list({ filter: 'tasks' })).ids.length, states.length);
		assert.deepEqual(await list({ filter: 'batch' }), { ids: [], hasMore: false });
		assert.deepEqual(await list({ filter: 'tasks', statuses: STATUSES_BY_FILTER.active, limit: 2 }), {
			ids: ['saving', 'processing'],
			hasMore: true,
		});
	});

	it('tells an interruption from a failure in what it lists', async () => {
		await add('failed', 'error');
		await add('interrupted', 'error', { interrupted: true, error: 'Interrupted: …' });
		assert.deepEqual((await list({ statuses: ['error'], interrupted: true })).ids, ['interrupted']);
		assert.deepEqual((await list({ statuses: ['error'], interrupted: false })).ids, ['failed']);
		assert.deepEqual((await list({ statuses: ['error'] })).ids, ['interrupted', 'failed']);
	});

	it('numbers log entries without gaps, each task its own', async () => {
		await add('a');
		await add('b');
		await store.append('a', [entry('a0'), entry('a1')]);
		await store.append('b', [entry('b0')]);
		await store.update('a', 0, { progress: 10 }, [entry('a2')]);
		assert.deepEqual(await messages('a', 1), ['a1', 'a2']);
		assert.equal(await store.entryCount(await required('a')), 3);
		assert.equal(await store.entryCount(await required('b')), 1);
		assert.deepEqual(await messages('a', 3), []);
	});

	it('keeps every character of what an agent or a user says, and of half a pair that it was one', async () => {
		const texts = ['with \u0000 and \ud83d\ude00', 'half \ud83d', '\u0000', '', '\\u0000 {"a": "\\"}', '\u001b[1m\r\n'];
		const all = texts.join('');
		const shown = (text: string | null | undefined) => text?.toWellFormed();
		await store.create(newTask('a', { prompt: all, mcpServers: texts }));
		await store.append('a', texts.map(entry));
		await store.update('a', 0, { error: all, branchName: 'errand/\u0000', gitDiff: all });
		assert.deepEqual((await messages('a')).map(shown), texts.map(shown));
		const task = await required('a');
		assert.equal(shown(task.prompt), shown(all));
		assert.equal(shown(task.error), shown(all));
		assert.deepEqual(task.mcpServers, texts);
		const [execution] = await store.executions(task, { diffs: true });
		assert.equal(shown(execution?.gitDiff), shown(all));
		assert.equal(await store.get('a\u0000'), undefined);
	});

	it('reads a page of long entries only up to its limit, and never an empty one', async () => {
		await add('a');
		const long = 'x'.repeat(MAXIMUM_PAGE_LENGTH / 2);
		await store.append('a', [long, long, '', 'y', long.repeat(4), 'z'].map(entry));
		const task = await required('a');
		const lengths = async (from: number, limit = 100) =>
			(await store.entries(task, from, limit)).map(({ message }) => message.length);
		assert.deepEqual(await lengths(0), [long.length, long.length, 0, 1]);
		assert.deepEqual(await lengths(4), [4 * long.length]);
		assert.deepEqual(await lengths(5), [1]);
		assert.deepEqual(await lengths(2, 1), [0]);
		assert.deepEqual(await lengths(Number.MAX_SAFE_INTEGER), []);
	});

	it('lets a final state stand', async () => {
		await add('a', 'stopped');
		const before = await required('a');
		const after = await store.update('a', 0, { status: 'completed', progress: 100 }, [entry('late')]);
		assert.deepEqual(after, before);
		assert.ok(before.completedAt);
		assert.equal(await store.entryCount(after), 0);
	});

	it('tells those who watch a task about its changes only, until they stop', async () => {
		await add('a');
		await add('b');
		const calls = { first: 0, second: 0, other: 0 };
		const first = store.watch('a', () => calls.first++);
		const second = store.watch('a', () => calls.second++);
		store.watch('b', () => calls.other++);
		await store.append('a', [entry('x')]);
		await waitFor('the news', () => calls.first > 0 && calls.second > 0);
		first.dispose();
		const before = { ...calls };
		await store.update('a', 0, { progress: 1 });
		await waitFor('the news', () => calls.second > before.second);
		assert.deepEqual([calls.first, calls.other], [before.first, 0]);
		second.dispose();
	});

	it('notes when a task was started and when it ended', async () => {
		await add('a');
		assert.equal((await required('a')).startedAt, null);
		await store.update('a', 0, { status: 'processing' });
		const { startedAt } = await required('a');
		assert.ok(startedAt);
		await store.update('a', 0, { status: 'completed' });
		assert.equal((await required('a')).startedAt, startedAt);
		assert.ok((await required('a')).completedAt);
	});

	describe('a follow-up', () => {
		const followUp = { prompt: 'And more', agent: 'other', model: 'large' };

		it('makes the task wait again, with its log and its result kept and its prompt the first', async () => {
			await add('a');
			await store.append('a', [entry('first')]);
			const result = { progress: 100, branchName: 'errand/a', baseCommit: 'base', linesAdded: 3 };
			await store.update('a', 0, { status: 'completed', ...result });
			const before = await required('a');
			const after = await store.followUp('a', followUp);
			assert.equal(after.status, 'pending');
			assert.equal(after.progress, 0);
			assert.equal(after.completedAt, null);
			assert.equal(after.startedAt, null);
			assert.equal(after.prompt, before.prompt);
			assert.equal(after.currentPrompt, 'And more');
			assert.equal(after.turn, 2);
			assert.equal(after.selectedAgent, 'other');
			assert.equal(after.selectedModel, 'large');
			assert.equal(after.branchName, 'errand/a');
			assert.equal(after.linesAdded, 3);
			assert.deepEqual(after, await required('a'));
			const [execution] = await store.executions(after);
			assert.equal(execution?.baseCommit, 'base');
			assert.equal(execution?.agent, 'other');
			assert.deepEqual(await messages('a'), ['first', 'Asked to go on: And more']);
			await store.update('a', 0, { status: 'processing' });
			assert.ok((await required('a')).startedAt);
		});

		it('forgets the error and the interruption of the turn before', async () => {
			await add('a', 'error', { error: 'Interrupted: …', interrupted: true, branchName: 'errand/a' });
			const after = await store.followUp('a', followUp);
			assert.equal(after.error, null);
			assert.equal(after.interrupted, false);
		});

		it('is refused to a task at work and to one of several agents, and nothing is written', async () => {
			await add('busy', 'processing');
			await assert.rejects(store.followUp('busy', followUp));
			await store.create(several);
			await store.update('several', 0, { status: 'completed', branchName: 'errand/1' });
			await store.update('several', 1, { status: 'completed', branchName: 'errand/2' });
			await assert.rejects(store.followUp('several', followUp));
			for (const id of ['busy', 'several']) {
				const task = await required(id);
				assert.equal(await store.entryCount(task), 0);
				assert.equal(task.turn, 1);
			}
		});
	});

	const several = newTask('several', {
		agents: [
			{ agent: 'demo', model: 'small' },
			{ agent: 'demo', model: 'large' },
		],
	});

	describe('a task of several agents', () => {
		const both = async (first: ExecutionChange, second: ExecutionChange) => {
			await store.update('several', 0, first);
			return store.update('several', 1, second);
		};
		beforeEach(() => store.create(several));

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
			it(`is ${expected} when one is ${first} and the other ${second}`, async () => {
				const task = await both({ status: first }, { status: second });
				assert.equal(task.status, expected);
				assert.equal(task.completedAt !== null, ['completed', 'stopped', 'timeout', 'error'].includes(expected));
			});
		}

		it('has no branch of its own, and the error of the end that it shows', async () => {
			const task = await both(
				{ status: 'error', error: 'first' },
				{ status: 'timeout', error: 'second', branchName: 'b' },
			);
			assert.equal(task.error, 'second');
			assert.equal(task.branchName, null);
			assert.equal((await both({}, {})).status, 'timeout');
		});

		it('shows what each agent has made, and the diffs only where they are read', async () => {
			const task = await both(
				{ status: 'completed', branchName: 'errand/both-1', gitDiff: 'diff --git' },
				{ status: 'error', error: 'no' },
			);
			const executions = await store.executions(task, { diffs: true });
			const view = toTask(task, executions, [], 0) as Record<string, unknown>;
			assert.equal(view['multiLaunch'], true);
			assert.deepEqual(view['selectedAgents'], several.agents);
			assert.deepEqual(view['agentExecutions'], [
				{ agent: 'demo', status: 'completed', branchName: 'errand/both-1', gitDiff: 'diff --git', errand: {} },
				{ agent: 'demo', status: 'error', branchName: null, gitDiff: null, errand: {} },
			]);
			assert.ok((await store.executions(task)).every(({ gitDiff }) => gitDiff === null));
		});
	});
}
