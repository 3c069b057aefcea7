import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { dropBody, pathOf } from '../../../src/base/httpRequest.ts';

describe('a request that is refused', function () {
	this.timeout(30_000);
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
