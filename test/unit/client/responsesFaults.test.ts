import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import {
	type Answer,
	beginEvents,
	breakOff,
	type FaultServer,
	flood,
	heldBack,
	sendEvents,
	sseEvent,
	useFaultServer,
} from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { completed, delta, event, request, textOf } from './responsesWire.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

describe('client.responses.stream that ends early', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient('http://127.0.0.1:9', { fields: { enterpriseUrl: server.origin } });
	});

	for (const [how, end] of [
		['a clean close', response => void response.end()],
		['a clean close within an event', response => void response.end('data: {"type":"response.comp')],
		['a mark of chat completions', response => void response.write(sseEvent('[DONE]'))],
		['a broken connection', breakOff],
	] as [string, Answer][]) {
		it(`by ${how} is truncated, after what came`, async () => {
			serve(async (response, received) => {
				beginEvents(response);
				response.write(delta('Only ') + delta('half'));
				await end(response, received);
			});
			const { events, error } = await collect(client.responses.stream(request));
			assert.equal(textOf(events), 'Only half');
			assert.ok(ClientError.is(error, 'truncated'), String(error));
			assert.equal(error.retryable, true);
		});
	}

	it('by response.incomplete is truncated for the reason that it names', async () => {
		const details = { incomplete_details: { reason: 'max_output_tokens' } };
		serve(response =>
			sendEvents(response, delta('So far'), event('response.incomplete', { response: details }), completed),
		);
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(textOf(events), 'So far');
		assert.ok(ClientError.is(error, 'truncated'));
		assert.equal(error.serviceMessage, 'max_output_tokens');
		assert.equal(error.retryable, false);
	});

	it('by response.incomplete keeps no more of the reason than of an error’s message', async () => {
		const details = { incomplete_details: { reason: 'x'.repeat(10_000) } };
		serve(response => sendEvents(response, event('response.incomplete', { response: details })));
		const { error } = await collect(client.responses.stream(request));
		assert.ok(ClientError.is(error, 'truncated'));
		assert.equal(error.serviceMessage?.length, 500);
	});

	it('by a response.incomplete that tells nothing is truncated all the same', async () => {
		serve(response => sendEvents(response, sseEvent({}, 'response.incomplete')));
		const { error } = await collect(client.responses.stream(request));
		assert.ok(ClientError.is(error, 'truncated'));
		assert.equal(error.serviceMessage, undefined);
	});

	for (const [name, sent, code, said] of [
		[
			'response.failed',
			event('response.failed', { response: { status: 'failed', error: { code: '429', message: 'Slow down' } } }),
			'rate-limited',
			'Slow down',
		],
		[
			'response.failed with a top-level error',
			event('response.failed', { response: null, error: { code: 'server_error', message: 'It broke' } }),
			'server',
			'It broke',
		],
		['response.failed without a reason', event('response.failed'), 'server', undefined],
		['error', event('error', { code: '400', message: 'Bad', param: null }), 'invalid-request', 'Bad'],
		['a nested error', event('error', { error: { code: '502', message: 'Bad gateway' } }), 'upstream', 'Bad gateway'],
		['an error that is text', sseEvent('It broke', 'error'), 'server', 'It broke'],
		[
			'an error of another type',
			sseEvent({ type: 'server_error', message: 'It broke' }, 'error'),
			'server',
			'It broke',
		],
		['an error that is a list', sseEvent([{ error: { message: 'It broke' } }], 'error'), 'server', 'It broke'],
		['a line that is called error', 'error: {"message":"It broke"}\n\n', 'server', 'It broke'],
		['a line of JSON', '{"error":{"code":"429","message":"Slow down"}}\n', 'rate-limited', 'Slow down'],
		['data of no type', sseEvent({ detail: 'It broke' }), 'server', 'It broke'],
		['data with an error', sseEvent({ error: { code: '402', message: 'Pay first' } }), 'payment-required', 'Pay first'],
	] as const) {
		it(`by ${name} is that error, after what came`, async () => {
			serve(response => sendEvents(response, delta('So far'), sent, delta('never'), completed));
			const { events, error } = await collect(client.responses.stream(request));
			assert.equal(textOf(events), 'So far');
			assert.ok(ClientError.is(error, code), String(error));
			assert.equal(error.serviceMessage, said);
		});
	}

	for (const [what, data] of [
		['data that is not JSON', '{oops sk-not-for-logs'],
		['data that is no object', '"hello"'],
		['data that is a list', '[]'],
	] as const) {
		it(`by ${what} is bad-response, after what came`, async () => {
			serve(response => sendEvents(response, delta('Fine.'), sseEvent(data), completed));
			const { events, error } = await collect(client.responses.stream(request));
			assert.equal(textOf(events), 'Fine.');
			assert.ok(ClientError.is(error, 'bad-response'));
			assert.ok(!error.message.includes('oops'));
		});
	}

	it('by an event over its limit is bad-response', async () => {
		client = testClient(server.origin, { fields: { enterpriseUrl: server.origin }, limits: { eventLength: 10_000 } });
		serve(response => sendEvents(response, delta('Fine.'), delta('x'.repeat(20_000)), completed));
		const { events, error } = await collect(client.responses.stream(request));
		assert.equal(textOf(events), 'Fine.');
		assert.ok(ClientError.is(error, 'bad-response'));
	});

	it('times out when no head comes, and ends on the server’s side', async () => {
		serve(() => {});
		const ended = collect(client.responses.stream(request));
		await waitFor('the request', () => server.received.length === 1);
		await client.clock.expire(LIMITS.streamFirstByteMs);
		assert.ok(ClientError.is((await ended).error, 'timeout'));
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('times out when the stream falls silent, after what came', async () => {
		serve(response => {
			beginEvents(response);
			response.write(delta('Then '));
		});
		const stream = client.responses.stream(request)[Symbol.asyncIterator]();
		assert.equal((await stream.next()).value?.type, 'response.output_text.delta');
		const next = stream.next();
		await client.clock.expire(LIMITS.idleMs);
		await assert.rejects(next, { code: 'timeout' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('throws aborted at once when its signal aborts, and ends on the server’s side', async () => {
		serve(response => {
			beginEvents(response);
			response.write(delta('a'));
		});
		const controller = new AbortController();
		const stream = client.responses.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
		await stream.next();
		const next = stream.next();
		controller.abort();
		await assert.rejects(next, { code: 'aborted', retryable: false });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('ends on the server’s side when the loop is left', async () => {
		serve(response => {
			beginEvents(response);
			response.write(delta('a'));
		});
		for await (const _ of client.responses.stream(request)) {
			break;
		}
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('closes a reply that is whole but that the server does not end', async () => {
		serve(response => {
			beginEvents(response);
			response.write(completed);
		});
		assert.equal((await collect(client.responses.stream(request))).error, undefined);
		await client.clock.expire(1000);
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('lets a slow reader hold the server back', async () => {
		const piece = Buffer.from(delta('x'.repeat(1000)).repeat(60));
		const limit = 64 * 1024 * 1024;
		const state = { sent: 0, isBlocked: false };
		serve(response => {
			beginEvents(response);
			return flood(response, piece, limit, state);
		});
		const stream = client.responses.stream(request)[Symbol.asyncIterator]();
		await stream.next();
		await heldBack(state);
		assert.ok(state.sent < limit / 2, `${state.sent} bytes were taken from the server though one event was read`);
		await stream.return?.();
	});
});
