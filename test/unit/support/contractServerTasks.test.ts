import assert from 'node:assert/strict';
import { scm, specialKeys } from '../../support/contractServer/fixtures.ts';
import {
	agentTasks,
	branches,
	logEntries,
	organisations,
	repositories,
	strangersTaskId,
	taskIds,
	tasks,
} from '../../support/contractServer/taskFixtures.ts';
import { Asker, events, type Json, refused } from './askContractServer.ts';

describe('contract server: tasks', () => {
	const at = new Asker();

	const ids = (json: Json): string[] => json.tasks.map(({ id }: Json) => id);

	it('lists with the documented defaults, and by page', async () => {
		const { json } = await at.ask('cloud', '/api/tasks');
		assert.deepEqual(json, { tasks, hasMore: false, offset: 0, limit: 50 });
		const page = (await at.ask('cloud', '/api/tasks?limit=2&offset=1')).json;
		assert.deepEqual(ids(page), [taskIds.processing, taskIds.pending]);
		assert.deepEqual([page.hasMore, page.offset, page.limit], [true, 1, 2]);
		assert.equal((await at.ask('cloud', '/api/tasks', { key: specialKeys.withoutTasks })).json.tasks.length, 0);
		const many = (await at.ask('cloud', '/api/tasks?limit=100&offset=200', { key: specialKeys.manyTasks })).json;
		assert.deepEqual([many.tasks.length, many.hasMore], [30, false]);
	});

	it('filters by batch and by status', async () => {
		assert.deepEqual(ids((await at.ask('cloud', '/api/tasks?filter=batch')).json), [taskIds.batch]);
		assert.ok(!ids((await at.ask('cloud', '/api/tasks?filter=tasks')).json).includes(taskIds.batch));
		const active = ids((await at.ask('cloud', '/api/tasks?status=active')).json);
		assert.ok(
			active.includes(taskIds.pending) && active.includes(taskIds.saving) && !active.includes(taskIds.completed),
		);
		assert.deepEqual(ids((await at.ask('cloud', '/api/tasks?status=stopped')).json), [taskIds.stopped]);
	});

	for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'filter=mine', 'status=pending', 'page=1']) {
		it(`refuses the list with ${query}`, () =>
			refused(at.ask('cloud', `/api/tasks?${query}`), 400, query.split('=')[0] ?? ''));
	}

	it('reaches the error statuses by key', async () => {
		assert.equal((await at.ask('cloud', '/api/tasks', { key: 'qcl_wrong' })).status, 401);
		assert.equal((await at.ask('cloud', '/api/tasks', { key: specialKeys.outsideTeam })).status, 403);
		assert.equal((await at.ask('cloud', '/api/tasks', { key: specialKeys.brokenDatabase })).status, 500);
		for (const [key, status] of [
			[specialKeys.withoutCredit, 402],
			[specialKeys.outsideTeam, 403],
			[specialKeys.withoutSourceLink, 404],
			[specialKeys.brokenSource, 502],
		] as const) {
			assert.equal((await at.ask('cloud', '/api/tasks', { key, body: { prompt: 'p' } })).status, status);
		}
	});

	it('creates, reads, stops and continues a task', async () => {
		const fields = {
			prompt: 'Build a pier',
			repoUrl: 'https://forge.example/a/b.git',
			selectedBranch: 'main',
			selectedAgent: 'smith',
			selectedModel: 'smith-lite',
			installDependencies: false,
			maxDuration: 600,
		};
		const { task } = (await at.ask('cloud', '/api/tasks', { body: fields })).json;
		assert.deepEqual({ ...task, ...fields }, task);
		assert.equal(ids((await at.ask('cloud', '/api/tasks')).json)[0], task.id);
		const path = `/api/tasks/${task.id}`;
		await refused(at.ask('cloud', `${path}/continue`, { body: { currentPrompt: 'More' } }), 409, 'running');
		const stopped = (await at.ask('cloud', path, { method: 'PATCH', body: { action: 'stop' } })).json;
		assert.equal(stopped.task.status, 'stopped');
		await refused(at.ask('cloud', path, { method: 'PATCH', body: { action: 'stop' } }), 409, 'not running');
		await refused(at.ask('cloud', path, { method: 'PATCH', body: { action: 'pause' } }), 400, 'action');
		const body = { currentPrompt: 'More', selectedModel: 'smith-pro' };
		assert.equal((await at.ask('cloud', `${path}/continue`, { body })).json.success, true);
		const again = (await at.ask('cloud', path)).json.task;
		assert.deepEqual([again.status, again.selectedModel], ['processing', 'smith-pro']);
		const log = events((await stream(task.id)).text).filter(({ event }) => event === 'log');
		assert.equal(log.length, logEntries.length + 2);
	});

	it('creates a task for several agents, and answers bare where asked', async () => {
		const selectedAgents = [
			{ agent: 'mason', model: 'mason-small' },
			{ agent: 'joiner', model: 'joiner-1' },
		];
		const { task } = (await at.ask('cloud', '/api/tasks', { body: { prompt: 'p', selectedAgents } })).json;
		assert.deepEqual(task.selectedAgents, selectedAgents);
		assert.equal(task.agentExecutions.length, 2);
		assert.equal((await at.ask('cloud', '/api/tasks', { body: { prompt: 'bare' } })).json.prompt, 'bare');
		assert.equal((await at.ask('cloud', `/api/tasks/${taskIds.bare}`)).json.id, taskIds.bare);
	});

	const wrong: [string, object][] = [
		['prompt', {}],
		['prompt', { prompt: ' ' }],
		['repoUrl', { prompt: 'p', repoUrl: '/home/me' }],
		['selectedAgent', { prompt: 'p', selectedAgent: 'nobody' }],
		['selectedModel', { prompt: 'p', selectedAgent: 'weaver', selectedModel: 'smith-pro' }],
		['installDependencies', { prompt: 'p', installDependencies: 'yes' }],
		['maxDuration', { prompt: 'p', maxDuration: 0 }],
		[
			'selectedAgents',
			{ prompt: 'p', selectedAgent: 'mason', selectedAgents: [{ agent: 'mason', model: 'mason-large' }] },
		],
		['teamId', { prompt: 'p', teamId: 't' }],
	];
	for (const [field, body] of wrong) {
		it(`refuses to create ${JSON.stringify(body)}`, () => refused(at.ask('cloud', '/api/tasks', { body }), 400, field));
	}

	function stream(id: string, query = '') {
		return at.ask('cloud', `/api/tasks/${encodeURIComponent(id)}/stream${query}`, {
			headers: { accept: 'text/event-stream' },
		});
	}

	it('streams a running task to its end: connected, status, log, saving, complete', async () => {
		const sent = events((await stream(taskIds.processing)).text);
		assert.equal(sent[0]?.event, 'connected');
		assert.equal(sent[0]?.data.fromIndex, 0);
		assert.deepEqual(
			sent.filter(({ event }) => event === 'log').map(({ data }) => data.log),
			logEntries,
		);
		assert.deepEqual(
			sent.filter(({ event }) => event === 'status').map(({ data }) => data.status),
			['processing', 'saving'],
		);
		assert.equal(sent.at(-1)?.event, 'complete');
		assert.equal(sent.at(-1)?.data.totalLogs, logEntries.length);
		assert.equal((await at.ask('cloud', `/api/tasks/${taskIds.processing}`)).json.task.status, 'completed');
	});

	it('streams from an index on, without status where asked', async () => {
		const sent = events((await stream(taskIds.completed, '?fromIndex=4&includeStatus=false')).text);
		assert.deepEqual(
			sent.map(({ event, data }) => [event, data.index]),
			[
				['connected', undefined],
				['log', 4],
				['log', 5],
				['complete', undefined],
			],
		);
	});

	it('breaks a first stream off, leaves entries out, and has them the second time', async () => {
		const indexes = async (id: string) =>
			events((await stream(id)).text)
				.filter(({ event }) => event === 'log')
				.map(({ data }) => data.index);
		assert.deepEqual(await indexes(taskIds.cut), [0, 1, 2]);
		assert.deepEqual(await indexes(taskIds.cut), [0, 1, 2, 3, 4, 5]);
		assert.deepEqual(await indexes(taskIds.gap), [0, 1, 3, 4, 5]);
		assert.deepEqual(await indexes(taskIds.late), [0, 1, 2, 3, 4]);
		assert.deepEqual(await indexes(taskIds.late), [0, 1, 2, 3, 4, 5]);
		assert.equal(events((await stream(taskIds.streamError)).text).at(-1)?.event, 'error');
	});

	it('shows own, team and public tasks, and no stranger’s', async () => {
		for (const id of [taskIds.team, taskIds.public, taskIds.encoded]) {
			assert.equal((await stream(id)).status, 200);
		}
		assert.deepEqual((await stream(strangersTaskId)).json, { error: 'Task not found' });
		await refused(stream(taskIds.completed, '?fromIndex=-1'), 400, 'fromIndex');
		await refused(stream(taskIds.completed, '?includeStatus=1'), 400, 'includeStatus');
		await refused(at.ask('cloud', `/api/tasks/${taskIds.completed}/stream`), 406, 'Accept');
		const unknown = await at.ask('cloud', `/api/tasks/${taskIds.completed}/stream`, { key: null });
		assert.deepEqual([unknown.status, typeof unknown.json.error], [401, 'string']);
	});
});

