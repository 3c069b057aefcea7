import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger.ts';
import { createClient } from '../../../../src/client/client.ts';
import { AgentTaskList } from '../../../../src/tasks/list/agentTaskList.ts';
import { ListRefresh } from '../../../../src/tasks/list/listRefresh.ts';
import { TaskListStore } from '../../../../src/tasks/list/taskListStore.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TaskServer } from '../../../support/taskServer.ts';
import { waitFor } from '../../../support/waitFor.ts';

const INTERVAL_MS = 15_000;
const FIRST_PAGE = 'GET /api/tasks?limit=50&offset=0';

describe('reading the lists', () => {
	let server: TaskServer;
	let clock: ManualClock;
	let store: TaskListStore;
	let agentTasks: AgentTaskList;
	let list: ListRefresh;
	let isVisible: boolean;
	let isStopped: boolean;
	/** How many refreshes have come to their end. */
	let ended: number;

	beforeEach(async () => {
		server = await TaskServer.start();
		server.add({ id: 'done', status: 'completed', completedAt: new Date().toISOString() });
		clock = new ManualClock();
		const client = createClient({ connection: server.connection, keys: () => Promise.resolve('test') });
		store = new TaskListStore(() => Promise.resolve(client), clock);
		agentTasks = new AgentTaskList(() => Promise.resolve(client));
		isVisible = true;
		isStopped = false;
		ended = 0;
		store.onDidChange(() => ended++);
		list = new ListRefresh({
			store,
			agentTasks,
			view: { isVisible: () => isVisible, isFocused: true },
			active: {
				read: () => Promise.reject(new Error('no connection can be read')),
				get isStopped() {
					return isStopped;
				},
			},
			timing: { clock, intervalMs: () => INTERVAL_MS },
			logger: nullLogger,
		});
	});

	afterEach(async () => {
		list.dispose();
		store.dispose();
		agentTasks.dispose();
		await server.stop();
	});

	async function pass(intervals: number, milliseconds = INTERVAL_MS): Promise<void> {
		for (let passed = 0; passed < intervals; passed++) {
			const before = ended;
			await clock.expire(milliseconds);
			await waitFor('the refresh', () => ended > before);
		}
	}

	/** The wait that is under way ends, and no other begins. */
	async function passesQuietly(): Promise<void> {
		const before = server.requests.length;
		await clock.expire(INTERVAL_MS);
		await waitFor('the end', () => clock.sleeping === 0);
		list.wake();
		assert.equal(clock.sleeping, 0);
		assert.equal(server.requests.length, before);
	}

	it('is one request for every view that shows tasks, however often and from wherever it is asked for', async () => {
		await Promise.all([list.load(), list.load(), list.load('first'), list.refresh()]);
		assert.deepEqual(
			server.requests.filter(request => request !== FIRST_PAGE),
			[],
		);
		assert.ok(server.requests.length <= 2, server.requests.join('\n'));
	});

	it('is twelve requests in three idle minutes in sight, and none for agent tasks without their address', async () => {
		await list.load();
		await pass(12);
		assert.deepEqual(server.requests, Array(13).fill(FIRST_PAGE));
	});

	it('asks for nothing before anybody has looked', () => {
		list.wake();
		list.visibilityChanged(true);
		list.focusChanged(false);
		list.focusChanged(true);
		assert.equal(clock.sleeping, 0);
		assert.equal(server.requests.length, 0);
	});

	it('ends while nothing is in sight or at work, and begins again at once with the view', async () => {
		await list.load();
		isVisible = false;
		await passesQuietly();
		const before = ended;
		isVisible = true;
		list.visibilityChanged(true);
		await waitFor('the refresh', () => ended > before);
		assert.equal(server.requests.length, 2);
		await pass(1);
		assert.equal(server.requests.length, 3);
	});

	it('goes on out of sight while a task is at work', async () => {
		server.add({ id: 'busy' });
		isVisible = false;
		await list.load();
		await pass(2);
		server.finish('busy', 'completed');
		await pass(1);
		await waitFor('the end', () => clock.sleeping === 0);
		list.wake();
		assert.equal(clock.sleeping, 0);
		assert.equal(server.requests.length, 4);
	});

	it('ends in a window that was left for long, and brings the rows up to date when the user is back', async () => {
		server.add({ id: 'busy' });
		await list.load();
		list.focusChanged(false);
		await pass(1);
		clock.pass(10 * 60_000);
		await passesQuietly();
		const before = ended;
		list.focusChanged(true);
		await waitFor('the refresh', () => ended > before);
		await pass(1);
	});

	it('leaves a service alone that was stopped, but for what the user asks for', async () => {
		server.add({ id: 'busy' });
		await list.load();
		isStopped = true;
		await passesQuietly();
		list.visibilityChanged(true);
		list.focusChanged(false);
		list.wake();
		assert.equal(clock.sleeping, 0);
		assert.equal(server.requests.length, 1);
		isStopped = false;
		await list.refresh();
		assert.equal(server.requests.length, 2);
		await pass(1);
		assert.equal(server.requests.length, 3);
	});

	it('does not hurry when the user only looked away for a moment', async () => {
		await list.load();
		list.focusChanged(false);
		clock.pass(60_000);
		list.focusChanged(true);
		assert.equal(server.requests.length, 1);
	});

	it('comes ever more rarely while the service fails, and at once and as before when the user asks', async () => {
		server.listFailure = { status: 500, body: { error: 'database' } };
		await list.load();
		assert.equal(store.state, 'error');
		const waits = [INTERVAL_MS, 2 * INTERVAL_MS, 4 * INTERVAL_MS];
		for (const wait of waits) {
			await waitFor('the wait', () => clock.running(wait) === 1);
			// The client's own tries of one request take time as well.
			clock.pass(wait);
			const before = ended;
			await clock.wake(wait);
			await waitFor('the failure', () => ended > before);
		}
		server.listFailure = undefined;
		await list.refresh();
		assert.equal(store.error, undefined);
		await pass(1);
	});

	it('is not asked for again by itself where only the user can help', async () => {
		server.listFailure = { status: 401, body: { error: 'no' } };
		await list.load();
		list.wake();
		assert.equal(clock.sleeping, 0);
		assert.equal(server.requests.length, 1);
	});
});
