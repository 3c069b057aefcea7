import assert from 'node:assert/strict';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { warmUp } from '../../../src/client/warmUp.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { testConnection } from './testClient.ts';

describe('warmUp', () => {
	let server: FaultServer;
	const fetched: string[] = [];
	const transport = createFetchTransport((url, init) => {
		fetched.push(url);
		return globalThis.fetch(url, init);
	});

	beforeEach(async () => {
		fetched.length = 0;
		server = await FaultServer.start(response => void response.writeHead(404).end());
	});
	afterEach(() => server.stop());

	it('opens the way to the chat host without a key or a message, whatever answers there', async () => {
		await warmUp(testConnection(server.origin), transport);
		assert.deepEqual(
			server.received.map(({ method, body, headers }) => [method, body, headers.authorization]),
			[['HEAD', '', undefined]],
		);
	});

	it('runs a request through the transport that does not leave the process', async () => {
		await warmUp(testConnection(server.origin), transport);
		assert.deepEqual(fetched.map(url => new URL(url).protocol).sort(), ['data:', 'http:']);
	});

	it('rejects where nothing answers', async () => {
		const { origin } = server;
		await server.stop();
		await assert.rejects(warmUp(testConnection(origin), transport));
	});
});
