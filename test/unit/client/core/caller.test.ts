import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { ClientError, type ClientErrorCode, systemErrorCode } from '../../../../src/base/errors.ts';
import { LIMITS } from '../../../../src/client/core/limits.ts';
import type { ChatRequest } from '../../../../src/contract/chatRequest.ts';
import { type Answer, beginEvents, FaultServer, sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';

const chat: ChatRequest = { model: 'large', messages: [{ role: 'user', content: 'my secret prompt' }] };
const completion = { choices: [{ message: { content: 'ok' } }] };
const task = { task: { id: 't1', status: 'processing' } };

describe('a call', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = (answer: Answer) => {
		server.answer = answer;
	};
	/** Answers with these one after another; with the last one for ever. */
	const serveInTurn = (...answers: Answer[]) => {
		serve((response, received) => answers[Math.min(server.received.length, answers.length) - 1]?.(response, received));
	};
	const turnAway =
		(status: number, headers: Record<string, string> = {}): Answer =>
		response =>
			sendJson(response, status, { error: { message: 'not now' } }, headers);

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
		client = testClient(server.origin);
	});
	afterEach(() => server.stop());

	describe('that is answered with a status other than success', () => {
		const cases: [number, ClientErrorCode, boolean][] = [
			[400, 'invalid-request', false],
			[401, 'unauthorised', false],
			[402, 'payment-required', false],
			[403, 'forbidden', false],
			[404, 'not-found', false],
			[408, 'timeout', true],
			[409, 'invalid-request', false],
			[413, 'too-large', false],
			[422, 'invalid-request', false],
			[429, 'rate-limited', true],
			[500, 'server', true],
			[502, 'upstream', true],
			[503, 'server', true],
			[504, 'timeout', true],
			[304, 'bad-response', false],
		];
		for (const [status, code, retryable] of cases) {
			it(`throws ${code} for ${status}`, async () => {
				serve(response =>
					status === 304
						? void response.writeHead(304).end()
						: sendJson(response, status, { error: { message: 'Because' } }),
				);
				await assert.rejects(client.chat.complete(chat), error => {
					assert.ok(ClientError.is(error, code), `${error}`);
					assert.equal(error.status, status);
					assert.equal(error.retryable, retryable);
					assert.equal(error.serviceMessage, status === 304 ? undefined : 'Because');
					assert.equal(error.message, `POST /chat/completions answered with HTTP ${status}`);
					return true;
				});
			});
		}

		it('tells a quota that is used up from too many requests, and tries again for the latter alone', async () => {
			const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
			serve(response => sendJson(response, 429, { error }));
			const said = 'You exceeded your current quota.';
			const usedUp = { code: 'payment-required', status: 429, retryable: false, serviceMessage: said };
			await assert.rejects(client.chat.complete(chat), usedUp);
			assert.equal(server.received.length, 1);
			serve(response => sendJson(response, 200, { error: { ...error, code: 429, type: 'insufficient_quota' } }));
			await assert.rejects(client.chat.complete(chat), { code: 'payment-required' });
			const often = { message: 'Quota for requests in a minute exceeded', code: 'rate_limit_exceeded' };
			serve(response => sendJson(response, 429, { error: often }));
			await assert.rejects(client.chat.complete(chat), { code: 'rate-limited', serviceMessage: often.message });
		});

		it('says of a page that it is one, whatever its status', async () => {
			for (const [status, code] of [
				[404, 'not-found'],
				[502, 'upstream'],
				[200, 'bad-response'],
			] as const) {
				serve(
					response =>
						void response
							.writeHead(status, { 'content-type': 'text/html' })
							.end('<!doctype html><title>Log in</title>'),
				);
				for (const ask of [
					() => client.chat.complete(chat),
					() => client.chat.stream(chat)[Symbol.asyncIterator]().next(),
				]) {
					await assert.rejects(ask(), { code, isPage: true, serviceMessage: undefined });
				}
			}
			serve(response => sendJson(response, 404, { error: 'Task not found' }));
			await assert.rejects(client.chat.complete(chat), { isPage: false });
		});

		it('says where a redirect would have led', async () => {
			serve(response => void response.writeHead(302, { location: 'https://login.example/start?key=1' }).end());
			await assert.rejects(client.tasks.get('t1'), { code: 'bad-response', redirectedTo: 'https://login.example' });
		});

		it('never says the key that was sent, though the service quote it', async () => {
			const error = { message: 'sk-inference is no key', code: '502' };
			const said = { code: 'upstream', retryable: true, serviceMessage: '[key] is no key' };
			for (const answer of [
				response => sendJson(response, 502, { error }),
				response => sendJson(response, 200, { error }),
			] satisfies Answer[]) {
				serve(answer);
				await assert.rejects(client.chat.complete(chat), said);
				await assert.rejects(client.chat.stream(chat)[Symbol.asyncIterator]().next(), said);
			}
			for (const name of [undefined, 'error']) {
				serve(response => sendEvents(response, sseEvent({ error }, name)));
				await assert.rejects(client.chat.stream(chat)[Symbol.asyncIterator]().next(), said);
			}
			serve((response, { path }) =>
				path.endsWith('/stream')
					? sendEvents(response, sseEvent({ error: 'sk-cloud is no key' }, 'error'))
					: sendJson(response, 200, { task: { id: 't1', status: 'stopped' } }),
			);
			const { events } = await collect(client.tasks.follow('t1'));
			const lost = events.find(event => event.type === 'reconnecting');
			assert.equal(lost?.cause, '[key] is no key');
		});

		for (const [body, message] of [
			['{"error":{"message":"A","code":"x"}}', 'A'],
			['{"error":"B"}', 'B'],
			['{"error":"not_linked","message":"C","status":404}', 'C'],
			['{"detail":"D"}', 'D'],
			['E in plain words', 'E in plain words'],
			['<html><body>502</body></html>', undefined],
			['', undefined],
		] as const) {
			it(`keeps what the service said in ${body.slice(0, 30) || 'nothing'}`, async () => {
				serve(response => void response.writeHead(400).end(body));
				await assert.rejects(client.chat.complete(chat), { code: 'invalid-request', serviceMessage: message });
			});
		}

		it('reads no more of an endless error than its limit, and ends it', async () => {
			serve(async response => {
				response.writeHead(500);
				while (!response.destroyed) {
					response.write('x'.repeat(16 * 1024));
					await new Promise(resolve => setImmediate(resolve));
				}
			});
			await assert.rejects(client.chat.complete(chat), error => {
				assert.ok(ClientError.is(error, 'server'));
				assert.equal(error.serviceMessage?.length, 500);
				return true;
			});
			assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
		});

		it('does not wait for an error’s body that never comes', async () => {
			serve(response => {
				response.writeHead(500);
				response.flushHeaders();
			});
			const reply = client.chat.complete(chat);
			reply.catch(() => {});
			await client.clock.expire(5000);
			await assert.rejects(reply, { code: 'server', status: 500 });
		});
	});

	describe('that is turned away', () => {
		for (const status of [429, 503]) {
			it(`is tried three times in all with growing waits (${status})`, async () => {
				serve(turnAway(status));
				await assert.rejects(client.chat.complete(chat), { status });
				assert.equal(server.received.length, 3);
				// Three tenths of 1 s and of 2 s, as the test client’s dice say.
				assert.deepEqual(client.clock.waits, [300, 600]);
			});
		}

		it('succeeds when a later try does', async () => {
			serveInTurn(turnAway(429), turnAway(503), response => sendJson(response, 200, completion));
			assert.equal((await client.chat.complete(chat)).choices[0]?.message?.content, 'ok');
		});

		it('waits as long as Retry-After says, in seconds', async () => {
			serveInTurn(turnAway(429, { 'Retry-After': '7' }), response => sendJson(response, 200, completion));
			await client.chat.complete(chat);
			assert.deepEqual(client.clock.waits, [7000]);
		});

		it('waits until the date of Retry-After', async () => {
			const date = new Date(client.clock.now() + 42_000).toUTCString();
			serveInTurn(turnAway(503, { 'Retry-After': date }), response => sendJson(response, 200, completion));
			await client.chat.complete(chat);
			assert.deepEqual(client.clock.waits, [42_000]);
		});

		it('is not tried again when Retry-After asks for more than a minute, and says so', async () => {
			serve(turnAway(429, { 'Retry-After': '3600' }));
			await assert.rejects(client.chat.complete(chat), { code: 'rate-limited', retryAfterMs: 3_600_000 });
			assert.equal(server.received.length, 1);
		});

		it('is not tried again after any other status', async () => {
			serve(turnAway(500));
			await assert.rejects(client.chat.complete(chat), { code: 'server' });
			assert.equal(server.received.length, 1);
		});

		it('throws aborted during a wait', async () => {
			serve(turnAway(429, { 'Retry-After': '60' }));
			const controller = new AbortController();
			const reply = client.chat.complete(chat, { signal: controller.signal });
			reply.catch(() => {});
			// A wait of exactly the limit is held by the clock.
			await waitFor('the wait', () => client.clock.running(LIMITS.retryAfterMs) === 1);
			controller.abort();
			await assert.rejects(reply, { code: 'aborted' });
			assert.equal(server.received.length, 1);
		});

		it('applies to a stream before its first byte', async () => {
			serveInTurn(turnAway(429), response => sendEvents(response, sseEvent('[DONE]')));
			assert.equal((await collect(client.chat.stream(chat))).error, undefined);
			assert.equal(server.received.length, 2);
		});

		it('does not apply to a stream after its first byte', async () => {
			serve(response => {
				beginEvents(response);
				response.write(sseEvent({ choices: [{ delta: { content: 'a' } }] }), () => response.destroy());
			});
			assert.ok(ClientError.is((await collect(client.chat.stream(chat))).error, 'truncated'));
			assert.equal(server.received.length, 1);
		});

		for (const status of [429, 503]) {
			it(`is not tried again when it would create a task (${status})`, async () => {
				serve(turnAway(status, { 'Retry-After': '1' }));
				await assert.rejects(client.tasks.create({ prompt: 'Do it', repoUrl: 'https://host.example/a/b' }), { status });
				assert.equal(server.received.length, 1);
			});
		}
	});

	describe('that finds no connection', () => {
		const breakConnection: Answer = response => void response.socket?.destroy();

		it('is tried again where it only reads', async () => {
			serveInTurn(breakConnection, breakConnection, response => sendJson(response, 200, task));
			assert.equal((await client.tasks.get('t1')).id, 't1');
			assert.deepEqual(client.clock.waits, [300, 600]);
		});

		for (const [what, send] of [
			['a chat', () => client.chat.complete(chat)],
			['a task’s creation', () => client.tasks.create({ prompt: 'Do it', repoUrl: 'https://host.example/a/b' })],
			['a stop', () => client.tasks.stop('t1')],
		] as const) {
			it(`is not tried again where it is ${what}`, async () => {
				serve(breakConnection);
				await assert.rejects(send(), { code: 'offline', retryable: true });
				assert.equal(server.received.length, 1);
			});
		}

		it('keeps the system’s own error as the cause', async () => {
			await server.stop();
			await assert.rejects(client.chat.complete(chat), error => {
				assert.ok(ClientError.is(error, 'offline'));
				assert.equal(systemErrorCode(error.cause), 'ECONNREFUSED');
				return true;
			});
		});
	});

	describe('and its key', () => {
		it('is asked for at every request, by its kind', async () => {
			const asked: string[] = [];
			client = testClient(server.origin, {
				keys: kind => {
					asked.push(kind);
					return Promise.resolve(`sk-${asked.length}`);
				},
			});
			serve(response => sendJson(response, 200, { ...completion, ...task }));
			await client.chat.complete(chat);
			await client.tasks.get('t1');
			await client.chat.complete(chat);
			assert.deepEqual(asked, ['inference', 'cloud', 'inference']);
			assert.deepEqual(
				server.received.map(({ headers }) => headers.authorization),
				['Bearer sk-1', 'Bearer sk-2', 'Bearer sk-3'],
			);
		});

		for (const [what, key] of [
			['missing', undefined],
			['empty', ''],
			['with a blank', 'sk-a b'],
			['with a line break', 'sk-a\r\nX-Evil: 1'],
			['with a final line break', 'sk-a\n'],
			['with a letter that no header takes', 'sk-ключ'],
		] as const) {
			it(`is refused before anything is sent (${what})`, async () => {
				client = testClient(server.origin, { keys: () => Promise.resolve(key) });
				await assert.rejects(client.chat.complete(chat), error => {
					assert.ok(ClientError.is(error, 'no-key'));
					assert.ok(key === undefined || key === '' || !error.message.includes(key));
					return true;
				});
				assert.equal(server.received.length, 0);
			});
		}

		it('throws no-key when it cannot be read', async () => {
			client = testClient(server.origin, { keys: () => Promise.reject(new Error('the keyring is locked')) });
			await assert.rejects(client.chat.complete(chat), { code: 'no-key' });
		});

		it('does not hold up an abort while it is asked for', async () => {
			client = testClient(server.origin, { keys: () => new Promise(() => {}) });
			const controller = new AbortController();
			const reply = client.chat.complete(chat, { signal: controller.signal });
			reply.catch(() => {});
			controller.abort();
			await assert.rejects(reply, { code: 'aborted' });
		});

		it('does not follow a redirect to another origin', async () => {
			const other = await FaultServer.start(response => sendJson(response, 200, completion));
			serve(response => void response.writeHead(307, { location: `${other.origin}/chat/completions` }).end());
			await assert.rejects(client.chat.complete(chat), { code: 'bad-response' });
			assert.equal(other.received.length, 0);
			await other.stop();
		});

		it('never shows in a log, nor do prompt and reply', async () => {
			serveInTurn(
				turnAway(429),
				response => sendJson(response, 200, { choices: [{ message: { content: 'my secret reply' } }] }),
				response => void response.writeHead(401).end('bad key sk-inference'),
			);
			await client.chat.complete(chat);
			await assert.rejects(client.chat.complete(chat), { code: 'unauthorised' });
			assert.ok(client.logged.length >= 4);
			for (const line of client.logged) {
				assert.doesNotMatch(line, /sk-|secret|127\.0\.0\.1/);
			}
		});
	});

	describe('and its host', () => {
		it('is the enterprise host of a connection on that plan', async () => {
			const enterprise = await FaultServer.start(response => sendJson(response, 200, completion));
			client = testClient(server.origin, { fields: { enterpriseUrl: enterprise.origin, plan: 'enterprise' } });
			await client.chat.complete(chat);
			assert.equal(enterprise.received.length, 1);
			assert.equal(server.received.length, 0);
			await enterprise.stop();
		});

		it('throws not-supported where the connection has none, before a key is asked for', async () => {
			const keys = () => Promise.reject(new Error('asked'));
			client = testClient(server.origin, { keys, fields: { cloudUrl: undefined } });
			await assert.rejects(client.tasks.list(), { code: 'not-supported' });
			const { error } = await collect(client.tasks.follow('t1'));
			assert.ok(ClientError.is(error, 'not-supported'));
			client = testClient(server.origin, { keys, fields: { plan: 'enterprise' } });
			await assert.rejects(client.chat.complete(chat), { code: 'not-supported' });
		});

		it('keeps the path of its address', async () => {
			client = testClient(server.origin, { fields: { apiUrl: `${server.origin}/base/` } });
			serve(response => sendJson(response, 200, completion));
			await client.chat.complete(chat);
			assert.equal(server.received[0]?.path, '/base/chat/completions');
		});
	});

	it('sends no body over its limit', async () => {
		client = testClient(server.origin, { limits: { jsonBytes: 1000 } });
		await assert.rejects(client.chat.complete({ ...chat, messages: [{ role: 'user', content: 'x'.repeat(2000) }] }), {
			code: 'too-large',
		});
		assert.equal(server.received.length, 0);
	});

	it('times a look-up out sooner than a reply', async () => {
		serve(() => {});
		const list = client.tasks.list();
		list.catch(() => {});
		await client.clock.expire(LIMITS.lookUpFirstByteMs);
		await assert.rejects(list, { code: 'timeout' });
	});

	it('refuses what JSON cannot hold, before anything is sent', async () => {
		const circular: Record<string, unknown> = {};
		circular['self'] = circular;
		for (const response_format of [
			{ type: 'json_schema', schema: circular },
			{ type: 'json_schema', size: 1n },
		]) {
			await assert.rejects(client.chat.complete({ ...chat, response_format }), { code: 'invalid-request' });
		}
		assert.deepEqual(server.received, []);
	});

	it('leaves no listener on its signal after it has ended', async () => {
		const { signal } = new AbortController();
		serveInTurn(
			turnAway(429),
			response => sendJson(response, 200, completion),
			response => sendEvents(response, sseEvent('[DONE]')),
			response => sendEvents(response),
			response => void response.socket?.destroy(),
		);
		await client.chat.complete(chat, { signal });
		await collect(client.chat.stream(chat, { signal }));
		await collect(client.chat.stream(chat, { signal }));
		await assert.rejects(client.chat.complete(chat, { signal }), { code: 'offline' });
		assert.equal(getEventListeners(signal, 'abort').length, 0);
	});

	it('leaves no limit running after it has ended', async () => {
		serve(response => sendJson(response, 200, completion));
		await client.chat.complete(chat);
		for (const limit of Object.values(LIMITS)) {
			assert.equal(client.clock.running(limit), 0);
		}
	});
});