describe('contract server: look-ups and agent tasks', () => {
	const at = new Asker();

	it('gives organisations, repositories and branches', async () => {
		assert.deepEqual((await at.ask('cloud', `/api/${scm}/orgs`)).json, organisations);
		assert.deepEqual(
			(await at.ask('cloud', `/api/${scm}/repos?owner=harbour-crew`)).json,
			repositories['harbour-crew'],
		);
		assert.deepEqual((await at.ask('cloud', `/api/${scm}/branches?owner=harbour-crew&repo=harbour`)).json, branches);
	});

	const errors: [string, string | undefined, number][] = [
		['repos', undefined, 400],
		['branches?owner=harbour-crew', undefined, 400],
		['branches?owner=harbour-crew&repo=none', undefined, 404],
		['orgs?owner=a', undefined, 400],
		['orgs', 'qcl_wrong', 401],
		['orgs', specialKeys.withoutSourceLink, 404],
		['repos?owner=a', specialKeys.brokenSource, 502],
		['orgs', specialKeys.brokenDatabase, 500],
	];
	for (const [path, key, status] of errors) {
		it(`answers ${path} with ${status}${key === undefined ? '' : ` for ${key}`}, in the documented shape`, async () => {
			const answer = await at.ask('cloud', `/api/${scm}/${path}`, key === undefined ? {} : { key });
			assert.equal(answer.status, status);
			assert.equal(answer.json.status, status);
			assert.deepEqual(Object.keys(answer.json).sort(), ['error', 'message', 'status']);
		});
	}

	it('lists agent tasks by page and status, also as a bare array', async () => {
		const { json } = await at.ask('agent', '/api/v1/tasks?limit=2&page=2');
		assert.deepEqual(json, { tasks: agentTasks.slice(2, 4), page: 2, limit: 2, hasMore: true });
		assert.equal((await at.ask('agent', '/api/v1/tasks?status=failed')).json.tasks.length, 1);
		assert.deepEqual((await at.ask('agent', '/api/v1/tasks', { key: specialKeys.agentBareList })).json, agentTasks);
		await refused(at.ask('agent', '/api/v1/tasks?status=stopped'), 400, 'status');
	});

	it('refuses an agent key that is wrong, deleted or without a plan', async () => {
		for (const key of [null, 'sk-wrong', specialKeys.deletedAgent, at.server.keys.inference]) {
			const { status, json } = await at.ask('agent', '/api/v1/tasks', { key });
			assert.deepEqual([status, json], [401, { error: 'Unauthorized' }]);
		}
		await refused(at.ask('agent', '/api/v1/tasks', { key: specialKeys.agentWithoutPlan }), 403, 'Pro');
	});
});
