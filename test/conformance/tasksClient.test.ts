import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { Client } from '../../src/client/types.ts';
import { isActiveTask, isFinalStatus, TASK_STATES } from '../../src/contract/tasks.ts';
import { absentText, agents, specialKeys } from '../support/contractServer/fixtures.ts';
import {
	deploymentSettings,
	manyTasks,
	taskFields,
	taskIds,
	tasks,
	unlistedTasks,
} from '../support/contractServer/taskFixtures.ts';
import { type ProofContext, prove } from './harness.ts';

const LIST = 'cloud-tasks/get-cloud-url-api-tasks/prose';
const ACTIVE = 'cloud-tasks/states-and-transitions/prose/1';

const repoUrl = 'https://forge.example/skipper/harbour.git';

/**
 * Returns a value as the client reads it: null and the text None are absent, except in the field that has no fixed
 * name.
 */
const asRead = (field: string, value: unknown) =>
	field !== deploymentSettings && (value === null || value === absentText) ? undefined : value;
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const isTaskRequest = (method: string, path: string) => (request: { method: string; path: string }) =>
	request.method === method && request.path === path;

/** Resolves with the code, the status and the service's message of the error that was thrown. */
async function failureOf(asked: Promise<unknown>): Promise<[string, number | undefined, string | undefined]> {
	const error: unknown = await asked.then(
		() => assert.fail('it succeeded'),
		failure => failure,
	);
	assert.ok(ClientError.is(error), String(error));
	return [error.code, error.status, error.serviceMessage];
}

describe('a task', () => {
	for (const [index, field] of taskFields.entries()) {
		prove(`cloud-tasks/task/${index + 1}`, `gives ${field} as it was sent`, async ({ client }) => {
			const { tasks: listed } = await client.tasks.list();
			assert.equal(listed.length, tasks.length);
			for (const [position, sent] of tasks.entries()) {
				assert.deepEqual(listed[position]?.[field], asRead(field, sent[field]), `${sent.id}: ${field}`);
			}
			assert.ok(listed.some(task => task[field] !== undefined));
			const one = await client.tasks.get(taskIds.completed);
			assert.deepEqual(one[field], asRead(field, tasks[0]?.[field]));
		});
	}

	prove('unspecified/cloud-tasks/11', 'keeps fields that are not used, and those that are not known', async context => {
		const { client, server } = context;
		const task = { ...tasks[0], id: 't1', berth: { number: 7 }, otherhostDeploymentSettings: null };
		server.answer(isTaskRequest('GET', '/api/tasks/t1'), { status: 200, headers: {}, json: { task } });
		const read = await client.tasks.get('t1');
		assert.deepEqual(read['berth'], { number: 7 });
		assert.equal(read['otherhostDeploymentSettings'], null);
		assert.deepEqual([read.merged, read.prNumber, read.badge], [true, 318, 'first-voyage']);
		for (const sent of unlistedTasks) {
			const other = await client.tasks.get(sent.id);
			assert.deepEqual([other.id, other.userId, other.teamId], [sent.id, sent['userId'], asRead('', sent['teamId'])]);
		}
	});
});

