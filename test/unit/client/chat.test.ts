import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/base/errors.ts';
import type { ChatStreamEvent } from '../../../src/client/types.ts';
import {
	beginEvents,
	breakOff,
	type FaultServer,
	sendEvents,
	sendJson,
	sseEvent,
	useFaultServer,
} from '../../support/faultServer.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { collect, type TestClient, testClient, testConnection } from './testClient.ts';

const finish = () => chunk({}, {}, { finish_reason: 'stop' });

describe('client.chat.stream', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient(server.origin);
	});

	it('asks for a stream with the key of its kind', async () => {
		serve(response => sendEvents(response, DONE));
		await collect(client.chat.stream({ ...request, temperature: 0.5 }));
		const [received] = server.received;
		assert.equal(received?.method, 'POST');
		assert.equal(received?.path, '/chat/completions');
		assert.equal(received?.headers.authorization, 'Bearer sk-inference');
		assert.equal(received?.headers['content-type'], 'application/json');
		assert.equal(received?.headers.accept, 'text/event-stream');
		assert.deepEqual(JSON.parse(received?.body ?? ''), { ...request, temperature: 0.5, stream: true });
	});

	it('takes from no service but the local one which of the user’s own model servers have failed', async () => {
		const error = { message: 'No', upstreams: [{ slug: 'lab', code: 'unauthorised' }] };
		for (const [name, expected] of [
			['acme', []],
			['local', ['lab']],
		] as const) {
			client = testClient(server.origin, { connection: { ...testConnection(server.origin), name } });
			serve(response => sendJson(response, 502, { error }));
			const refused = (await collect(client.chat.stream(request))).error;
			serve(response => sendEvents(response, chunk({ content: 'a' }), sseEvent({ error })));
			const broken = (await collect(client.chat.stream(request))).error;
			for (const failure of [refused, broken]) {
				assert.ok(ClientError.is(failure));
				assert.deepEqual(
					failure.upstreams.map(({ slug }) => slug),
					expected,
				);
			}
		}
	});

	it('gives the tokens with their probabilities where the service does, and leaves out what does not fit', async () => {
		const top = [
			{ token: 'b', logprob: -2, bytes: [98] },
			{ token: 7, logprob: -3 },
		];
		const logprobs = { content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: top }, { token: 'x' }] };
		serve(response =>
			sendEvents(
				response,
				chunk({ content: 'a' }, {}, { logprobs }),
				chunk({}, {}, { logprobs: null }),
				finish(),
				DONE,
			),
		);
		const expected = [{ token: 'a', logprob: -0.5, top: [{ token: 'b', logprob: -2 }] }];
		const tokensOf = (events: readonly ChatStreamEvent[]) =>
			events.flatMap(event => (event.type === 'logprobs' ? event.tokens : []));
		assert.deepEqual(tokensOf((await collect(client.chat.stream(request))).events), expected);
		const choices = [{ message: { content: 'a' }, logprobs, finish_reason: 'stop' }];
		serve(response => sendJson(response, 200, { choices }));
		assert.deepEqual(tokensOf((await collect(client.chat.stream(request))).events), expected);
	});

	it('takes events without data for signs of life', async () => {
		const empty = sseEvent('') + sseEvent('', 'error');
		serve(response => sendEvents(response, empty, chunk({ content: 'a' }), empty, finish(), empty, DONE));
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'a');
	});

	it('keeps the provider that served if the model is named later', async () => {
		const named = [chunk({ content: 'a' }, { provider: 'fast-host' }), chunk({ content: 'b' }, { model: 'large' })];
		serve(response => sendEvents(response, ...named, finish(), DONE));
		const { events } = await collect(client.chat.stream(request));
		assert.deepEqual(
			events.filter(({ type }) => type === 'served'),
			[
				{ type: 'served', provider: 'fast-host' },
				{ type: 'served', provider: 'fast-host', model: 'large' },
			],
		);
	});

	it('tells which parameters were left out, of those that there are', async () => {
		const told = { provider: 'p', left_out: ['temperature', 'of its own', 3] };
		serve(response => sendEvents(response, chunk({ content: 'a' }, told), finish(), DONE));
		const { events } = await collect(client.chat.stream(request));
		assert.deepEqual(
			events.find(({ type }) => type === 'served'),
			{ type: 'served', provider: 'p', leftOut: ['temperature'] },
		);
	});

	for (const index of [-1, 1.5, 1024]) {
		it(`refuses a tool call at an impossible place (${index})`, async () => {
			serve(response => sendEvents(response, chunk({ tool_calls: [{ index, function: { name: 'a' } }] }), DONE));
			const { error } = await collect(client.chat.stream(request));
			assert.ok(ClientError.is(error, 'bad-response'));
		});
	}

	it('reads the first of several choices', async () => {
		const second = { index: 1, finish_reason: 'length' };
		const events = [chunk({ content: 'a' }), chunk({ content: 'x' }, {}, second), chunk({ content: 'b' }), finish()];
		serve(response => sendEvents(response, ...events, DONE));
		const read = await collect(client.chat.stream(request));
		assert.equal(textOf(read.events), 'ab');
		assert.deepEqual(read.events.at(-1), { type: 'finish', reason: 'stop' });
	});

	for (const absent of [null, 'None', '', false]) {
		it(`takes an error that is ${JSON.stringify(absent)} for none`, async () => {
			serve(response => sendEvents(response, chunk({ content: 'a' }, { error: absent }), finish(), DONE));
			const { events, error } = await collect(client.chat.stream(request));
			assert.equal(error, undefined);
			assert.equal(textOf(events), 'a');
		});
	}

	it('gives every kind of event, in order', async () => {
		serve(response =>
			sendEvents(
				response,
				chunk({ role: 'assistant', content: '' }, { id: 'c1', model: 'vendor/large' }),
				chunk({ reasoning: 'Hm. ' }),
				chunk({ reasoning_content: 'Light.' }),
				chunk({ content: 'Look ' }),
				chunk({ content: 'it up:' }, { provider: 'fast-host' }),
				chunk({
					tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: { name: 'search', arguments: '{"q' } }],
				}),
				chunk({ tool_calls: [{ index: 0, function: { arguments: '":1}' } }] }),
				chunk({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example/' } }] }),
				chunk({}, {}, { finish_reason: 'tool_calls', provider_specific_fields: { native_finish_reason: 'tool_use' } }),
				sseEvent({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 1 } }),
				DONE,
			),
		);
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.deepEqual(JSON.parse(JSON.stringify(events)), [
			{ type: 'served', model: 'vendor/large', id: 'c1' },
			{ type: 'reasoning', text: 'Hm. ' },
			{ type: 'reasoning', text: 'Light.' },
			{ type: 'text', text: 'Look ' },
			{ type: 'served', provider: 'fast-host', model: 'vendor/large', id: 'c1' },
			{ type: 'text', text: 'it up:' },
			{ type: 'toolCall', index: 0, id: 'call-1', name: 'search', arguments: '{"q' },
			{ type: 'toolCall', index: 0, arguments: '":1}' },
			{ type: 'annotations', annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example/' } }] },
			{ type: 'finish', reason: 'tool_calls', nativeReason: 'tool_use' },
			{ type: 'usage', usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 1 } },
		]);
	});

	it('takes null, None and values of another kind for absent, and keeps None where it is text', async () => {
		serve(response =>
			sendEvents(
				response,
				chunk(
					{ role: 'None', content: 'None', reasoning: 'None', tool_calls: 'None', annotations: null },
					{ id: 7, model: 'None', provider: null, usage: 'None', error: 'None' },
					{ finish_reason: 'None', provider_specific_fields: 'None' },
				),
				chunk({
					content: 'None',
					tool_calls: [{ index: 0, id: 'None', function: { name: 'a', arguments: 'None' } }],
				}),
				chunk({ content: 12 }, { choices: 'None' }),
				chunk({}, {}, { finish_reason: 'stop', provider_specific_fields: { native_finish_reason: 'None' } }),
				DONE,
			),
		);
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.deepEqual(events, [
			{ type: 'text', text: 'None' },
			{ type: 'toolCall', index: 0, name: 'a', arguments: 'None' },
			{ type: 'finish', reason: 'stop' },
		]);
	});

	it('counts tool calls itself where the service gives no index', async () => {
		serve(response =>
			sendEvents(
				response,
				chunk({ tool_calls: [{ id: 'a', function: { name: 'one', arguments: '{}' } }] }),
				chunk({
					tool_calls: [{ id: 'b', function: { name: 'two', arguments: '{' } }, { function: { arguments: '}' } }],
				}),
				DONE,
			),
		);
		const { events } = await collect(client.chat.stream(request));
		assert.deepEqual(
			events.map(event => (event.type === 'toolCall' ? [event.index, event.arguments] : [])),
			[
				[0, '{}'],
				[1, '{'],
				[1, '}'],
			],
		);
	});

	it('refuses a tool call whose index could only fill memory', async () => {
		serve(response => sendEvents(response, chunk({ tool_calls: [{ index: 4e9, id: 'a' }] }), DONE));
		const { error } = await collect(client.chat.stream(request));
		assert.ok(ClientError.is(error, 'bad-response'));
	});

	it('reads UTF-8 that was split anywhere, and CRLF', async () => {
		const text = 'Größe 世界 🌍 fin';
		const bytes = Buffer.from((chunk({ content: text }) + finish() + DONE).replaceAll('\n', '\r\n'));
		serve(async response => {
			beginEvents(response);
			for (const byte of bytes) {
				response.write(Buffer.of(byte));
				await new Promise(resolve => setImmediate(resolve));
			}
			response.end();
		});
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.equal(textOf(events), text);
	});

	it('ends with a clean close after a finish reason', async () => {
		serve(response => sendEvents(response, chunk({ content: 'All.' }), finish()));
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.deepEqual(events.at(-1), { type: 'finish', reason: 'stop' });
	});

	it('ends with a mark that lacks its blank line', async () => {
		serve(response => sendEvents(response, chunk({ content: 'All.' }), 'data: [DONE]'));
		assert.equal((await collect(client.chat.stream(request))).error, undefined);
	});

	it('ends with a mark that has blanks around it', async () => {
		for (const mark of ['data: [DONE] ', 'data:   [DONE]\t', 'data: [DONE]  \r']) {
			serve(response => sendEvents(response, chunk({ content: 'All.' }), `${mark}\n\n`));
			const { events, error } = await collect(client.chat.stream(request));
			assert.equal(error, undefined, JSON.stringify(mark));
			assert.deepEqual(events.at(-1), { type: 'text', text: 'All.' });
		}
	});

	it('reads the text of parts, streamed and whole, and leaves out parts that are no text', async () => {
		const content = [
			{ type: 'text', text: 'One ' },
			{ type: 'image_url', image_url: { url: 'data:,' } },
			{ type: 'text' },
			null,
			{ type: 'text', text: 'two.' },
		];
		serve(response => sendEvents(response, chunk({ content }), finish(), DONE));
		const { events } = await collect(client.chat.stream(request));
		assert.deepEqual(events[0], { type: 'text', text: 'One two.' });
		serve(response => sendJson(response, 200, { choices: [{ index: 0, message: { role: 'assistant', content } }] }));
		assert.equal((await client.chat.complete(request)).choices[0]?.message?.content, 'One two.');
	});

	for (const [how, end] of [
		['a clean close', (response: ServerResponse) => void response.end()],
		[
			'a clean close within an event',
			(response: ServerResponse) => void response.end('data: {"choices":[{"delta":{"con'),
		],
		['a broken connection', breakOff],
	] as const) {
		it(`is truncated by ${how} without an end, after what came`, async () => {
			serve(async response => {
				beginEvents(response);
				response.write(chunk({ content: 'Only ' }) + chunk({ content: 'half' }));
				await end(response);
			});
			const { events, error } = await collect(client.chat.stream(request));
			assert.equal(textOf(events), 'Only half');
			assert.ok(ClientError.is(error, 'truncated'));
			assert.ok(error.retryable);
		});
	}

	it('is truncated by an empty reply', async () => {
		serve(response => sendEvents(response));
		assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'truncated'));
	});

	it('delivers what came before data that is not JSON, then ends with bad-response', async () => {
		serve(response =>
			sendEvents(response, chunk({ content: 'Fine.' }), sseEvent('{oops sk-not-for-logs'), chunk({ content: 'No.' })),
		);
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(textOf(events), 'Fine.');
		assert.ok(ClientError.is(error, 'bad-response'));
		assert.ok(!error.message.includes('oops'));
	});

	it('ends with bad-response at data that is JSON but no object', async () => {
		serve(response => sendEvents(response, sseEvent('"hello"'), DONE));
		assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'bad-response'));
	});

	for (const [contents, code] of [
		[{ error: { message: 'The provider is down', type: 'upstream_error' } }, 'upstream'],
		[{ error: { message: 'Slow down', code: 429 } }, 'rate-limited'],
		[{ error: { message: 'Slow down', code: 'rate_limit_exceeded' } }, 'rate-limited'],
		[{ error: { message: 'Bad gateway', code: '502' } }, 'upstream'],
		[{ error: { message: 'Pay first', code: 402 } }, 'payment-required'],
		[
			{ error: { message: 'Too much', type: 'invalid_request_error', code: 'context_length_exceeded' } },
			'invalid-request',
		],
		[{ error: 'Something broke' }, 'server'],
	] as const) {
		it(`ends with the error that is sent in its midst (${code}, ${JSON.stringify(contents)})`, async () => {
			serve(response =>
				sendEvents(response, chunk({ content: 'So far' }), sseEvent(contents), chunk({ content: 'never' }), DONE),
			);
			const { events, error } = await collect(client.chat.stream(request));
			assert.equal(textOf(events), 'So far');
			assert.ok(ClientError.is(error, code));
			const { error: sent } = contents;
			assert.equal(error.serviceMessage, typeof sent === 'string' ? sent : sent.message);
		});
	}

	for (const data of ['{"message":"It broke"}', '{"error":{"message":"It broke"}}', 'It broke']) {
		it(`ends with an event named error (${data})`, async () => {
			serve(response => sendEvents(response, chunk({ content: 'So far' }), sseEvent(data, 'error')));
			const { events, error } = await collect(client.chat.stream(request));
			assert.equal(textOf(events), 'So far');
			assert.ok(ClientError.is(error, 'server'));
			assert.equal(error.serviceMessage, 'It broke');
		});
	}

	it('turns a whole completion that came as JSON into events', async () => {
		serve(response =>
			sendJson(response, 200, {
				id: 'c1',
				model: 'large',
				provider: 'p',
				choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Whole.' } }],
				usage: { total_tokens: 9 },
			}),
		);
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.deepEqual(
			events.map(({ type }) => type),
			['served', 'text', 'finish', 'usage'],
		);
	});

	it('throws the error of a JSON reply with a status of success', async () => {
		serve(response => sendJson(response, 200, { error: { message: 'No capacity', type: 'provider_error' } }));
		const { error } = await collect(client.chat.stream(request));
		assert.ok(ClientError.is(error, 'upstream'));
		assert.equal(error.serviceMessage, 'No capacity');
	});

	it('refuses an HTML page in place of a reply', async () => {
		serve(
			response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the network</h1>'),
		);
		assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'bad-response'));
	});

	it('refuses JSON without choices', async () => {
		serve(response => sendJson(response, 200, { hello: 'world' }));
		assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'bad-response'));
	});

	it('ends at an event over its limit', async () => {
		client = testClient(server.origin, { limits: { eventLength: 10_000 } });
		serve(response => sendEvents(response, chunk({ content: 'Fine.' }), chunk({ content: 'x'.repeat(20_000) }), DONE));
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(textOf(events), 'Fine.');
		assert.ok(ClientError.is(error, 'bad-response'));
	});
});
