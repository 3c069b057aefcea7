import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { inspect } from 'node:util';
import { ClientError } from '../../../src/base/errors.ts';
import { makeAuthority, makeCertificate } from '../../support/certificates.ts';
import { FaultServer, flood, heldBack, sendEvents, sendJson } from '../../support/faultServer.ts';
import { RawServer, replyOf } from '../../support/misbehaviour.ts';
import { waitFor } from '../../support/waitFor.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { describeWithBothTransports } from './core/bothTransports.ts';
import { connected, log } from './logServer.ts';
import { collect, testClient } from './testClient.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const taskReply = replyOf(JSON.stringify({ task: { id: 't1', status: 'processing' } }), JSON_TYPE);
const newTask = { prompt: 'Do it', repoUrl: 'https://host.example/a/b' };

describeWithBothTransports('a connection that is used again', transport => {
	let server: RawServer;
	beforeEach(async () => {
		server = await RawServer.start(socket => void socket.write(taskReply));
	});
	afterEach(() => server.stop());

	for (const how of ['ended', 'reset'] as const) {
		it(`does not fail a look-up when the service has ${how} it meanwhile`, async () => {
			const client = testClient(server.origin, { transport });
			for (let count = 0; count < 20; count++) {
				await client.tasks.get('t1');
				for (const socket of server.open) {
					how === 'ended' ? socket.end() : socket.resetAndDestroy();
				}
			}
			assert.ok(server.connections >= 20);
		});

		it(`does not make a task twice when the service has ${how} it at the request`, async () => {
			const client = testClient(server.origin, { transport });
			await client.tasks.get('t1');
			server.answer = socket => void (how === 'ended' ? socket.end() : socket.resetAndDestroy());
			await assert.rejects(client.tasks.create(newTask), { code: 'offline' });
			assert.equal(server.requests.filter(text => text.startsWith('POST')).length, 1);
		});
	}
});

describeWithBothTransports('300 streams side by side', transport => {
	it('are each whole and their own', async () => {
		const server = await FaultServer.start(async (response, { body }) => {
			const { model } = JSON.parse(body) as { model: string };
			for (let count = 0; count < 5; count++) {
				response.write(chunk({ content: `${model}.${count} ` }));
				await new Promise(resolve => setImmediate(resolve));
			}
			response.end(DONE);
		});
		try {
			const client = testClient(server.origin, { transport });
			const streams = Array.from({ length: 300 }, async (_, index) => {
				const { events, error } = await collect(client.chat.stream({ ...request, model: `m${index}` }));
				assert.equal(error, undefined);
				assert.equal(textOf(events), [0, 1, 2, 3, 4].map(count => `m${index}.${count} `).join(''));
			});
			await Promise.all(streams);
			assert.equal(server.received.length, 300);
		} finally {
			await server.stop();
		}
	});
});

describeWithBothTransports('a slow reader', transport => {
	for (const [what, open, piece] of [
		[
			'of a chat',
			(origin: string) => testClient(origin, { transport }).chat.stream(request),
			() => chunk({ content: 'x'.repeat(1000) }).repeat(60),
		],
		[
			'of a log',
			(origin: string) => testClient(origin, { transport }).tasks.follow('t1'),
			() => connected + log(0, { message: 'x'.repeat(1000) }).repeat(60),
		],
	] as const) {
		it(`${what} holds the service back`, async () => {
			const limit = 64 * 1024 * 1024;
			const state = { sent: 0, isBlocked: false };
			const server = await FaultServer.start(response => {
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				return flood(response, Buffer.from(piece()), limit, state);
			});
			try {
				const stream = open(server.origin)[Symbol.asyncIterator]();
				await stream.next();
				await heldBack(state);
				assert.ok(state.sent < limit / 2, `${state.sent} bytes were taken though one event was read`);
				await stream.return?.();
			} finally {
				await server.stop();
			}
		});
	}
});