describe('the state of a task', () => {
	for (const [position, state, id, isActive] of [
		[1, 'pending', taskIds.pending, true],
		[2, 'processing', taskIds.processing, true],
		[3, 'saving', taskIds.saving, true],
		[4, 'completed', taskIds.completed, false],
		[5, 'error', taskIds.failed, false],
		[6, 'stopped', taskIds.stopped, false],
		[7, 'timeout', taskIds.timedOut, false],
	] as const) {
		const what = `${state} is ${isActive ? 'active' : 'final'}`;
		prove(`cloud-tasks/states-and-transitions/${position}`, what, async ({ client }) => {
			const task = await client.tasks.get(id);
			assert.equal(task.status, state);
			assert.equal(isActiveTask(task), isActive);
			assert.equal(isFinalStatus(task.status), !isActive);
			const { tasks: active } = await client.tasks.list({ status: 'active' });
			assert.equal(idsOf(active).includes(id), isActive);
		});
	}

	prove(ACTIVE, 'is active in three states, whenever the task has ended before', async ({ client, server }) => {
		const json = { tasks: TASK_STATES.map(status => ({ id: status, status, completedAt: '2026-11-21T10:00:00Z' })) };
		server.answer(isTaskRequest('GET', '/api/tasks'), { status: 200, headers: {}, json });
		const { tasks: read } = await client.tasks.list();
		assert.deepEqual(idsOf(read.filter(isActiveTask)), ['pending', 'processing', 'saving']);
	});

	prove('unspecified/cloud-tasks/8', 'may be one that is not documented', async ({ client, server }) => {
		const states = ['running', 'queued', 'failed', 'cancelled', 'interrupted', 'dreaming', 'awake'];
		const json = {
			tasks: states.map(status => ({ id: status, status, ...(status === 'awake' && { completedAt: '2026-11-21' }) })),
			hasMore: false,
		};
		server.answer(isTaskRequest('GET', '/api/tasks'), { status: 200, headers: {}, json });
		const read = (await client.tasks.list()).tasks;
		assert.deepEqual(
			read.map(({ status }) => status),
			states,
		);
		assert.deepEqual(idsOf(read.filter(isActiveTask)), ['running', 'queued', 'dreaming']);
	});
});

