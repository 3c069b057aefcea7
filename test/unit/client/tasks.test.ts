import assert from 'node:assert/strict';
import { ClientError } from '../../../src/client/core/errors.ts';
import type { TaskCreateRequest } from '../../../src/contract/tasks.ts';
import { type Answer, FaultServer, sendJson } from '../../support/faultServer.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const row = (index: number) => ({ id: `t${index}`, prompt: `Task ${index}`, status: 'completed' });
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => row(from + index));

describe('client.tasks', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = (answer: Answer) => {
		server.answer = answer;
	};
	/** A list of `total` tasks, paged as the contract says. */
	const serveList = (total: number): Answer => {
		const tasks = rows(0, total);
		return (response, { query }) => {
			const offset = Number(query.get('offset') ?? 0);
			const limit = Number(query.get('limit') ?? 50);
			sendJson(response, 200, {
				tasks: tasks.slice(offset, offset + limit),
				hasMore: offset + limit < total,
				offset,
				limit,
			});
		};
	};

	beforeEach(async () => {
		server = await FaultServer.start(serveList(0));
		client = testClient(server.origin);
	});
	afterEach(() => server.stop());

	describe('list', () => {
		it('sends what was asked for and gives the page', async () => {
			serve(serveList(120));
			const page = await client.tasks.list({ limit: 10, offset: 5, filter: 'tasks', status: 'active' });
			assert.deepEqual(
				page.tasks.map(({ id }) => id),
				rows(5, 15).map(({ id }) => id),
			);
			assert.deepEqual({ ...page, tasks: [] }, { tasks: [], hasMore: true, offset: 5, limit: 10 });
			const [received] = server.received;
			assert.equal(received?.path, '/api/tasks');
			assert.equal(received?.query.toString(), 'limit=10&offset=5&filter=tasks&status=active');
			assert.equal(received?.headers.authorization, 'Bearer sk-cloud');
		});

		it('sends no query of its own', async () => {
			await client.tasks.list();
			assert.equal(server.received[0]?.query.toString(), '');
		});

		it('leaves out rows that do not fit, keeps unknown fields and takes None for absent', async () => {
			serve(response =>
				sendJson(response, 200, {
					tasks: [
						null,
						7,
						{ prompt: 'no id' },
						{ id: '' },
						{ id: 'a', status: 'dreaming', progress: '50', branchName: 'None', prUrl: null, extra: 1, prompt: 'None' },
					],
				}),
			);
			const page = await client.tasks.list({ offset: 3 });
			assert.equal(page.tasks.length, 1);
			const [task] = page.tasks;
			assert.equal(task?.status, 'dreaming');
			assert.equal(task?.progress, undefined);
			assert.equal(task?.branchName, undefined);
			assert.equal(task?.prompt, 'None');
			assert.equal(task?.['extra'], 1);
			assert.deepEqual({ ...page, tasks: [] }, { tasks: [], hasMore: false, offset: 3, limit: 50 });
		});

		for (const [what, body] of [
			['a list', []],
			['no list in it', { hello: 1 }],
			['an object for a list', { tasks: {} }],
			['null', null],
		] as const) {
			it(`takes ${what} for a bad response, not for an empty list`, async () => {
				serve(response => sendJson(response, 200, body));
				await assert.rejects(client.tasks.list(), { code: 'bad-response' });
			});
		}

		it('takes a list that is null for an empty one', async () => {
			serve(response => sendJson(response, 200, { tasks: null, hasMore: false }));
			assert.deepEqual((await client.tasks.list()).tasks, []);
		});
	});

	describe('pages', () => {
		it('gives every task once, asking for a page only when it is read', async () => {
			serve(serveList(120));
			const pages = client.tasks.pages({ status: 'completed' })[Symbol.asyncIterator]();
			assert.equal(server.received.length, 0);
			assert.equal((await pages.next()).value?.length, 50);
			assert.equal(server.received.length, 1);
			assert.equal((await pages.next()).value?.length, 50);
			assert.equal((await pages.next()).value?.length, 20);
			assert.equal((await pages.next()).done, true);
			assert.deepEqual(
				server.received.map(({ query }) => query.get('offset')),
				['0', '50', '100'],
			);
			assert.ok(server.received.every(({ query }) => query.get('status') === 'completed'));
		});

		it('gives a task once that moved to the next page while it was read', async () => {
			serve((response, { query }) => {
				const offset = Number(query.get('offset'));
				sendJson(response, 200, { tasks: offset === 0 ? rows(0, 50) : rows(48, 90), hasMore: offset === 0 });
			});
			const { events } = await collect(client.tasks.pages());
			assert.deepEqual(
				events.flat().map(({ id }) => id),
				rows(0, 90).map(({ id }) => id),
			);
		});

		it('counts rows that do not fit when it asks for the next page', async () => {
			serve((response, { query }) => {
				const offset = Number(query.get('offset'));
				sendJson(response, 200, { tasks: offset === 0 ? [null, ...rows(0, 9)] : [], hasMore: offset === 0 });
			});
			await collect(client.tasks.pages());
			assert.deepEqual(
				server.received.map(({ query }) => query.get('offset')),
				['0', '10'],
			);
		});

		for (const [what, tasks] of [
			['the same page for ever', rows(0, 50)],
			['empty pages for ever', []],
			['rows for ever that do not fit', [null, null]],
		] as const) {
			it(`ends though the service gives ${what}`, async () => {
				serve(response => sendJson(response, 200, { tasks, hasMore: true }));
				const { events, error } = await collect(client.tasks.pages());
				assert.equal(error, undefined);
				assert.ok(server.received.length <= 2);
				assert.equal(events.flat().length, tasks.filter(task => task !== null).length);
			});
		}
	});

	describe('get', () => {
		for (const [what, body] of [
			['wrapped', { task: row(1) }],
			['bare', row(1)],
		] as const) {
			it(`reads a task that comes ${what}`, async () => {
				serve(response => sendJson(response, 200, body));
				assert.equal((await client.tasks.get('t 1/é')).id, 't1');
				assert.equal(server.received[0]?.path, '/api/tasks/t%201%2F%C3%A9');
			});
		}

		it('looks for it in the list when the service does not know it by its id', async () => {
			const list = serveList(250);
			serve((response, received) =>
				received.path === '/api/tasks' ? list(response, received) : sendJson(response, 404, { error: 'no such route' }),
			);
			assert.equal((await client.tasks.get('t220')).prompt, 'Task 220');
			assert.equal(server.received.length, 4);
		});

		it('throws not-found when the list has it neither', async () => {
			const list = serveList(3);
			serve((response, received) =>
				received.path === '/api/tasks'
					? list(response, received)
					: sendJson(response, 404, { error: 'Task not found' }),
			);
			await assert.rejects(client.tasks.get('t9'), {
				code: 'not-found',
				status: 404,
				serviceMessage: 'Task not found',
			});
		});

		it('refuses a reply without a task', async () => {
			serve(response => sendJson(response, 200, { task: null }));
			await assert.rejects(client.tasks.get('t1'), { code: 'bad-response' });
		});

		for (const id of ['', '.', '..', '\ud800']) {
			it(`refuses an id that cannot stand in an address (${JSON.stringify(id)})`, async () => {
				await assert.rejects(client.tasks.get(id), { code: 'invalid-request' });
				assert.equal(server.received.length, 0);
			});
		}
	});

	describe('create', () => {
		const request: TaskCreateRequest = {
			prompt: 'Fix it',
			repoUrl: 'https://host.example/acme/widgets',
			selectedBranch: 'main',
			selectedAgent: 'agent-a',
			selectedModel: 'large',
			installDependencies: true,
			maxDuration: 1800,
		};

		it('sends the request as it is and gives the task', async () => {
			serve(response => sendJson(response, 201, { task: row(1) }));
			assert.equal((await client.tasks.create(request)).id, 't1');
			const [received] = server.received;
			assert.equal(received?.method, 'POST');
			assert.deepEqual(JSON.parse(received?.body ?? ''), request);
		});

		it('says that the task may be there when the reply holds none', async () => {
			serve(response => sendJson(response, 200, { ok: true }));
			await assert.rejects(client.tasks.create(request), error => {
				assert.ok(ClientError.is(error, 'bad-response'));
				assert.match(error.message, /may have been created/);
				return true;
			});
			assert.equal(server.received.length, 1);
		});

		it('sends nothing that is not documented', async () => {
			const wrong = { ...request, apiKey: 'sk-x' } as TaskCreateRequest;
			await assert.rejects(client.tasks.create(wrong), { code: 'invalid-request' });
			assert.equal(server.received.length, 0);
		});
	});

	describe('stop', () => {
		it('asks for the stop and gives the task as the service has it then', async () => {
			serve(response => sendJson(response, 200, { message: 'Stopped', task: { ...row(1), status: 'stopped' } }));
			assert.equal((await client.tasks.stop('t1')).status, 'stopped');
			const [received] = server.received;
			assert.equal(received?.method, 'PATCH');
			assert.equal(received?.path, '/api/tasks/t1');
			assert.deepEqual(JSON.parse(received?.body ?? ''), { action: 'stop' });
		});

		it('asks for the task when the reply holds none', async () => {
			serve((response, { method }) =>
				sendJson(response, 200, method === 'PATCH' ? { message: 'Stopped' } : { task: row(1) }),
			);
			assert.equal((await client.tasks.stop('t1')).id, 't1');
		});
	});
});
