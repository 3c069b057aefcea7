import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { TaskCreateRequest } from '../../../src/contract/tasks.ts';
import { type Answer, FaultServer, sendJson } from '../../support/faultServer.ts';
import { type TestClient, testClient } from './testClient.ts';

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

		it('takes 403 for not being in the team, with the service’s sentence', async () => {
			serve(response => sendJson(response, 403, { error: 'Not a member of the selected team' }));
			await assert.rejects(client.tasks.list(), {
				code: 'forbidden',
				status: 403,
				serviceMessage: 'Not a member of the selected team',
			});
		});

		it('takes a list that is null for an empty one', async () => {
			serve(response => sendJson(response, 200, { tasks: null, hasMore: false }));
			assert.deepEqual((await client.tasks.list()).tasks, []);
		});
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

		it('sends several agents in place of one, and reads what came of each', async () => {
			const { selectedAgent: _, selectedModel: __, ...rest } = request;
			const several: TaskCreateRequest = {
				...rest,
				selectedAgents: [
					{ agent: 'agent-a', model: 'large' },
					{ agent: 'agent-b', model: 'small' },
				],
			};
			const execution = { agent: 'agent-a', status: 'completed', branchName: 'b1', gitDiff: '+1', extra: 1 };
			serve(response =>
				sendJson(response, 200, {
					task: {
						...row(1),
						multiLaunch: true,
						selectedAgents: several.selectedAgents,
						agentExecutions: [execution, 'lost', { agent: 'agent-b', branchName: 'None', gitDiff: null }],
					},
				}),
			);
			const task = await client.tasks.create(several);
			assert.deepEqual(JSON.parse(server.received[0]?.body ?? ''), several);
			assert.equal(task.multiLaunch, true);
			assert.deepEqual(task.selectedAgents, several.selectedAgents);
			assert.deepEqual(task.agentExecutions?.[0], execution);
			assert.deepEqual(JSON.parse(JSON.stringify(task.agentExecutions?.[1])), { agent: 'agent-b' });
		});

		for (const [what, fields] of [
			['several agents beside one', {}],
			['several agents beside an agent without a model', { selectedModel: undefined }],
			['several agents beside a model', { selectedAgent: undefined }],
			['a list of no agents', { selectedAgent: undefined, selectedModel: undefined, selectedAgents: [] }],
			[
				'an agent without a model',
				{ selectedAgent: undefined, selectedModel: undefined, selectedAgents: [{ agent: 'agent-a' }] },
			],
		] as const) {
			it(`refuses ${what}`, async () => {
				const wrong = { ...request, selectedAgents: [{ agent: 'agent-a', model: 'large' }], ...fields };
				await assert.rejects(client.tasks.create(wrong as TaskCreateRequest), (error: ClientError) => {
					assert.equal(error.code, 'invalid-request');
					assert.match(error.message, /^selectedAgents/);
					return true;
				});
				assert.equal(server.received.length, 0);
			});
		}

		for (const [status, code] of [
			[400, 'invalid-request'],
			[401, 'unauthorised'],
			[402, 'payment-required'],
			[403, 'forbidden'],
			[404, 'source-link-missing'],
			[429, 'rate-limited'],
			[500, 'server'],
			[502, 'upstream'],
			[503, 'server'],
		] as const) {
			it(`takes ${status} for ${code}, with the service’s sentence, and does not try again`, async () => {
				serve(response => sendJson(response, status, { error: 'So it is.' }));
				await assert.rejects(client.tasks.create(request), { code, status, serviceMessage: 'So it is.' });
				assert.equal(server.received.length, 1);
			});
		}

		it('does not try again when the connection breaks', async () => {
			serve(response => response.socket?.destroy() as never);
			await assert.rejects(client.tasks.create(request), { code: 'offline' });
			assert.equal(server.received.length, 1);
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

	it('takes a stop and a further prompt for accepted without a word about them', async () => {
		serve((response, { method }) => {
			if (method === 'GET') {
				sendJson(response, 200, { task: { ...row(1), status: 'stopped' } });
			} else {
				response.writeHead(method === 'PATCH' ? 204 : 202).end();
			}
		});
		assert.equal((await client.tasks.stop('t1')).status, 'stopped');
		assert.equal(await client.tasks.continue('t1', { prompt: 'More' }), undefined);
		serve(response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<form>'));
		await assert.rejects(client.tasks.stop('t1'), { code: 'bad-response', isPage: true });
		await assert.rejects(client.tasks.continue('t1', { prompt: 'More' }), { code: 'bad-response', isPage: true });
	});

	describe('continue', () => {
		it('sends the further prompt under the names that the service has for it', async () => {
			serve(response => sendJson(response, 200, { success: true, message: 'Continued' }));
			assert.equal(
				await client.tasks.continue('t 1', { prompt: 'And tests', agent: 'agent-a', model: 'large' }),
				undefined,
			);
			const [received] = server.received;
			assert.equal(received?.method, 'POST');
			assert.equal(received?.path, '/api/tasks/t%201/continue');
			assert.equal(received?.headers.authorization, 'Bearer sk-cloud');
			assert.deepEqual(JSON.parse(received?.body ?? ''), {
				currentPrompt: 'And tests',
				selectedAgent: 'agent-a',
				selectedModel: 'large',
			});
		});

		it('sends no agent and no model that were not given, and takes any reply of success', async () => {
			serve(response => sendJson(response, 200, {}));
			await client.tasks.continue('t1', { prompt: 'And tests' });
			assert.deepEqual(JSON.parse(server.received[0]?.body ?? ''), { currentPrompt: 'And tests' });
		});

		for (const [body, serviceMessage] of [
			[{ success: false, message: 'The task still runs.' }, 'The task still runs.'],
			[{ success: false, error: 'No sandbox.' }, 'No sandbox.'],
			[{ success: false }, undefined],
		] as const) {
			it(`takes ${JSON.stringify(body)} for a refusal`, async () => {
				serve(response => sendJson(response, 200, body));
				await assert.rejects(client.tasks.continue('t1', { prompt: 'x' }), {
					code: 'server',
					retryable: false,
					serviceMessage,
				});
			});
		}

		for (const status of [429, 503]) {
			it(`does not try again after ${status}`, async () => {
				serve(response => sendJson(response, status, {}));
				await assert.rejects(client.tasks.continue('t1', { prompt: 'x' }), { status });
				assert.equal(server.received.length, 1);
			});
		}

		it('does not try again when the connection breaks', async () => {
			serve(response => response.socket?.destroy() as never);
			await assert.rejects(client.tasks.continue('t1', { prompt: 'x' }), { code: 'offline' });
			assert.equal(server.received.length, 1);
		});

		it('refuses a blank prompt, and what is not documented', async () => {
			await assert.rejects(client.tasks.continue('t1', { prompt: ' ' }), { code: 'invalid-request' });
			const wrong = { prompt: 'x', currentPrompt: 'y' } as { prompt: string };
			await assert.rejects(client.tasks.continue('t1', wrong), { code: 'invalid-request' });
			assert.equal(server.received.length, 0);
		});
	});
});