describe('the list of tasks', () => {
	prove(
		'cloud-tasks/get-cloud-url-api-tasks/1',
		'has the limit that was asked for',
		async ({ client, lastRequest }) => {
			const page = await client.tasks.list({ limit: 3 });
			assert.deepEqual(idsOf(page.tasks), idsOf(tasks.slice(0, 3)));
			assert.deepEqual([page.limit, page.offset, page.hasMore], [3, 0, true]);
			assert.deepEqual(lastRequest().query, { limit: '3' });
			assert.equal((await client.tasks.list()).limit, 50);
			assert.deepEqual(lastRequest().query, {});
		},
	);

	prove(
		['cloud-tasks/get-cloud-url-api-tasks/1', 'cloud-tasks/get-cloud-url-api-tasks/2', `${LIST}/1`, `${LIST}/2`],
		'tells the limit and the offset that the service used, whatever was asked for',
		async ({ client, server }) => {
			const answer = (json: object) =>
				server.answer(isTaskRequest('GET', '/api/tasks'), { status: 200, headers: {}, json });
			answer({ tasks: [], hasMore: true, offset: 4, limit: 20 });
			const page = { tasks: [], hasMore: true, offset: 4, limit: 20 };
			assert.deepEqual(await client.tasks.list({ limit: 100, offset: 5 }), page);
			answer({ tasks: [] });
			const asked = { tasks: [], hasMore: false, offset: 5, limit: 100 };
			assert.deepEqual(await client.tasks.list({ limit: 100, offset: 5 }), asked);
			assert.deepEqual(await client.tasks.list(), { tasks: [], hasMore: false, offset: 0, limit: 50 });
		},
	);

	prove(
		['cloud-tasks/get-cloud-url-api-tasks/2', `${LIST}/3`],
		'begins at the offset, and is read to its end',
		async context => {
			const { client, connect } = context;
			const page = await client.tasks.list({ offset: 14 });
			assert.deepEqual(idsOf(page.tasks), idsOf(tasks.slice(14)));
			assert.deepEqual([page.offset, page.hasMore], [14, false]);
			const read: string[] = [];
			for await (const lot of connect({}, { cloud: specialKeys.manyTasks }).tasks.pages()) {
				read.push(...idsOf(lot));
			}
			assert.deepEqual(read, idsOf(manyTasks));
		},
	);

	prove('cloud-tasks/get-cloud-url-api-tasks/3', 'is filtered by batch', async ({ client, lastRequest }) => {
		assert.deepEqual(idsOf((await client.tasks.list({ filter: 'batch' })).tasks), [taskIds.batch]);
		assert.deepEqual(lastRequest().query, { filter: 'batch' });
		const others = idsOf(tasks).filter(id => id !== taskIds.batch);
		assert.deepEqual(idsOf((await client.tasks.list({ filter: 'tasks' })).tasks), others);
		assert.deepEqual(idsOf((await client.tasks.list({ filter: 'all' })).tasks), idsOf(tasks));
	});

	prove(['cloud-tasks/get-cloud-url-api-tasks/4', ACTIVE], 'is filtered by state', async ({ client }) => {
		for (const [status, states] of [
			['active', ['pending', 'processing', 'saving']],
			['completed', ['completed']],
			['failed', ['error', 'timeout']],
			['stopped', ['stopped']],
		] as const) {
			const listed = (await client.tasks.list({ status })).tasks;
			const expected = tasks.filter(task => (states as readonly string[]).includes(task.status));
			assert.deepEqual(idsOf(listed), idsOf(expected));
			assert.ok(listed.every(task => isActiveTask(task) === (status === 'active')));
		}
	});

	prove('cloud-tasks/limits/1', 'is not asked for out of its ranges', async ({ client, server, lastRequest }) => {
		for (const query of [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { offset: -1 }]) {
			assert.equal((await failureOf(client.tasks.list(query)))[0], 'invalid-request');
		}
		assert.equal(server.received.length, 0);
		for (const limit of [1, 100]) {
			assert.equal((await client.tasks.list({ limit })).limit, limit);
			assert.deepEqual(lastRequest().query, { limit: String(limit) });
		}
		const { limit, offset } = await client.tasks.list();
		assert.deepEqual([limit, offset, lastRequest().query], [50, 0, {}]);
		const { tasks: all } = await client.tasks.list({ limit: 100, offset: 0 });
		assert.deepEqual(lastRequest().query, { limit: '100', offset: '0' });
		assert.ok(all.every(({ progress = -1 }) => progress >= 0 && progress <= 100));
	});

	prove(['cloud-tasks/errors/1', `${LIST}/1`, `${LIST}/4`], 'may be empty', async ({ client, connect }) => {
		assert.equal((await client.tasks.list()).tasks.length, tasks.length);
		const empty = await connect({}, { cloud: specialKeys.withoutTasks }).tasks.list();
		assert.deepEqual(empty, { tasks: [], hasMore: false, offset: 0, limit: 50 });
	});

	for (const [position, key, failure] of [
		[2, 'qcl_of-nobody', ['unauthorised', 401, 'Please provide valid credentials']],
		[3, specialKeys.outsideTeam, ['forbidden', 403, 'You are not a member of the selected team']],
		[4, specialKeys.brokenDatabase, ['server', 500, 'The database operation failed']],
	] as const) {
		const what = `says ${failure[0]} after ${failure[1]}`;
		prove(`cloud-tasks/errors/${position}`, what, async ({ connect, server }) => {
			assert.deepEqual(await failureOf(connect({}, { cloud: key }).tasks.list()), failure);
			assert.equal(server.received.length, 1);
		});
	}

	prove('cloud-tasks/errors/2', 'is not asked for without a key', async ({ connect, server }) => {
		assert.equal((await failureOf(connect({}, { cloud: undefined }).tasks.list()))[0], 'no-key');
		assert.equal(server.received.length, 0);
	});
});

