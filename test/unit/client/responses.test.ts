import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import {
	type Answer,
	type FaultServer,
	sendEvents,
	sendJson,
	sseEvent,
	useFaultServer,
} from '../../support/faultServer.ts';
import { completed, delta, event, reasoning, request, textOf, usage, wholeStream } from './responsesWire.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

describe('client.responses.stream', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient('http://127.0.0.1:9', { fields: { enterpriseUrl: server.origin } });
	});

	it('gives each of the eleven documented events, in order, with its fields', async () => {
		serve(response => sendEvents(response, ...wholeStream));
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		assert.equal(new Set(events.map(({ type }) => type)).size, 11);
		const sent = wholeStream.map(text => JSON.parse(text.slice(text.indexOf('data: ') + 6)));
		assert.deepEqual(JSON.parse(JSON.stringify(events)), sent);
		assert.equal(textOf(events), 'Let me look.');
		const last = events.at(-1);
		assert.ok(last?.type === 'response.completed');
		assert.equal(last.response?.model, 'vendor/coder');
		assert.deepEqual(last.response?.usage, usage);
		assert.deepEqual(
			last.response?.output.map(({ type }) => type),
			['reasoning', 'message', 'function_call'],
		);
	});

	it('takes events without data for signs of life', async () => {
		serve(response => sendEvents(response, sseEvent(''), delta('a'), sseEvent('', 'error'), completed));
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'a');
	});

	it('gives reasoning byte for byte', async () => {
		serve(response => sendEvents(response, ...wholeStream));
		const { events } = await collect(client.responses.stream(request));
		const received = events.flatMap(event => {
			switch (event.type) {
				case 'response.output_item.done':
					return event.item?.type === 'reasoning' ? [event.item] : [];
				case 'response.completed':
					return event.response?.output.filter(({ type }) => type === 'reasoning') ?? [];
				default:
					return [];
			}
		});
		assert.equal(received.length, 2);
		for (const item of received) {
			assert.equal(JSON.stringify(item), JSON.stringify(reasoning));
		}
	});

	it('ignores events that are not documented', async () => {
		serve(response =>
			sendEvents(
				response,
				event('response.queued', { response: {} }),
				event('response.reasoning_summary_text.delta', { delta: 'Hm' }),
				sseEvent({ hello: 'world' }),
				sseEvent({ type: 7 }, 'ping'),
				sseEvent('', 'ping'),
				delta('Hi'),
				event('response.output_text.annotation.added', { annotation: {} }),
				completed,
			),
		);
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		assert.deepEqual(
			events.map(({ type }) => type),
			['response.output_text.delta', 'response.completed'],
		);
	});

	it('knows an event by its data, and by the stream’s name for it where the data has none', async () => {
		serve(response =>
			sendEvents(
				response,
				sseEvent({ type: 'response.output_text.delta', delta: 'a' }),
				sseEvent({ delta: 'b' }, 'response.output_text.delta'),
				sseEvent({ type: 'response.output_text.delta', delta: 'c' }, 'message'),
				sseEvent({}, 'response.completed'),
			),
		);
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'abc');
		assert.equal(events.at(-1)?.type, 'response.completed');
	});

	it('takes the name of an event for its type where the data says null or None', async () => {
		for (const type of [null, 'None']) {
			serve(response =>
				sendEvents(
					response,
					sseEvent({ type, delta: 'a' }, 'response.output_text.delta'),
					sseEvent({ type, response: {} }, 'response.completed'),
				),
			);
			const { events, error } = await collect(client.responses.stream(request));
			assert.equal(error, undefined);
			assert.equal(textOf(events), 'a');
		}
	});

	it('keeps None where it is text, and takes it for absent elsewhere', async () => {
		serve(response =>
			sendEvents(
				response,
				sseEvent({
					type: 'response.output_text.delta',
					item_id: 'None',
					output_index: 'None',
					delta: 'None',
					error: 'None',
				}),
				event('response.completed', { response: 'None' }),
			),
		);
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		const [first, last] = events;
		assert.ok(first?.type === 'response.output_text.delta');
		assert.equal(first.delta, 'None');
		assert.equal(first.item_id, undefined);
		assert.equal(first.output_index, undefined);
		assert.ok(last?.type === 'response.completed');
		assert.equal(last.response, undefined);
	});

	it('ends with response.completed, whatever follows it', async () => {
		serve(response => sendEvents(response, delta('a'), completed, delta('b'), sseEvent('{oops'), sseEvent('[DONE]')));
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(error, undefined);
		assert.equal(events.length, 2);
		assert.deepEqual(await server.received[0]?.closed, { isWhole: true });
	});

	it('is truncated by an end mark before the end, whatever blanks it has', async () => {
		for (const mark of ['[DONE]', '[DONE] ', ' [DONE]\t']) {
			serve(response => sendEvents(response, delta('a'), `data: ${mark}\n\n`, completed));
			const { error } = await collect(client.responses.stream(request));
			assert.ok(ClientError.is(error, 'truncated'), JSON.stringify(mark));
		}
	});

	it('ends with a response.completed that lacks its blank line', async () => {
		serve(response => sendEvents(response, delta('a'), completed.trimEnd()));
		assert.equal((await collect(client.responses.stream(request))).error, undefined);
	});

	describe('a documented error message', () => {
		const messages = {
			instructions: 'Instructions are required',
			input: 'Input must be a list',
			store: 'Store must be set to false',
			stream: 'Stream must be set to true',
			previous_response_id: 'Unsupported parameter: previous_response_id',
		};
		for (const [field, message] of Object.entries(messages)) {
			for (const status of [400, 401, 404, 422, 500]) {
				it(`decides whatever the status (${message}, ${status})`, async () => {
					serve(response => sendJson(response, status, { error: { code: '400', message } }));
					const { error } = await collect(client.responses.stream(request));
					assert.ok(ClientError.is(error, 'invalid-request'), String(error));
					assert.equal(error.message, `the service refused ${field} of the request`);
					assert.equal(error.status, status);
					assert.equal(error.serviceMessage, message);
					assert.equal(error.retryable, false);
					assert.equal(server.received.length, 1);
				});
			}
		}

		for (const [how, answer] of [
			[
				'as JSON with a status of success',
				response => sendJson(response, 200, { error: { code: 500, message: 'Input must be a list' } }),
			],
			[
				'in the stream',
				response => sendEvents(response, event('error', { code: 'server_error', message: 'input must be a list.' })),
			],
		] as [string, Answer][]) {
			it(`decides also where it came ${how}`, async () => {
				serve(answer);
				const { error } = await collect(client.responses.stream(request));
				assert.ok(ClientError.is(error, 'invalid-request'), String(error));
				assert.equal(error.message, 'the service refused input of the request');
			});
		}
	});

	for (const [status, code] of [
		[401, 'unauthorised'],
		[402, 'payment-required'],
		[404, 'not-found'],
		[500, 'server'],
	] as const) {
		it(`gives any other error the meaning of its status (${status})`, async () => {
			serve(response => sendJson(response, status, { error: { code: '400', message: 'Something else' } }));
			const { error } = await collect(client.responses.stream(request));
			assert.ok(ClientError.is(error, code), String(error));
			assert.equal(error.serviceMessage, 'Something else');
		});
	}

	for (const [what, answer] of [
		['a page', response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')],
		['a whole response in place of a stream', response => sendJson(response, 200, { object: 'response', output: [] })],
	] as [string, Answer][]) {
		it(`refuses ${what}`, async () => {
			serve(answer);
			assert.ok(ClientError.is((await collect(client.responses.stream(request))).error, 'bad-response'));
		});
	}

	it('tries again what was turned away before its first byte', async () => {
		let tries = 0;
		serve(response =>
			++tries === 1 ? sendJson(response, 429, { error: { message: 'Slow down' } }) : sendEvents(response, completed),
		);
		assert.equal((await collect(client.responses.stream(request))).error, undefined);
		assert.equal(tries, 2);
	});
});
