import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { dropBody, pathOf, readJsonBody } from '../../../src/base/httpRequest.ts';
import { processorLaps } from '../../support/processorTime.ts';

describe('a request that is refused', () => {
	let server: Server;

	before(async () => {
		server = createServer((received, response) => {
			void dropBody(received).then(() => {
				response.writeHead(413, { connection: 'close' });
				response.end(pathOf(received));
			});
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
	});
	after(() => {
		server.closeAllConnections();
		server.close();
	});

	async function send(body: Buffer | undefined, path = '/a'): Promise<string> {
		const { port } = server.address() as AddressInfo;
		const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false });
		sent.end(body);
		const [response] = (await once(sent, 'response')) as [IncomingMessage];
		return text(response);
	}

	it('gets its answer after its body was read, so that it is not lost', async () => {
		assert.equal(await send(Buffer.alloc(32 * 1024 * 1024)), '/a');
	});

	it('gets its answer without a body too', async () => {
		assert.equal(await send(undefined), '/a');
	});

	it('has a path without a query', async () => {
		assert.equal(await send(undefined, '/a/b?c=/d?e'), '/a/b');
	});
});

describe('the body of a request', () => {
	let server: Server;

	before(async () => {
		server = createServer((received, response) => {
			void readJsonBody(received, 1).then(body => response.end(JSON.stringify(body)));
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
	});
	after(() => {
		server.closeAllConnections();
		server.close();
	});

	async function read(body: string): Promise<unknown> {
		const { port } = server.address() as AddressInfo;
		const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
		return response.json();
	}

	it('is JSON, in whatever pieces it comes', async () => {
		assert.deepEqual(await read('null'), { value: null });
		assert.deepEqual(await read(JSON.stringify({ text: 'é'.repeat(200_000) })), {
			value: { text: 'é'.repeat(200_000) },
		});
	});

	it('is refused with a sentence where it is no JSON or too large', async () => {
		for (const body of ['', '{"a":', 'undefined']) {
			assert.deepEqual(await read(body), {
				status: 400,
				problem: 'The request body is not valid JSON, or nested too deeply.',
			});
		}
		assert.deepEqual(await read(`"${'x'.repeat(1024 * 1024)}"`), {
			status: 413,
			problem: 'The request body is larger than 1 MB.',
		});
	});

	it('is not taken apart where it is nested too deeply', async () => {
		const brackets = Buffer.alloc(32 * 1024 * 1024, '[');
		const body = Readable.from([brackets, brackets.subarray(0, 1)]) as IncomingMessage;
		const lap = processorLaps();
		assert.equal('problem' in (await readJsonBody(body, 33)), true);
		assert.ok(lap() < 1_000);
	});
});
