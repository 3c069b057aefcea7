import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type FaultServer, sendJson, useFaultServer } from '../../support/faultServer.ts';
import { type TestClient, testClient } from './testClient.ts';

describe('client.models.discover', () => {
	let server: FaultServer;
	let client: TestClient;
	useFaultServer(started => {
		server = started;
		client = testClient(server.origin);
	});

	it('asks once, with the key, and gives the models', async () => {
		server.answer = response =>
			sendJson(response, 200, {
				object: 'list',
				data: [
					{ id: 'large', object: 'model', owned_by: 'vega', name: 'Large', context_length: 8000 },
					{ id: 'small', name: 'None', context_length: 'much' },
				],
			});
		assert.deepEqual(JSON.parse(JSON.stringify(await client.models.discover())), [
			{ id: 'large', object: 'model', owned_by: 'vega', name: 'Large', context_length: 8000 },
			{ id: 'small' },
		]);
		assert.equal(server.received.length, 1);
		const [received] = server.received;
		assert.equal(`${received?.method} ${received?.path}`, 'GET /v1/models');
		assert.equal(received?.headers.authorization, 'Bearer sk-inference');
	});

	it('leaves out what is no model', async () => {
		server.answer = response => sendJson(response, 200, { data: [null, {}, { id: '' }, 'x', { id: 'large' }] });
		assert.deepEqual(
			(await client.models.discover())?.map(({ id }) => id),
			['large'],
		);
	});

	it('leaves out an id that shows as something else or as nothing, and every name that does', async () => {
		const long = 'x'.repeat(1_000_000);
		const bad = ['large\u200b', '\u202eegral', ' large', 'la\nrge', long];
		server.answer = response =>
			sendJson(response, 200, {
				data: [
					{ id: 'large' },
					{ id: 'large' },
					...bad.map(id => ({ id })),
					...bad.map((name, at) => ({ id: `m${at}`, name })),
				],
			});
		assert.deepEqual(
			(await client.models.discover())?.map(({ id, name }) => [id, name]),
			['large', 'm0', 'm1', 'm2', 'm3', 'm4'].map(id => [id, undefined]),
		);
	});

	it('tells a list of no models from no list', async () => {
		server.answer = response => sendJson(response, 200, { data: [] });
		assert.deepEqual(await client.models.discover(), []);
	});

	for (const [what, answer] of [
		['404', (response: ServerResponse) => sendJson(response, 404, { error: 'No such path' })],
		['a page', (response: ServerResponse) => void response.writeHead(200).end('<p>Hello</p>')],
		['an object without a list', (response: ServerResponse) => sendJson(response, 200, { models: [] })],
		['a list alone', (response: ServerResponse) => sendJson(response, 200, [{ id: 'large' }])],
		[
			'an error in place of a list',
			(response: ServerResponse) => sendJson(response, 200, { error: { message: 'no' } }),
		],
		['nothing', (response: ServerResponse) => void response.writeHead(200).end()],
	] as const) {
		it(`gives nothing for ${what}, silently`, async () => {
			server.answer = answer;
			assert.equal(await client.models.discover(), undefined);
			assert.equal(server.received.length, 1);
		});
	}

	for (const [status, code] of [
		[401, 'unauthorised'],
		[429, 'rate-limited'],
		[503, 'server'],
	] as const) {
		it(`tells of ${status}, and does not try again`, async () => {
			server.answer = response => sendJson(response, status, {});
			await assert.rejects(client.models.discover(), { code });
			assert.equal(server.received.length, 1);
		});
	}
});
