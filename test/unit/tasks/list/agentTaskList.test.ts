import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Client } from '../../../../src/client/types.ts';
import { AgentTaskList } from '../../../../src/tasks/list/agentTaskList.ts';
import { TaskServer } from '../../../support/taskServer.ts';

describe('the list of agent tasks', () => {
	let server: TaskServer;
	let client: Client;
	let list: AgentTaskList;

	beforeEach(async () => {
		server = await TaskServer.start();
		client = make('sk-test', true);
		list = new AgentTaskList(() => Promise.resolve(client));
	});

	afterEach(async () => {
		list.dispose();
		await server.stop();
	});

	const make = (key: string | undefined, hasAddress: boolean) =>
		createClient({
			connection: { ...server.connection, ...(hasAddress && { agentUrl: server.address }) },
			keys: kind => Promise.resolve(kind === 'agent' ? key : 'test'),
		});

	it('holds what the service lists, and says whether there is more', async () => {
		server.agentReply = { status: 200, body: { tasks: [{ taskId: 'x', status: 'running' }], hasMore: true } };
		await list.refresh();
		assert.ok(list.isThere && list.hasMore);
		assert.deepEqual(
			list.tasks.map(({ taskId }) => taskId),
			['x'],
		);
	});

	it('shows what the filter of the view leaves, and asks for a state where there is one for it', async () => {
		const tasks = ['queued', 'running', 'completed', 'failed', 'cancelled', 'interrupted', 'odd'].map(status => ({
			taskId: status,
			status,
		}));
		server.agentReply = { status: 200, body: tasks };
		const shown = async (status: Parameters<AgentTaskList['setStatus']>[0]) => {
			list.setStatus(status);
			await list.refresh();
			return list.tasks.map(({ taskId }) => taskId);
		};
		assert.deepEqual(await shown('active'), ['queued', 'running']);
		assert.deepEqual(await shown('failed'), ['failed', 'interrupted']);
		assert.deepEqual(await shown('completed'), ['completed']);
		assert.deepEqual(await shown('stopped'), ['cancelled']);
		assert.equal((await shown(undefined)).length, tasks.length);
		assert.deepEqual(
			server.requests.map(request => /status=(\w+)/.exec(request)?.[1]),
			[undefined, undefined, 'completed', 'cancelled', undefined],
		);
	});

	it('is not there, and sends nothing, without a key or an address', async () => {
		for (const without of [make(undefined, true), make('sk-test', false)]) {
			client = without;
			await list.refresh();
			assert.ok(!list.isThere);
			assert.equal(list.error, undefined);
		}
		assert.deepEqual(server.requests, []);
	});

	it('stays, with its error, when the service refuses', async () => {
		server.agentReply = { status: 200, body: [{ taskId: 'x' }] };
		await list.refresh();
		server.agentReply = { status: 403, body: { error: 'Pro subscription required' } };
		await list.refresh();
		assert.ok(list.isThere);
		assert.ok(ClientError.is(list.error, 'plan-required'));
		assert.equal(list.tasks.length, 1);
	});

	it('is forgotten with its connection', async () => {
		server.agentReply = { status: 200, body: [{ taskId: 'x' }] };
		const late = list.refresh();
		list.reset();
		await late;
		assert.ok(!list.isThere);
		assert.equal(list.tasks.length, 0);
	});
});