describe('a new task', () => {
	const request = {
		prompt: 'Add a lamp',
		repoUrl,
		selectedBranch: 'main',
		selectedAgent: 'smith',
		selectedModel: 'smith-pro',
		installDependencies: true,
		maxDuration: 90,
	};

	prove(['unspecified/cloud-tasks/1', 'cloud-tasks/limits/2'], 'is asked for with its fields', async context => {
		const { client, lastRequest } = context;
		const task = await client.tasks.create(request);
		assert.deepEqual(lastRequest().json, request);
		const { prompt, maxDuration, status } = task;
		assert.deepEqual([prompt, maxDuration, status], [request.prompt, 90, 'pending']);
		assert.equal((await client.tasks.get(task.id)).prompt, request.prompt);
		assert.equal((await client.tasks.create({ prompt: 'bare', repoUrl })).prompt, 'bare');
		for (const maximum of [0, -1]) {
			const refused = await failureOf(client.tasks.create({ ...request, maxDuration: maximum }));
			// Without a status: it was never sent.
			assert.deepEqual(refused.slice(0, 2), ['invalid-request', undefined]);
		}
		const { status: ended, error } = await client.tasks.get(taskIds.timedOut);
		assert.deepEqual([ended, error], ['timeout', 'Longer than 1800 seconds']);
	});

	prove('unspecified/cloud-tasks/1', 'is refused for its reason', async ({ client, connect }) => {
		for (const [key, code, status] of [
			['qcl_of-nobody', 'unauthorised', 401],
			[specialKeys.withoutCredit, 'payment-required', 402],
			[specialKeys.outsideTeam, 'forbidden', 403],
			[specialKeys.withoutSourceLink, 'source-link-missing', 404],
			[specialKeys.brokenSource, 'upstream', 502],
		] as const) {
			const failure = await failureOf(connect({}, { cloud: key }).tasks.create(request));
			assert.deepEqual(failure.slice(0, 2), [code, status]);
			assert.ok(failure[2]);
		}
		const refused = await failureOf(client.tasks.create({ ...request, selectedAgent: 'nobody' }));
		assert.deepEqual(refused.slice(0, 2), ['invalid-request', 400]);
		assert.match(refused[2] ?? '', /selectedAgent/);
	});

	prove('unspecified/cloud-tasks/2', 'may have several agents', async ({ client, lastRequest }) => {
		const selectedAgents = [
			{ agent: 'mason', model: 'mason-small' },
			{ agent: 'weaver', model: 'weaver-3' },
		];
		const task = await client.tasks.create({ prompt: 'Add a lamp', repoUrl, selectedAgents });
		assert.deepEqual(lastRequest().json, { prompt: 'Add a lamp', repoUrl, selectedAgents });
		assert.equal(task.multiLaunch, true);
		assert.deepEqual(task.selectedAgents, selectedAgents);
		assert.deepEqual(
			task.agentExecutions?.map(({ agent, status, branchName, gitDiff }) => [agent, status, branchName, gitDiff]),
			[
				['mason', 'pending', 'agent/mason-0', undefined],
				['weaver', 'pending', 'agent/weaver-1', undefined],
			],
		);
		for (const beside of [{ selectedAgent: 'smith' }, { selectedModel: 'smith-pro' }]) {
			const both = { prompt: 'Add a lamp', repoUrl, selectedAgents, ...beside };
			const refused = await failureOf(client.tasks.create(both));
			assert.deepEqual(refused.slice(0, 2), ['invalid-request', undefined]);
		}
	});

	prove('unspecified/cloud-tasks/7', 'is asked for once, whatever comes back', async ({ client, server }) => {
		for (const status of [429, 503]) {
			server.answer(({ method }) => method === 'POST', { status, headers: { 'retry-after': '0' }, json: {} });
			const before = server.received.length;
			assert.equal((await failureOf(client.tasks.create(request)))[1], status);
			assert.equal((await failureOf(client.tasks.continue(taskIds.completed, { prompt: 'x' })))[1], status);
			assert.equal(server.received.length, before + 2);
		}
	});

	prove('unspecified/cloud-tasks/14', 'takes the agents of the connection', async ({ client }) => {
		for (const { id, models } of agents) {
			for (const model of models) {
				const task = await client.tasks.create({ prompt: 'x', repoUrl, selectedAgent: id, selectedModel: model });
				assert.deepEqual([task.selectedAgent, task.selectedModel], [id, model]);
			}
		}
	});
});

