import assert from 'node:assert/strict';
import { FaultServer, sendJson } from '../../../support/faultServer.ts';
import { type TestClient, testClient } from '../testClient.ts';

const record = {
	status: 'healthy',
	crypto_status: 'ready',
	server: 'enclave-1',
	version: '1.4.2',
	timestamp: 1763700000.25,
	worker_pid: 7,
};

describe('client.channel.health', () => {
	let server: FaultServer;
	let client: TestClient;
	const askedFor: string[] = [];

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, record));
		askedFor.length = 0;
		client = testClient('https://api.example', {
			fields: { orgUrl: server.origin, encryptUrl: server.origin },
			keys: kind => {
				askedFor.push(kind);
				return Promise.resolve('sk-a');
			},
		});
	});
	afterEach(() => server.stop());

	it('reads the record of the shared host', async () => {
		assert.deepEqual(await client.channel.health(), record);
		assert.equal(server.received[0]?.method, 'GET');
		assert.equal(server.received[0]?.path, '/health');
	});

	it('reads the record of a model on the organisation’s host, each name being one segment', async () => {
		await client.channel.health({ model: 'lab/large', provider: 'fast host' });
		assert.equal(server.received[0]?.path, '/enc/fast%20host/lab%2Flarge/health');
	});

	it('sends no key and does not ask for one', async () => {
		await client.channel.health();
		assert.equal(server.received[0]?.headers.authorization, undefined);
		assert.deepEqual(askedFor, []);
	});

	it('takes a record with anything missing', async () => {
		server.answer = response => sendJson(response, 200, { status: 'starting', version: null });
		const health = await client.channel.health();
		assert.equal(health.status, 'starting');
		assert.equal(health.version, undefined);
		assert.equal(health.crypto_status, undefined);
	});

	for (const body of [null, [], 'healthy', 7]) {
		it(`refuses ${JSON.stringify(body)}`, async () => {
			server.answer = response => sendJson(response, 200, body);
			await assert.rejects(client.channel.health(), { code: 'bad-response' });
		});
	}

	it('says what the server says when it is not up', async () => {
		server.answer = response => sendJson(response, 500, { error: 'Starting' });
		await assert.rejects(client.channel.health(), { code: 'server', status: 500, serviceMessage: 'Starting' });
	});

	it('refuses a name that cannot stand in an address', async () => {
		await assert.rejects(client.channel.health({ model: '..', provider: 'p' }), { code: 'invalid-request' });
		assert.equal(server.received.length, 0);
	});
});
