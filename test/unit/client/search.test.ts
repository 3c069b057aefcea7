import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { type FaultServer, sendEvents, useFaultServer } from '../../support/faultServer.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { collect, testClient } from './testClient.ts';

describe('client.search.stream', () => {
	let server: FaultServer;
	useFaultServer(started => {
		server = started;
	});

	it('asks the search model of the service on the path with a version', async () => {
		server.answer = response =>
			sendEvents(
				response,
				chunk({ content: 'Rain.' }),
				chunk({
					annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example/', start_index: -1 } }],
				}),
				DONE,
			);
		const client = testClient(server.origin, { fields: { service: 'acme' } });
		const { events, error } = await collect(client.search.stream(request.messages));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'Rain.');
		const annotations = events.find(event => event.type === 'annotations')?.annotations;
		assert.equal(annotations?.[0]?.url_citation?.start_index, -1);
		const [received] = server.received;
		assert.equal(received?.path, '/v1/chat/completions');
		assert.equal(received?.headers.authorization, 'Bearer sk-inference');
		assert.deepEqual(JSON.parse(received?.body ?? ''), {
			model: 'acme-search',
			messages: request.messages,
			stream: true,
		});
	});

	it('takes the policy along on that path, and refuses one that leaves no provider', async () => {
		server.answer = response => sendEvents(response, DONE);
		const client = testClient(server.origin, { fields: { service: 'acme' } });
		const provider = { only: ['a'], zdr: true };
		assert.equal((await collect(client.search.stream(request.messages, { provider }))).error, undefined);
		const [received] = server.received;
		assert.equal(received?.path, '/v1/chat/completions');
		assert.deepEqual(JSON.parse(received?.body ?? '').provider, provider);
		const { error } = await collect(client.search.stream(request.messages, { provider: { only: [] } }));
		assert.ok(ClientError.is(error, 'invalid-request'));
		assert.equal(server.received.length, 1);
	});

	it('takes instructions and parameters along, as any chat request does', async () => {
		server.answer = response => sendEvents(response, DONE);
		const client = testClient(server.origin, { fields: { service: 'acme' } });
		const messages = [{ role: 'system' as const, content: 'Be brief.' }, ...request.messages];
		const { error } = await collect(client.search.stream(messages, { temperature: 0.2, max_tokens: 50 }));
		assert.equal(error, undefined);
		assert.deepEqual(JSON.parse(server.received[0]?.body ?? ''), {
			model: 'acme-search',
			messages,
			temperature: 0.2,
			max_tokens: 50,
			stream: true,
		});
	});

	it('goes to the enterprise host by plan', async () => {
		server.answer = response => sendEvents(response, DONE);
		const client = testClient('https://api.example', { fields: { plan: 'enterprise', enterpriseUrl: server.origin } });
		assert.equal((await collect(client.search.stream(request.messages))).error, undefined);
		assert.equal(server.received[0]?.path, '/v1/chat/completions');
	});

	it('refuses to ask nothing', async () => {
		const { error } = await collect(testClient(server.origin).search.stream([]));
		assert.ok(ClientError.is(error, 'invalid-request'));
		assert.equal(server.received.length, 0);
	});

	it('is truncated without an end, after what came', async () => {
		server.answer = response => sendEvents(response, chunk({ content: 'Ra' }));
		const { events, error } = await collect(testClient(server.origin).search.stream(request.messages));
		assert.equal(textOf(events), 'Ra');
		assert.ok(ClientError.is(error, 'truncated'));
	});

	it('ends on the server’s side when aborted', async () => {
		server.answer = response => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			response.write(chunk({ content: 'Ra' }));
		};
		const controller = new AbortController();
		const stream = testClient(server.origin).search.stream(request.messages, { signal: controller.signal });
		const reader = stream[Symbol.asyncIterator]();
		await reader.next();
		controller.abort();
		await assert.rejects(reader.next(), { code: 'aborted' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});
});
