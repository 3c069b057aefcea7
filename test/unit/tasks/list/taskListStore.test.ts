import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Client } from '../../../../src/client/types.ts';
import { TaskListStore } from '../../../../src/tasks/list/taskListStore.ts';
import { NO_FILTER } from '../../../../src/tasks/model/taskFilter.ts';
import { TaskServer } from '../../../support/taskServer.ts';
import { waitFor } from '../../../support/waitFor.ts';

/** Ids of tasks, newest first, as a service lists them: `t0` is the oldest. */
function fill(server: TaskServer, count: number, status = 'completed'): void {
	const start = Date.parse('2026-11-01T00:00:00Z');
	for (let index = server.tasks.length; index < count; index++) {
		server.add({ id: `t${index}`, status, createdAt: new Date(start + index * 60_000).toISOString() });
	}
}

describe('the list of tasks', () => {
	let server: TaskServer;
	let client: Client;
	let store: TaskListStore;
	let now: number;
	const ids = () => Array.from(store.all(), ({ id }) => id).sort();

	beforeEach(async () => {
		server = await TaskServer.start();
		client = createClient({ connection: server.connection, keys: () => Promise.resolve('test') });
		now = 1000;
		store = new TaskListStore(() => Promise.resolve(client), { ...systemClock, now: () => now });
	});

	afterEach(async () => {
		store.dispose();
		await server.stop();
	});

	it('is loading, then empty or listed', async () => {
		assert.equal(store.state, 'loading');
		await store.refresh();
		assert.equal(store.state, 'empty');
		fill(server, 1);
		await store.refresh();
		assert.equal(store.state, 'listed');
	});

	it('reads one page, and further ones when they are asked for', async () => {
		fill(server, 120);
		await store.refresh();
		assert.equal(ids().length, 50);
		assert.ok(store.hasMore);
		await store.loadMore();
		assert.equal(ids().length, 100);
		await store.loadMore();
		assert.equal(ids().length, 120);
		assert.ok(!store.hasMore);
		assert.equal(server.requests.length, 3);
	});

	it('keeps later pages while the first is read again, and finds the next page although tasks were added', async () => {
		fill(server, 120);
		await store.refresh();
		await store.loadMore();
		fill(server, 123);
		await store.refresh();
		assert.equal(ids().length, 103);
		assert.ok(store.hasMore);
		await store.loadMore();
		assert.equal(ids().length, 123);
		assert.ok(!store.hasMore);
	});

	it('drops tasks that are gone', async () => {
		fill(server, 3);
		await store.refresh();
		server.tasks.splice(1, 1);
		await store.refresh();
		assert.deepEqual(ids(), ['t0', 't2']);
	});

	it('keeps a task of a later page that was made in the same moment as the last one of the first', async () => {
		const createdAt = '2026-11-01T00:00:00Z';
		for (let index = 0; index < 60; index++) {
			server.add({ id: `t${index}`, status: 'completed', createdAt });
		}
		await store.refresh();
		await store.loadMore();
		await store.refresh();
		assert.equal(ids().length, 60);
	});

	it('keeps what was learnt of a task while the list was read, which is older', async () => {
		server.add({ id: 'a' });
		await store.refresh();
		const { tasks } = client;
		const list: Client['tasks']['list'] = async query => {
			const answer = await tasks.list(query);
			store.setStatus('a', 'completed', undefined);
			return answer;
		};
		client = { ...client, tasks: { ...tasks, list } };
		await store.refresh();
		assert.equal(store.get('a')?.status, 'completed');
		client = { ...client, tasks };
		server.finish('a', 'stopped');
		await store.refresh();
		assert.equal(store.get('a')?.status, 'stopped');
	});

	it('reads an active task again that lies behind the first page', async () => {
		server.add({ id: 'long', status: 'processing', createdAt: '2026-10-01T00:00:00Z' });
		fill(server, 60);
		await store.refresh('opened');
		await store.loadMore();
		assert.equal(store.get('long')?.status, 'processing');
		server.finish('long', 'completed');
		await store.refresh();
		assert.equal(store.get('long')?.status, 'completed');
		assert.equal(store.activeCount, 0);
	});

	it('keeps its rows when a refresh fails, and says since when they are old', async () => {
		fill(server, 2);
		await store.refresh();
		now = 5000;
		server.listFailure = { status: 401, body: { error: 'Unauthorized' } };
		await store.refresh();
		assert.equal(store.state, 'listed');
		assert.equal(store.staleSince, 1000);
		assert.equal(ids().length, 2);
		server.listFailure = undefined;
		await store.refresh();
		assert.equal(store.staleSince, undefined);
		assert.equal(store.error, undefined);
	});

	it('says why there are no rows: an error, no key, or no address', async () => {
		server.listFailure = { status: 403, body: { error: 'no' } };
		await store.refresh();
		assert.equal(store.state, 'error');

		client = createClient({ connection: server.connection, keys: () => Promise.resolve(undefined) });
		await store.refresh();
		assert.equal(store.state, 'no-key');

		const { cloudUrl: _, ...connection } = server.connection;
		client = createClient({ connection, keys: () => Promise.resolve('test') });
		await store.refresh();
		assert.equal(store.state, 'unsupported');
	});

	it('sends one request at a time, and none that another waiting one makes needless', async () => {
		fill(server, 1);
		let running = 0;
		let most = 0;
		server.beforeList = async () => {
			most = Math.max(most, ++running);
			await new Promise(resolve => setImmediate(resolve));
			running--;
		};
		await Promise.all(Array.from({ length: 20 }, () => store.refresh()));
		assert.equal(most, 1);
		assert.ok(server.requests.length <= 2, `${server.requests.length} requests`);
	});

	it('drops what an earlier connection answers late, and does not wait for it', async () => {
		fill(server, 1);
		const { promise: released, resolve: release } = Promise.withResolvers<void>();
		server.beforeList = () => released;
		const late = store.refresh();
		await waitFor('the request', () => server.requests.length === 1);
		store.reset();
		server.beforeList = undefined;
		server.tasks.length = 0;
		await store.refresh();
		assert.equal(store.state, 'empty');
		server.add({ id: 'elsewhere' });
		release();
		await late;
		assert.deepEqual(ids(), []);
	});

	it('says that a task is stopping until a final state is known', async () => {
		server.add({ id: 'a' });
		await store.refresh();
		store.setStopping('a', true);
		await store.refresh();
		assert.ok(store.isStopping('a'));
		store.setStatus('a', 'stopped', undefined);
		assert.ok(!store.isStopping('a'));
		assert.equal(store.get('a')?.status, 'stopped');
	});

	it('holds no task for active that its service has left, but one that waits', async () => {
		server.add({ id: 'runs', status: 'processing' });
		server.add({ id: 'waits', status: 'pending' });
		server.add({ id: 'done', status: 'completed' });
		await store.refresh();
		store.interruptRunning();
		assert.deepEqual(
			['runs', 'waits', 'done'].map(id => store.get(id)?.status),
			['interrupted', 'pending', 'completed'],
		);
		assert.equal(store.activeCount, 1);
		await store.refresh();
		assert.equal(store.get('runs')?.status, 'processing');
	});

	it('tells one changed row from a change of the whole list', async () => {
		server.add({ id: 'a' });
		await store.refresh();
		const changes: (string | undefined)[] = [];
		store.onDidChange(({ taskId }) => changes.push(taskId));
		store.setStatus('a', 'processing', undefined);
		store.setStatus('a', 'saving', undefined);
		store.setStatus('a', 'completed', undefined);
		assert.deepEqual(changes, ['a', undefined]);
	});

	const shown = () => Array.from(store.shown(), ({ id }) => id).sort();

	it('asks the service for what the filter says, and shows what it lists', async () => {
		fill(server, 2);
		server.add({ id: 'failed', status: 'error' });
		server.add({ id: 'batch', status: 'completed', batchId: 'b1' });
		await store.refresh();
		assert.ok(store.setFilter({ ...NO_FILTER, kind: 'tasks', status: 'completed' }));
		await store.refresh();
		assert.deepEqual(shown(), ['t0', 't1']);
		assert.ok(
			server.requests.some(request => /filter=tasks&status=completed|status=completed&filter=tasks/.test(request)),
		);
		assert.ok(store.setFilter({ ...NO_FILTER, kind: 'batch', status: undefined }));
		await store.refresh();
		assert.deepEqual(shown(), ['batch']);
		assert.ok(!store.setFilter({ ...NO_FILTER, kind: 'batch', status: undefined }));
	});

	it('counts what is active also where the filter leaves it out', async () => {
		fill(server, 1);
		server.add({ id: 'a', status: 'processing' });
		server.add({ id: 'b', status: 'pending' });
		store.setFilter({ ...NO_FILTER, kind: 'all', status: 'completed' });
		await store.refresh();
		assert.deepEqual(shown(), ['t0']);
		assert.equal(store.activeCount, 2);
		server.finish('a', 'completed');
		await store.refresh();
		assert.deepEqual(shown(), ['a', 't0']);
		assert.equal(store.activeCount, 1);
	});

	it('lets go of a task that no longer is what the filter says', async () => {
		server.add({ id: 'a' });
		store.setFilter({ ...NO_FILTER, kind: 'all', status: 'active' });
		await store.refresh();
		store.setStatus('a', 'completed', undefined);
		assert.deepEqual(shown(), []);
		assert.equal(store.state, 'listed');
	});

	it('is listed, not empty, where the filter leaves nothing', async () => {
		fill(server, 1);
		store.setFilter({ ...NO_FILTER, kind: 'all', status: 'failed' });
		await store.refresh();
		assert.deepEqual(shown(), []);
		assert.equal(store.state, 'listed');
	});

	it('drops what an earlier filter brings late', async () => {
		fill(server, 1);
		const { promise: released, resolve: release } = Promise.withResolvers<void>();
		server.beforeList = () => released;
		const late = store.refresh();
		await waitFor('the request', () => server.requests.length === 1);
		store.setFilter({ ...NO_FILTER, kind: 'all', status: 'stopped' });
		server.beforeList = undefined;
		await store.refresh();
		release();
		await late;
		assert.deepEqual(ids(), []);
	});

	it('asks once for all active tasks behind the first page, however many there are', async () => {
		for (let index = 0; index < 8; index++) {
			server.add({ id: `long${index}`, createdAt: '2026-10-01T00:00:00Z' });
		}
		fill(server, 70);
		await store.refresh();
		await store.loadMore();
		const before = server.requests.length;
		await store.refresh();
		assert.equal(server.requests.length - before, 2);
		assert.equal(store.activeCount, 8);
	});
});
