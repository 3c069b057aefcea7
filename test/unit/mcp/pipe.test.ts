import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientError, describeError } from '../../../src/base/errors.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import type { PipeCall } from '../../../src/contract/editorPipe.ts';
import { PIPE_VARIABLES } from '../../../src/contract/pipeVariables.ts';
import { logEntrySchema, type Task, taskSchema } from '../../../src/contract/tasks.ts';
import { type OpenPipe, openPipe, type PipeAnswers } from '../../../src/mcp/pipe.ts';
import { createEditorAccess } from '../../../src/mcp/server/editorAccess.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { waitFor } from '../../support/waitFor.ts';

const TASK: Task = taskSchema.parse({
	id: 'task-1',
	status: 'completed',
	prompt: 'Say what is here',
	repoUrl: 'https://host.example/a.git',
});

describe('the pipe between the MCP server and the editor', () => {
	let pipe: OpenPipe;
	/** The calls that have passed, with what they asked for. */
	let passed: [PipeCall, unknown][];
	/** Resolves the calls that wait. */
	let release: () => void;
	let wasAborted: boolean;
	let client: McpClient | undefined;

	beforeEach(async () => {
		passed = [];
		wasAborted = false;
		const waiting = new Promise<void>(resolve => {
			release = resolve;
		});
		const note = (call: PipeCall, asked: unknown) => void passed.push([call, asked]);
		const answers: PipeAnswers = {
			async list(asked, signal) {
				note('list', asked);
				signal.addEventListener('abort', () => {
					wasAborted = true;
				});
				await (asked.offset === 77 ? waiting : undefined);
				return { tasks: [TASK], hasMore: false, offset: 0, limit: 20 };
			},
			async get(asked) {
				note('get', asked);
				if (asked.id !== TASK.id) {
					throw new ClientError('not-found', `no ${asked.id}`);
				}
				return TASK;
			},
			async *follow(asked, signal) {
				note('follow', asked);
				const entry = logEntrySchema.parse({ type: 'info', message: 'ü'.repeat(100_000) });
				yield { type: 'log', index: asked.fromIndex, entry };
				yield { type: 'status', status: 'processing' };
				if (asked.id === 'endless') {
					await delay(60_000, undefined, { signal }).catch(() => {});
					return;
				}
				if (asked.id === 'failing') {
					throw new ClientError('server', 'it failed');
				}
				yield { type: 'complete', status: 'completed', message: undefined };
			},
			changes: async () => ({ results: [] }),
			diff: async () => ({ text: '+one', isCut: false }),
			async start(asked) {
				note('start', asked);
				return { done: false, reason: 'The user did not allow it.' };
			},
			continue: async () => ({ done: true, value: { task: TASK, isNew: false } }),
			stop: async () => ({ done: true, value: TASK }),
			decide: async () => ({ done: true, value: { answers: {} } }),
			search: async () => ({ done: true, value: { text: 'found', sources: [] } }),
		};
		pipe = await openPipe({
			answers,
			explain: async error => `Explained: ${describeError(error)}.`,
			logger: nullLogger,
		});
	});

	afterEach(async () => {
		release();
		await client?.stop();
		client = undefined;
		pipe.close();
	});

	/** Sends a call without Errand's own client, because any program may reach the socket. */
	function send(
		call: string,
		body: string,
		token: string | undefined,
		method = 'POST',
	): Promise<{ status: number; text: string }> {
		return new Promise((resolve, reject) => {
			const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
			const signal = AbortSignal.timeout(30_000);
			const request = http.request(
				{ socketPath: pipe.address, path: `/${call}`, method, headers, agent: false, signal },
				response => {
					let text = '';
					response.setEncoding('utf8').on('data', (piece: string) => {
						text += piece;
					});
					response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
					response.on('error', reject);
				},
			);
			request.on('error', reject);
			request.end(body);
		});
	}

	it('lies where only the user can reach it, and is gone once it is closed', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const folder = path.dirname(pipe.address);
		assert.equal(statSync(folder).mode & 0o777, 0o700);
		assert.equal(statSync(pipe.address).mode & 0o077, 0);
		pipe.close();
		assert.equal(existsSync(folder), false);
		await assert.rejects(send('list', '{}', pipe.token));
	});

	it('lets no call pass without its token, or with another one', async () => {
		for (const token of [undefined, '', 'x', `${pipe.token}x`, pipe.token.slice(1)]) {
			const { status, text } = await send('list', '{}', token);
			assert.equal(status, 401, text);
			assert.match(text, /does not carry the token of this window/);
		}
		assert.deepEqual(passed, []);
		assert.equal((await send('list', '{}', pipe.token)).status, 200);
	});

	it('refuses what is no call, no JSON, or has other arguments', async () => {
		for (const [call, body, status, method] of [
			['nothing', '{}', 404],
			['constructor', '{}', 404],
			['../list', '{}', 404],
			['list', '', 404, 'GET'],
			['list', 'not JSON', 400],
			['get', '{"id": 5}', 400],
			['get', '{"id": "a", "more": true}', 400],
			['get', `{"id": "${'x'.repeat(500)}"}`, 400],
			['start', '{"prompt": "  "}', 400],
			['search', '{"query": " \\t"}', 400],
			['search', `{"query": "${'x'.repeat(4_001)}"}`, 400],
			['follow', '{"id": "a", "fromIndex": -1}', 400],
		] as const) {
			const answer = await send(call, body, pipe.token, method);
			assert.equal(answer.status, status, `${call} ${body.slice(0, 100)}: ${answer.text}`);
			assert.match(answer.text, /^\{"problem":"[^\n]+"\}\n$/);
		}
		assert.deepEqual(passed, []);
	});

	it('refuses a body of 10 MB', async () => {
		const body = JSON.stringify({ prompt: 'x'.repeat(10 * 1024 * 1024) });
		const { status, text } = await send('start', body, pipe.token);
		assert.equal(status, 413, text);
		assert.deepEqual(passed, []);
	});

	it('runs 16 of 1,000 calls at once, refuses the others, and answers the next one', async () => {
		let refused = 0;
		const calls = Array.from({ length: 1_000 }, async () => {
			// A connection too many is closed without an answer.
			const answer = await send('list', '{"offset": 77}', pipe.token).catch(() => undefined);
			refused += answer?.status === 200 ? 0 : 1;
		});
		await waitFor('the refusals', () => refused === 984);
		assert.equal(passed.length, 16);
		release();
		await Promise.all(calls);
		assert.deepEqual([refused, passed.length], [984, 16]);
		assert.equal((await send('list', '{}', pipe.token)).status, 200);
	});

	it('notices that a caller has gone', async () => {
		const request = http.request({
			socketPath: pipe.address,
			path: '/list',
			method: 'POST',
			headers: { authorization: `Bearer ${pipe.token}` },
		});
		request.on('error', () => {});
		request.end('{"offset": 77}');
		await waitFor('the call', () => passed.length === 1);
		request.destroy();
		await waitFor('the end of the call', () => wasAborted);
	});

	it('gives the server what the editor says: values, events, refusals and sentences', async () => {
		const access = createEditorAccess(pipe);
		const signal = AbortSignal.timeout(30_000);
		assert.deepEqual(await access.read('get', { id: 'task-1' }, signal), TASK);
		await assert.rejects(access.read('get', { id: 'other' }, signal), /^UserFacingError: Explained: no other\.$/);
		const events = [];
		for await (const event of access.follow({ id: 'task-1', fromIndex: 3 }, signal)) {
			events.push(event.type === 'log' ? [event.index, event.entry.message?.length] : event.type);
		}
		assert.deepEqual(events, [[3, 100_000], 'status', 'complete']);
		const failing = async () => {
			for await (const _ of access.follow({ id: 'failing', fromIndex: 0 }, signal));
		};
		await assert.rejects(failing(), /Explained: it failed/);
		const action = await access.prepare('start', { prompt: 'Do it' }, signal);
		assert.ok(!('done' in action));
		assert.equal(action.question, undefined);
		assert.deepEqual(await action.run(signal), { done: false, reason: 'The user did not allow it.' });
	});

	it('says that the window has gone, also in the middle of a log', async () => {
		const access = createEditorAccess(pipe);
		const reading = (async () => {
			for await (const event of access.follow({ id: 'endless', fromIndex: 0 }, AbortSignal.timeout(30_000))) {
				if (event.type === 'status') {
					pipe.close();
				}
			}
		})();
		await assert.rejects(reading, /Its window was closed or reloaded/);
		await assert.rejects(access.read('list', {}, AbortSignal.timeout(10_000)), /Its window was closed or reloaded/);
	});

	it('says the same of an answer that breaks off within a line, and nothing of one that is no longer wanted', async () => {
		const address = `${pipe.address}-torn`;
		const answers: http.ServerResponse[] = [];
		const server = http.createServer((_, response) => {
			response.write('{"event":{"type":"status","status":"processing"}}\n{"event":{"type":"st');
			answers.push(response);
		});
		await new Promise<void>(resolve => server.listen(address, resolve));
		const access = createEditorAccess({ address, token: 'any' });
		const end = new AbortController();
		const read = async (onEvent: () => void) => {
			const events = [];
			for await (const event of access.follow({ id: 'task-1', fromIndex: 0 }, end.signal)) {
				events.push(event);
				onEvent();
			}
			return events;
		};
		try {
			await assert.rejects(
				read(() => answers[0]?.destroy()),
				/Its window was closed or reloaded/,
			);
			await assert.rejects(
				read(() => end.abort(new Error('no longer wanted'))),
				/^Error: no longer wanted$/,
			);
		} finally {
			server.close();
			server.closeAllConnections();
		}
	});

	it('is how a server that the editor has started reads and asks', async () => {
		client = await McpClient.start({
			environment: { [PIPE_VARIABLES.address]: pipe.address, [PIPE_VARIABLES.token]: pipe.token },
		});
		const { json } = await client.call('list_tasks');
		assert.equal(json.tasks[0].task_id, 'task-1');
		const started = await client.call('start_task', { prompt: 'Do it' }, { progressToken: 1 });
		assert.deepEqual([started.isError, started.texts], [true, ['The user did not allow it.']]);
		assert.match(client.progress[0].message, /The editor asks its user/);
		const forged = await client.call('get_task', { task_id: '../../list' });
		assert.deepEqual(forged.texts, ['Explained: no ../../list.']);
		assert.deepEqual(
			passed.map(([call]) => call),
			['list', 'start', 'get'],
		);
	});

	it('is closed to a server with another token', async () => {
		client = await McpClient.start({
			environment: { [PIPE_VARIABLES.address]: pipe.address, [PIPE_VARIABLES.token]: 'another' },
		});
		for (const [tool, asked] of [
			['list_tasks', {}],
			['start_task', { prompt: 'Do it' }],
		] as const) {
			const { isError, texts } = await client.call(tool, asked);
			assert.equal(isError, true);
			assert.match(texts[0] ?? '', /does not carry the token of this window/);
		}
		assert.deepEqual(passed, []);
	});
});
