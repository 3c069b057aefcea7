import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import type { TransportRequest } from '../../../../src/client/core/transport.ts';
import { createLocalTransport } from '../../../../src/client/local/localTransport.ts';
import { LOCAL_ORIGIN } from '../../../../src/contract/localConnection.ts';

const requestTo = (url: string, signal = AbortSignal.timeout(10_000)): TransportRequest => ({
	method: 'GET',
	url,
	headers: { Authorization: 'Bearer local', Accept: 'application/json' },
	signal,
	connectTimeoutMs: 1000,
});

describe('createLocalTransport', () => {
	let server: http.Server;
	let seen: { url: string | undefined; headers: http.IncomingHttpHeaders }[];
	let address: string;
	let starts: number;

	beforeEach(async () => {
		seen = [];
		starts = 0;
		server = http.createServer((request, response) => {
			seen.push({ url: request.url, headers: request.headers });
			response.end('{}');
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});

	afterEach(() => {
		server.closeAllConnections();
		server.close();
	});

	const transport = () =>
		createLocalTransport(
			createFetchTransport((url, init) => fetch(url, init)),
			async () => {
				starts++;
				return { address, token: 'the-token' };
			},
		);

	it('puts the present address and the token in place, and keeps path, query and other headers', async () => {
		const response = await transport().request(requestTo(`${LOCAL_ORIGIN}/api/tasks?limit=5`));
		assert.equal(response.status, 200);
		for await (const _ of response.body) {
		}
		assert.equal(seen[0]?.url, '/api/tasks?limit=5');
		assert.equal(seen[0]?.headers.authorization, 'Bearer the-token');
		assert.equal(seen[0]?.headers.accept, 'application/json');
	});

	it('carries nothing to any other address, and starts nothing for it', async () => {
		for (const url of ['http://127.0.0.1/', 'https://127.0.0.1:0/', 'http://localhost:0/', `${address}/`]) {
			await assert.rejects(transport().request(requestTo(url)), TypeError);
		}
		assert.equal(starts, 0);
		assert.equal(seen.length, 0);
	});

	it('starts nothing for a request that was given up before it began', async () => {
		await assert.rejects(transport().request(requestTo(`${LOCAL_ORIGIN}/`, AbortSignal.abort())), {
			name: 'AbortError',
		});
		assert.equal(starts, 0);
	});
});
