import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/base/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import { type FaultServer, flood, sendJson, useFaultServer } from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { request } from './chatWire.ts';
import { type TestClient, testClient } from './testClient.ts';

describe('client.chat.complete', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = useFaultServer(started => {
		server = started;
		client = testClient(server.origin);
	});

	it('gives the whole reply, unknown fields kept, None taken for absent', async () => {
		serve(response =>
			sendJson(response, 200, {
				id: 'c1',
				model: 'large:abc',
				system_fingerprint: 'None',
				extra: { kept: true },
				choices: [
					{
						index: 0,
						finish_reason: 'stop',
						message: { role: 'assistant', content: 'Because.', tool_calls: 'None', function_call: 'None' },
						provider_specific_fields: { native_finish_reason: 'end_turn' },
					},
				],
				usage: { prompt_tokens: 1, completion_tokens: 'None' },
			}),
		);
		const completion = await client.chat.complete({ ...request, stream: true });
		assert.equal(completion.choices[0]?.message?.content, 'Because.');
		assert.deepEqual(completion.choices[0]?.message?.tool_calls, []);
		assert.equal(completion.choices[0]?.provider_specific_fields?.native_finish_reason, 'end_turn');
		assert.equal(completion.system_fingerprint, undefined);
		assert.equal(completion.usage?.completion_tokens, undefined);
		assert.deepEqual(completion['extra'], { kept: true });
		assert.equal(JSON.parse(server.received[0]?.body ?? '').stream, undefined);
	});

	for (const [what, answer] of [
		[
			'a page',
			(response: ServerResponse) =>
				void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi sk-secret'),
		],
		['an empty body', (response: ServerResponse) => void response.writeHead(200).end()],
		['no choices', (response: ServerResponse) => sendJson(response, 200, { choices: [] })],
		['a list', (response: ServerResponse) => sendJson(response, 200, [])],
	] as const) {
		it(`refuses ${what}`, async () => {
			serve(answer);
			await assert.rejects(client.chat.complete(request), error => {
				assert.ok(ClientError.is(error, 'bad-response'));
				assert.ok(!error.message.includes('secret'));
				return true;
			});
		});
	}

	it('throws the error that stands in the place of a reply', async () => {
		serve(response => sendJson(response, 200, { error: { message: 'Gone', code: 404 } }));
		await assert.rejects(client.chat.complete(request), { code: 'not-found', serviceMessage: 'Gone' });
	});

	it('refuses a reply over its limit without reading all of it', async () => {
		client = testClient(server.origin, { limits: { jsonBytes: 100_000 } });
		serve(response => {
			response.writeHead(200, { 'content-type': 'application/json' });
			return flood(response, Buffer.alloc(64 * 1024, 'x'), Number.POSITIVE_INFINITY, { sent: 0, isBlocked: false });
		});
		await assert.rejects(client.chat.complete(request), { code: 'bad-response' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('waits longer for its first byte than a stream, then times out', async () => {
		serve(() => {});
		const reply = client.chat.complete(request);
		reply.catch(() => {});
		await waitFor('the request', () => server.received.length === 1);
		assert.equal(client.clock.running(LIMITS.streamFirstByteMs), 0);
		await client.clock.expire(LIMITS.replyFirstByteMs);
		await assert.rejects(reply, { code: 'timeout' });
	});

	it('ends on the server’s side when aborted', async () => {
		serve(() => {});
		const controller = new AbortController();
		const reply = client.chat.complete(request, { signal: controller.signal });
		reply.catch(() => {});
		await waitFor('the request', () => server.received.length === 1);
		controller.abort();
		await assert.rejects(reply, { code: 'aborted' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});
});