describe('one task', () => {
	prove('unspecified/cloud-tasks/3', 'is read by its id, and else looked for in the list', async context => {
		const { client, server } = context;
		for (const id of [taskIds.completed, taskIds.bare, taskIds.encoded]) {
			assert.equal((await client.tasks.get(id)).id, id);
		}
		assert.equal(server.received.length, 3);
		assert.deepEqual(await failureOf(client.tasks.get('task-of-nobody')), ['not-found', 404, 'Task not found']);
		server.answer(isTaskRequest('GET', `/api/tasks/${taskIds.failed}`), { status: 404, headers: {}, json: {} });
		assert.equal((await client.tasks.get(taskIds.failed)).error, 'The build failed with code 2');
	});

	prove('unspecified/cloud-tasks/4', 'is stopped by an action', async ({ client, lastRequest }) => {
		const stopped = await client.tasks.stop(taskIds.processing);
		assert.deepEqual([stopped.id, stopped.status], [taskIds.processing, 'stopped']);
		assert.deepEqual([lastRequest().method, lastRequest().path], ['PATCH', `/api/tasks/${taskIds.processing}`]);
		assert.deepEqual(lastRequest().json, { action: 'stop' });
		assert.equal((await client.tasks.get(taskIds.processing)).status, 'stopped');
	});

	prove('unspecified/cloud-tasks/5', 'is given a further prompt, and its log goes on', async context => {
		const { client, server, lastRequest } = context;
		const id = taskIds.completed;
		await client.tasks.continue(id, { prompt: 'And a flag', agent: 'smith', model: 'smith-lite' });
		assert.deepEqual([lastRequest().method, lastRequest().path], ['POST', `/api/tasks/${id}/continue`]);
		const body = { currentPrompt: 'And a flag', selectedAgent: 'smith', selectedModel: 'smith-lite' };
		assert.deepEqual(lastRequest().json, body);
		const task = await client.tasks.get(id);
		assert.ok(isActiveTask(task));
		assert.equal(task.selectedAgent, 'smith');
		const messages: unknown[] = [];
		for await (const event of client.tasks.follow(id, { fromIndex: 6 })) {
			messages.push(...(event.type === 'log' ? [event.entry.message] : []));
		}
		assert.deepEqual(messages, ['Going on: And a flag', 'Committed again']);
		const refusal = { success: false, message: 'The sandbox is gone' };
		server.answer(isTaskRequest('POST', `/api/tasks/${id}/continue`), { status: 200, headers: {}, json: refusal });
		assert.equal((await failureOf(client.tasks.continue(id, { prompt: 'x' })))[2], 'The sandbox is gone');
	});
});

/** Calls every function of the client that reaches the cloud host. */
async function useAll(client: Client): Promise<void> {
	await client.tasks.list();
	await client.tasks.get(taskIds.completed);
	await client.tasks.create({ prompt: 'x', repoUrl });
	await client.tasks.stop(taskIds.pending);
	await client.tasks.continue(taskIds.completed, { prompt: 'x' });
	for await (const _ of client.tasks.pages()) {
	}
	for await (const _ of client.tasks.follow(taskIds.failed)) {
	}
	await client.sources.organisations();
	await client.sources.repositories('harbour-crew');
	await client.sources.branches('harbour-crew', 'harbour');
}

describe('the token of the task service', () => {
	prove(['cloud-tasks/authentication/1', 'cloud-tasks/authentication/2'], 'goes out on every call', async context => {
		const { client, server } = context;
		await useAll(client);
		assert.ok(server.received.some(({ path }) => path.endsWith('/stream')));
		for (const { host, headers, path } of server.received) {
			assert.equal(host, 'cloud');
			assert.equal(headers.authorization, `Bearer ${server.keys.cloud}`, path);
		}
	});

	prove(
		['cloud-tasks/authentication/7', 'cloud-tasks/authentication/8', 'unspecified/cloud-tasks/13'],
		'stands in no address, no body and no log',
		async ({ client, connect, server, logged }: ProofContext) => {
			await useAll(client);
			await client.agentTasks.list();
			await failureOf(connect({}, { cloud: 'qcl_of-nobody' }).tasks.list());
			const keys = [...Object.values(server.keys), 'qcl_of-nobody'];
			assert.ok(logged.length > 0);
			for (const text of [
				...server.received.map(({ path, query, text }) => `${path} ${JSON.stringify(query)} ${text}`),
				...logged,
			]) {
				assert.ok(!keys.some(key => text.includes(key)), text);
			}
		},
	);

	prove('unspecified/cloud-tasks/6', 'is used for nothing but the documented calls', async ({ client, server }) => {
		await useAll(client);
		const methods = ['continue', 'create', 'follow', 'get', 'list', 'pages', 'stop'];
		assert.deepEqual(Object.keys(client.tasks).sort(), methods);
		assert.deepEqual([...new Set(server.received.map(({ method }) => method))].sort(), ['GET', 'PATCH', 'POST']);
	});
});