describeWithBothTransports('a redirect', transport => {
	it('to another origin gets no request and no key, however it is written', async () => {
		const other = await FaultServer.start(response => sendEvents(response, DONE));
		const { host } = new URL(other.origin);
		let location = '';
		const server = await FaultServer.start(response => void response.writeHead(307, { location }).end());
		try {
			const own = new URL(server.origin).host;
			for (location of [
				`${other.origin}/chat/completions`,
				`//${host}/`,
				`\\\\${host}\\`,
				`/\\${host}/`,
				`http:\\\\${host}`,
				`http://${own}@${host}/`,
				`http://user:secret@${own}/`,
				` http://${host}/`,
				`HTTP://${host}`,
				`https://${own}/`,
				`ftp://${own}/`,
				'data:application/json,{}',
				'javascript:alert(1)',
				'http://',
				`http://${own}:99999/`,
			]) {
				const client = testClient(server.origin, { transport });
				await assert.rejects(client.chat.complete(request), error => {
					assert.ok(ClientError.is(error, 'bad-response'), `${location}: ${error}`);
					assert.doesNotMatch(inspect(error, { depth: 10 }), /sk-inference|secret/);
					return true;
				});
			}
			assert.equal(other.received.length, 0);
		} finally {
			await Promise.all([other.stop(), server.stop()]);
		}
	});

	it('whose body never ends is followed, and its connection ended', async () => {
		const server = await FaultServer.start((response, { path }) => {
			if (path === '/end') {
				sendJson(response, 200, { choices: [{ message: { content: 'arrived' } }] });
				return;
			}
			response.writeHead(307, { location: '/end', 'content-encoding': 'gzip' });
			response.write('x');
		});
		try {
			const { choices } = await testClient(server.origin, { transport }).chat.complete(request);
			assert.equal(choices[0]?.message?.content, 'arrived');
			assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
		} finally {
			await server.stop();
		}
	});

	it('from https to http is refused', async () => {
		const plain = await FaultServer.start(response => sendEvents(response, DONE));
		const authority = makeAuthority('Errand test');
		const certificates = tls.getCACertificates('default');
		tls.setDefaultCACertificates([...certificates, authority.cert]);
		const secure = createServer(makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }), (_, response) => {
			response.writeHead(307, { location: `${plain.origin}/` }).end();
		}).listen(0, '127.0.0.1');
		await once(secure, 'listening');
		try {
			const client = testClient(`https://127.0.0.1:${(secure.address() as AddressInfo).port}`, { transport });
			await assert.rejects(client.chat.complete(request), { code: 'bad-response', status: 307 });
			assert.equal(plain.received.length, 0);
		} finally {
			tls.setDefaultCACertificates(certificates);
			secure.close();
			secure.closeAllConnections();
			await plain.stop();
		}
	});
});

describeWithBothTransports('an abort', transport => {
	it('frees the connection at once', async () => {
		const server = await RawServer.start(socket => void socket.write('HTTP/1.1 200 OK\r\n\r\n'));
		const times: number[] = [];
		try {
			const client = testClient(server.origin, { transport });
			for (let count = 0; count < 20; count++) {
				const controller = new AbortController();
				const ended = collect(client.chat.stream(request, { signal: controller.signal }));
				await waitFor('the request', () => server.requests.length === count + 1);
				const [socket] = server.open;
				// A reset is an end like any other.
				const closed = socket && new Promise(resolve => socket.once('close', resolve));
				const start = performance.now();
				controller.abort();
				await closed;
				times.push(performance.now() - start);
				assert.ok(ClientError.is((await ended).error, 'aborted'));
			}
		} finally {
			await server.stop();
		}
		const median = times.sort((one, other) => one - other)[times.length / 2] ?? Number.NaN;
		// Far more than it takes, for a machine that has other things to do.
		assert.ok(median < 1000, `the server saw the end after ${median} ms`);
	});
});
