import assert from 'node:assert/strict';
import type { AgentTaskListQuery } from '../../../src/contract/agentTasks.ts';
import { FaultServer, sendJson } from '../../support/faultServer.ts';
import { type TestClient, testClient } from './testClient.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const task = {
	taskId: 'a1',
	runId: 'r1',
	status: 'completed',
	model: 'large',
	createdAt: '2026-11-21T10:00:00Z',
	startedAt: '2026-11-21T10:00:01Z',
	completedAt: '2026-11-21T10:00:09Z',
};

describe('client.agentTasks', () => {
	let server: FaultServer;
	let other: FaultServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, []));
		other = await FaultServer.start(response => sendJson(response, 200, []));
		client = testClient(other.origin, { fields: { agentUrl: server.origin } });
	});
	afterEach(() => Promise.all([server.stop(), other.stop()]));

	it('asks the agent host with the agent key, and no other', async () => {
		await client.agentTasks.list({ page: 2, limit: 10, status: 'running' });
		const [received] = server.received;
		assert.equal(received?.path, '/api/v1/tasks');
		assert.equal(received?.query.toString(), 'page=2&limit=10&status=running');
		assert.equal(received?.headers.authorization, 'Bearer sk-agent');
		assert.equal(other.received.length, 0);
	});

	it('sends no query of its own', async () => {
		await client.agentTasks.list();
		assert.equal(server.received[0]?.query.toString(), '');
	});

	it('keeps the agent key from the other hosts', async () => {
		other.answer = response => sendJson(response, 200, { tasks: [] });
		await client.tasks.list();
		assert.equal(other.received[0]?.headers.authorization, 'Bearer sk-cloud');
	});

	it('reads a page of tasks without the entries that are none', async () => {
		const reply = { tasks: [task, null, { status: 'running' }, { taskId: 'a2' }], page: 2, limit: 10, hasMore: true };
		server.answer = response => sendJson(response, 200, reply);
		const page = await client.agentTasks.list();
		assert.deepEqual(plain(page), { tasks: [task, { taskId: 'a2' }], page: 2, limit: 10, hasMore: true });
	});

	it('reads a bare list, which is all there is', async () => {
		server.answer = response => sendJson(response, 200, [task, 7]);
		const page = await client.agentTasks.list({ page: 3 });
		assert.deepEqual(plain(page), { tasks: [task], page: 3, limit: 1, hasMore: false });
	});

	for (const body of [null, {}, { tasks: 7 }, 'text']) {
		it(`takes ${JSON.stringify(body)} for a bad response, not for an empty list`, async () => {
			server.answer = response => sendJson(response, 200, body);
			await assert.rejects(client.agentTasks.list(), { code: 'bad-response' });
		});
	}

	for (const query of [{ page: 0 }, { limit: 1.5 }, { status: 'active' }, { offset: 1 }]) {
		it(`refuses ${JSON.stringify(query)}, before anything is sent`, async () => {
			await assert.rejects(client.agentTasks.list(query as AgentTaskListQuery), { code: 'invalid-request' });
			assert.equal(server.received.length, 0);
		});
	}

	it('takes 401 for a key that is missing or invalid', async () => {
		server.answer = response => sendJson(response, 401, { error: 'Unauthorized' });
		await assert.rejects(client.agentTasks.list(), { code: 'unauthorised', serviceMessage: 'Unauthorized' });
		assert.equal(server.received.length, 1);
	});

	it('takes 403 for a plan that is missing, with the service’s sentence', async () => {
		server.answer = response => sendJson(response, 403, { error: 'A Pro subscription is needed.' });
		await assert.rejects(client.agentTasks.list(), {
			code: 'plan-required',
			status: 403,
			serviceMessage: 'A Pro subscription is needed.',
		});
	});

	it('takes a key that is deleted under way for an invalid one, and asks for the key anew the next time', async () => {
		let key = 'sk-old';
		client = testClient(other.origin, { fields: { agentUrl: server.origin }, keys: () => Promise.resolve(key) });
		server.answer = response => {
			// Deleted while the request is in flight.
			key = 'sk-new';
			server.answer = (next, { headers }) =>
				headers.authorization === 'Bearer sk-new' ? sendJson(next, 200, []) : sendJson(next, 401, {});
			sendJson(response, 401, { error: 'Unauthorized' });
		};
		await assert.rejects(client.agentTasks.list(), { code: 'unauthorised' });
		assert.equal(server.received.length, 1);
		assert.deepEqual((await client.agentTasks.list()).tasks, []);
	});

	it('sends nothing without a key', async () => {
		client = testClient(other.origin, {
			fields: { agentUrl: server.origin },
			keys: kind => Promise.resolve(kind === 'agent' ? undefined : 'sk-x'),
		});
		await assert.rejects(client.agentTasks.list(), { code: 'no-key' });
		assert.equal(server.received.length, 0);
	});
});
