import assert from 'node:assert/strict';
import { isActiveTask } from '../../src/contract/tasks.ts';
import { specialKeys } from '../support/contractServer/fixtures.ts';
import { agentTasks } from '../support/contractServer/taskFixtures.ts';
import { prove } from './harness.ts';

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const asRead = agentTasks.map(task => Object.fromEntries(Object.entries(task).filter(([, value]) => value !== null)));

describe('the agent API', () => {
	prove('unspecified/cloud-tasks/9', 'gives its tasks with their page, or bare', async ({ client, connect }) => {
		const page = await client.agentTasks.list();
		assert.deepEqual(plain(page), { tasks: asRead, page: 1, limit: 20, hasMore: false });
		const bare = await connect({}, { agent: specialKeys.agentBareList }).agentTasks.list();
		assert.deepEqual(plain(bare), { tasks: asRead, page: 1, limit: asRead.length, hasMore: false });
		assert.deepEqual(
			page.tasks.filter(isActiveTask).map(({ status }) => status),
			['queued', 'running'],
		);
	});

	prove('unspecified/cloud-tasks/9', 'is asked for a page and a state', async ({ client, lastRequest }) => {
		const page = await client.agentTasks.list({ page: 2, limit: 4 });
		assert.deepEqual(lastRequest().query, { page: '2', limit: '4' });
		assert.deepEqual(plain(page), { tasks: asRead.slice(4), page: 2, limit: 4, hasMore: false });
		assert.equal((await client.agentTasks.list({ page: 1, limit: 4 })).hasMore, true);
		const failed = await client.agentTasks.list({ status: 'failed' });
		assert.deepEqual(plain(failed.tasks), asRead.slice(3, 4));
	});

	prove('cloud-tasks/authentication/4', 'gets the agent key, and no other host does', async ({ client, server }) => {
		await client.agentTasks.list();
		await client.tasks.list();
		await client.sources.organisations();
		await client.models.discover();
		assert.match(server.keys.agent, /^sk-/);
		for (const { host, headers } of server.received) {
			assert.equal(headers.authorization === `Bearer ${server.keys.agent}`, host === 'agent');
		}
		assert.ok(server.received.some(({ host }) => host === 'agent'));
	});

	prove('cloud-tasks/authentication/5', 'says what is wrong with a key, and with a plan', async context => {
		const { connect, server } = context;
		for (const agent of ['malformed', 'sk-of-nobody', server.keys.cloud]) {
			const refused = { code: 'unauthorised', status: 401, serviceMessage: 'Unauthorized' };
			await assert.rejects(connect({}, { agent }).agentTasks.list(), refused);
		}
		assert.equal(server.received.length, 3);
		await assert.rejects(connect({}, { agent: undefined }).agentTasks.list(), { code: 'no-key' });
		assert.equal(server.received.length, 3);
		await assert.rejects(connect({}, { agent: specialKeys.agentWithoutPlan }).agentTasks.list(), {
			code: 'plan-required',
			status: 403,
			serviceMessage: 'Please subscribe to the Pro plan to use this API',
		});
	});

	prove('cloud-tasks/authentication/6', 'refuses a key that is deleted while a request is in flight', async context => {
		const { client, connect, server } = context;
		const deleted = { code: 'unauthorised', status: 401, serviceMessage: 'Unauthorized' };
		await assert.rejects(connect({}, { agent: specialKeys.deletedAgent }).agentTasks.list(), deleted);
		let isFirst = true;
		server.answer(
			({ path }) => path === '/api/v1/tasks' && isFirst,
			async () => {
				isFirst = false;
				// The request is in flight when the key is deleted.
				await new Promise(resolve => setImmediate(resolve));
				return { status: 401, headers: {}, json: { error: 'Unauthorized' } };
			},
		);
		const before = server.received.length;
		await assert.rejects(client.agentTasks.list(), deleted);
		assert.equal(server.received.length, before + 1);
		assert.equal((await client.agentTasks.list()).tasks.length, agentTasks.length);
	});
});
