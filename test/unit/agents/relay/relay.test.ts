import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { postLargeBody } from '../../../support/largeBody.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { call, openTunnel, portOf, proxyCredentials, useRelay } from './relayHarness.ts';

const MEGABYTE = 1024 * 1024;

describe('the relay', () => {
	const open = useRelay();
	let folder: string;

	before(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-relay-'));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	it('passes on the calls that carry its token, in one form', async () => {
		const { relay, handled, refused } = await open();
		for (const [method, name] of [
			['POST', '/v1/chat/completions'],
			['POST', '/chat/completions'],
			['POST', '/v1/responses'],
			['POST', '/responses?stream=1'],
			['GET', '/v1/models?client_version=1'],
			['GET', '/models'],
		] as const) {
			assert.equal((await call(relay, { method, path: name })).body, 'served');
		}
		const key = { 'x-api-key': relay.token };
		assert.equal((await call(relay, { headers: key })).status, 200);
		assert.deepEqual(handled, [
			'POST /v1/chat/completions',
			'POST /v1/chat/completions',
			'POST /v1/responses',
			'POST /v1/responses',
			'GET /v1/models',
			'GET /v1/models',
			'GET /v1/models',
		]);
		assert.deepEqual(refused, []);
	});

	it('refuses every call without its token, before it looks at what is called', async () => {
		const { relay, handled, refused } = await open();
		const { token } = relay;
		for (const headers of [
			{},
			{ authorization: `Bearer ${token}x` },
			{ authorization: `Bearer ${token.slice(1)}` },
			{ authorization: token },
			{ authorization: 'Bearer ' },
			{ 'x-api-key': 'sk-other' },
			{ authorization: 'Bearer other', 'x-api-key': token },
			{ 'proxy-authorization': proxyCredentials(token) },
		]) {
			for (const name of ['/v1/models', '/elsewhere']) {
				const answer = await call(relay, { path: name, headers: headers as Record<string, string> });
				assert.equal(answer.status, 401, JSON.stringify(headers));
				assert.equal(JSON.parse(answer.body).error.code, 'unauthorized');
				assert.ok(!answer.body.includes(token));
			}
		}
		assert.deepEqual(handled, []);
		assert.deepEqual(refused, ['A call was refused: it did not carry the token of this run.']);
	});

	it('serves nothing but models, and says so in the shape that agents read', async () => {
		const { relay, handled, refused } = await open();
		for (const [method, name] of [
			['GET', '/'],
			['GET', '/v1/chat/completions'],
			['POST', '/v1/models'],
			['POST', '/v1/embeddings'],
			['POST', '/v1/v1/responses'],
			['POST', '/enterprise/v1/responses'],
			['PUT', '/errand/v1/upstreams'],
			['GET', '/v1/../models'],
		] as const) {
			const answer = await call(relay, { method, path: name });
			assert.equal(answer.status, 404, name);
			assert.match(JSON.parse(answer.body).error.message, /GET \/v1\/models/);
		}
		assert.deepEqual(handled, []);
		assert.equal(refused.length, 8);
		assert.match(refused[3] ?? '', /^The call POST \/v1\/embeddings was refused/);
	});

	it('reports what repeats once, and never more than ten of a kind', async () => {
		const { relay, refused } = await open();
		for (let index = 0; index < 15; index++) {
			await call(relay, { path: `/try/${index}` });
			await call(relay, { path: '/try/0' });
		}
		assert.equal(refused.length, 10);
		assert.match(refused[9] ?? '', /Further refusals of this kind are not listed\.$/);
	});

	it('cuts what is long before it goes into the log', async () => {
		const { relay, refused } = await open();
		await call(relay, { path: `/${'x'.repeat(5_000)}` });
		assert.ok((refused[0] ?? '').length < 300);
		assert.match(refused[0] ?? '', /x… was refused/);
	});

	it('refuses plain HTTP to other hosts, by name', async () => {
		const { relay, refused } = await open({ allowsHost: () => true });
		const answer = await call(relay, { path: 'http://packages.example/package' });
		assert.equal(answer.status, 403);
		assert.match(refused[0] ?? '', /packages\.example was refused: only encrypted/);
	});

	it('listens on a socket that another user of the sandbox can open, and removes it', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const file = path.join(folder, 'relay.sock');
		const { relay } = await open({ listen: { socket: file } });
		assert.equal(relay.socket, file);
		assert.equal(relay.url, undefined);
		assert.equal(statSync(file).mode & 0o777, 0o666);
		assert.equal((await call(relay)).body, 'served');
		await relay.close();
		assert.equal(existsSync(file), false);
	});

	it('takes a shorter place for a socket whose path would be too long', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const { relay } = await open({ listen: { socket: path.join(folder, 'x'.repeat(120), 'relay.sock') } });
		const { socket = '' } = relay;
		assert.equal((await call(relay)).body, 'served');
		assert.equal(statSync(path.dirname(socket)).mode & 0o777, 0o700);
		await relay.close();
		assert.equal(existsSync(path.dirname(socket)), false);
	});

	it('ends what is running when it is closed, and answers no request from then on', async () => {
		let ended = 0;
		const { relay } = await open({
			handle(_, response) {
				response.once('close', () => ended++);
				response.write('begun');
			},
		});
		const request = http.request(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${relay.token}` } });
		request.end();
		const [response] = (await once(request, 'response')) as [http.IncomingMessage];
		await once(response, 'data');
		await relay.close();
		await assert.rejects(text(response));
		assert.equal(ended, 1);
		await assert.rejects(call(relay), /ECONNREFUSED/);
		await relay.close();
	});

	it('gives each run a token of its own', async () => {
		const [one, other] = [await open(), await open()];
		assert.ok(one.relay.token.length >= 32);
		const headers = { authorization: `Bearer ${other.relay.token}` };
		assert.equal((await call(one.relay, { headers })).status, 401);
	});

	it('gives up a client that sends its head too slowly', async () => {
		const { relay } = await open({ limits: { headMs: 300 } });
		const socket = connect(portOf(relay), '127.0.0.1');
		socket.write('GET /v1/models HTTP/1.1\r\nHost');
		assert.match(await text(socket), /^HTTP\/1\.1 408/);
	});

	it('refuses a head that is too long', async () => {
		const { relay, handled } = await open();
		const headers = { authorization: `Bearer ${relay.token}`, 'x-long': 'x'.repeat(40_000) };
		assert.equal((await call(relay, { headers })).status, 431);
		assert.deepEqual(handled, []);
	});

	it('answers a refused call with a body of 100 MB without keeping it', async () => {
		const { relay } = await open();
		const { answer, held } = await postLargeBody(`${relay.url}/v1/responses`, 100);
		assert.ok(answer === 401 || /EPIPE|ECONNRESET/.test(String(answer)), String(answer));
		assert.ok(held < 40, `${held} MB`);
		assert.equal((await call(relay)).status, 200);
	});

	it('gives up a client that never reads its reply, and pauses the writer meanwhile', async () => {
		let written = 0;
		let closed = false;
		const { relay } = await open({
			limits: { unreadMs: 1_000 },
			handle(_, response) {
				response.once('close', () => {
					closed = true;
				});
				const fill = () => {
					while (!closed && response.write('x'.repeat(65_536))) {
						written += 65_536;
					}
				};
				response.on('drain', fill);
				fill();
			},
		});
		const socket = connect(portOf(relay), '127.0.0.1');
		socket.on('error', () => {});
		socket.write(`GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${relay.token}\r\n\r\n`);
		socket.pause();
		await waitFor('the end of the connection', () => closed);
		assert.ok(written < 64 * MEGABYTE, `${written}`);
		socket.destroy();
	});

	it('does not give up a client that waits for a slow model', async () => {
		const { relay } = await open({
			limits: { unreadMs: 200 },
			handle(_, response) {
				setTimeout(() => response.end('late'), 1_000);
			},
		});
		assert.equal((await call(relay)).body, 'late');
	});

	for (const kind of ['loopback', 'a socket'] as const) {
		it(`has a limit for open connections on ${kind}, which one that ends makes room in`, async function () {
			if (process.platform === 'win32' && kind === 'a socket') {
				this.skip();
			}
			const listen = kind === 'loopback' ? kind : { socket: path.join(folder, 'limit.sock') };
			const { relay, refused } = await open({ listen, limits: { connections: 3 } });
			const place = relay.socket === undefined ? { host: '127.0.0.1', port: portOf(relay) } : { path: relay.socket };
			const sockets = Array.from({ length: 3 }, () => connect(place));
			await Promise.all(sockets.map(socket => once(socket, 'connect')));
			await assert.rejects(call(relay));
			assert.match(refused[0] ?? '', /the agent had 3 open ones/);
			for (const socket of sockets) {
				socket.destroy();
			}
			await waitFor('room', () =>
				call(relay).then(
					({ status }) => status === 200,
					() => false,
				),
			);
		});
	}

	it('opens no tunnel without the token, and none to a host that was not allowed', async () => {
		const { relay, refused } = await open();
		assert.equal((await openTunnel(relay, 'packages.example:443')).status, 407);
		assert.deepEqual(refused, []);
		assert.equal((await openTunnel(relay, 'packages.example:443', proxyCredentials('other'))).status, 407);
		assert.equal((await openTunnel(relay, 'packages.example:443', proxyCredentials(relay.token))).status, 403);
		assert.equal((await openTunnel(relay, 'packages.example:0', proxyCredentials(relay.token))).status, 400);
		assert.deepEqual(refused.slice(1), [
			'The connection to packages.example:443 was refused: this host has not been allowed.',
			'The connection to packages.example:0 was refused: it is not a host and a port.',
		]);
	});
});
