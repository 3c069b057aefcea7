import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { nullLogger } from '../../../src/base/logger.ts';
import { IdleWatch } from '../../../src/service/idleWatch.ts';
import { createApp, startServer } from '../../../src/service/server.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { errorOf } from './helpers.ts';

const MEGABYTE = 1024 * 1024;

describe('the guard of the local service', () => {
	let service: ServiceProcess;
	let port: number;

	before(async () => {
		service = await ServiceProcess.start();
		port = Number(new URL(service.address).port);
	});
	after(() => service.stop());

	/** A request whose Host and Origin can be anything, which fetch does not allow. */
	async function request(
		target: string,
		headers: Record<string, string>,
		method = 'GET',
	): Promise<{ status: number; body: string; headers: http.IncomingHttpHeaders }> {
		const sent = http.request({ host: '127.0.0.1', port, path: target, method, headers, agent: false });
		sent.end();
		const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
		return { status: response.statusCode ?? 0, body: await text(response), headers: response.headers };
	}

	/** Bytes as they are; the reply until the server closes. */
	async function raw(bytes: string): Promise<string> {
		const socket = connect(port, '127.0.0.1');
		socket.write(bytes);
		return await text(socket);
	}

	const authorization = () => `Bearer ${service.token}`;
	const host = () => `127.0.0.1:${port}`;

	it('lets its own two names pass', async () => {
		for (const name of ['127.0.0.1', 'localhost']) {
			const { status } = await request('/api/tasks', {
				host: `${name}:${port}`,
				authorization: authorization(),
			});
			assert.equal(status, 200, name);
		}
	});

	for (const [name, value] of Object.entries({
		'another name': (own: number) => `attacker.example:${own}`,
		'no port': () => '127.0.0.1',
		'another port': (own: number) => `127.0.0.1:${own + 1}`,
		'the name of a page that was made to point here': (own: number) => `127.0.0.1.attacker.example:${own}`,
		'an IPv6 address': (own: number) => `[::1]:${own}`,
	})) {
		it(`refuses a Host of ${name}, even with the token`, async () => {
			const { status, body } = await request('/api/tasks', { host: value(port), authorization: authorization() });
			assert.equal(status, 403);
			assert.match(body, /Host header must be/);
		});
	}

	it('refuses a request with two Host headers', async () => {
		const head = `GET /api/tasks HTTP/1.1\r\nHost: ${host()}\r\nHost: attacker.example\r\n`;
		const reply = await raw(`${head}Authorization: ${authorization()}\r\nConnection: close\r\n\r\n`);
		assert.match(reply, /^HTTP\/1\.1 40[03] /);
	});

	it('refuses a target that is a whole address', async () => {
		const head = `GET http://attacker.example/api/tasks HTTP/1.1\r\nHost: ${host()}\r\n`;
		const reply = await raw(`${head}Authorization: ${authorization()}\r\nConnection: close\r\n\r\n`);
		assert.match(reply, /^HTTP\/1\.1 400 /);
	});

	it('refuses a path with backslashes, which could be read as another one, with a sentence', async () => {
		for (const target of ['/errand/v1/images/..\\..\\..\\api\\tasks', '/\\']) {
			const { status, body } = await request(target, { host: host(), authorization: authorization() });
			assert.equal(status, 400, target);
			assert.match(String(JSON.parse(body).error), /without backslashes/);
		}
	});

	it('refuses whatever a web page sends, and gives no page a right', async () => {
		for (const origin of ['https://attacker.example', 'null', `http://127.0.0.1:${port}`]) {
			const reply = await request('/api/tasks', { host: host(), origin, authorization: authorization() });
			assert.equal(reply.status, 403, origin);
			assert.equal(reply.headers['access-control-allow-origin'], undefined);
		}
		const preflight = await request('/api/tasks', { host: host(), origin: 'https://attacker.example' }, 'OPTIONS');
		assert.equal(preflight.status, 403);
	});

	it('refuses a missing, malformed or wrong token before it says whether an address exists', async () => {
		for (const headers of [
			{},
			{ authorization: service.token },
			{ authorization: `Basic ${service.token}` },
			{ authorization: `Bearer ${service.token}x` },
			{ authorization: `Bearer ${service.token.slice(0, -1)}` },
			{ authorization: 'Bearer ' },
		]) {
			for (const target of ['/api/tasks', '/nowhere', '/errand/v1/lease']) {
				const { status, body } = await request(target, { host: host(), ...headers });
				assert.equal(status, 401, `${target} ${JSON.stringify(headers)}`);
				assert.match((JSON.parse(body) as { error: string }).error, /Valid credentials are needed/);
				assert.ok(!body.includes(service.token));
			}
		}
	});

	it('takes the token as `x-api-key` as well, but not beside another one', async () => {
		const status = async (headers: Record<string, string>) =>
			(await request('/api/tasks', { host: host(), ...headers })).status;
		assert.match((await request('/api/tasks', { host: host() })).body, /Authorization: Bearer or as x-api-key/);
		assert.equal(await status({ 'x-api-key': service.token }), 200);
		assert.equal(await status({ 'x-api-key': `${service.token}x` }), 401);
		assert.equal(await status({ authorization: 'Bearer other', 'x-api-key': service.token }), 401);
	});

	it('lets images be read without the token, and nothing else by a path that only looks like theirs', async () => {
		const name = 'A'.repeat(43);
		for (const [target, method] of [
			[`/errand/v1/images/${name}`, 'GET'],
			[`/errand/v1/images/${name}?x=1`, 'HEAD'],
		] as const) {
			assert.equal((await request(target, { host: host() }, method)).status, 404, target);
		}
		for (const [target, method] of [
			['/errand/v1/images/../../../api/tasks', 'GET'],
			['/errand/v1/images/%2e%2e/%2e%2e/%2e%2e/api/tasks', 'GET'],
			['/errand/v1/images/..%2f..%2f..%2fapi/tasks', 'GET'],
			[`/errand/v1/images/${name}/../lease`, 'GET'],
			[`/errand/v1/images/${name}/../../lease`, 'GET'],
			[`//errand/v1/images/${name}`, 'GET'],
			[`/errand/v1/images/${name}/`, 'GET'],
			['/errand/v1/images/', 'GET'],
			[`/errand/v1/images/${name}`, 'POST'],
		] as const) {
			assert.equal((await request(target, { host: host() }, method)).status, 401, target);
		}
	});

	it('answers in the form of the area that was asked', async () => {
		const chat = await request('/chat/completions', { host: host() }, 'POST');
		assert.equal(chat.status, 401);
		const { error } = JSON.parse(chat.body) as { error: { message: string; code: string } };
		assert.equal(error.code, 'unauthorized');
		assert.match(error.message, /credentials/);
	});

	it('answers 404 for an unknown address or method, with the token', async () => {
		assert.match(await errorOf(await service.fetch('/nowhere'), 404), /no such address/);
		assert.match(await errorOf(await service.fetch('/chat/completions'), 404), /no such address/);
		assert.match(await errorOf(await service.fetch('/api/tasks', { method: 'DELETE' }), 404), /no such address/);
	});

	it('caps bodies at 1 MB for tasks and at 16 MB for chat, with or without a length', async () => {
		const task = JSON.stringify({ prompt: 'x'.repeat(MEGABYTE), repoUrl: '/' });
		assert.match(await errorOf(await service.fetch('/api/tasks', { method: 'POST', body: task }), 413), /1 MB/);
		const messages = [{ role: 'user', content: 'x'.repeat(16 * MEGABYTE) }];
		const chat = JSON.stringify({ model: 'demo', messages });
		assert.match(await errorOf(await service.fetch('/chat/completions', { method: 'POST', body: chat }), 413), /16 MB/);
		// Without a length the body comes in chunks, and is refused as soon as it is too long.
		const pieces = new Blob([new Uint8Array(3 * MEGABYTE).fill(0x20)]).stream();
		const chunked = await service.fetch('/api/tasks', { method: 'POST', body: pieces, duplex: 'half' } as RequestInit);
		assert.match(await errorOf(chunked, 413), /1 MB/);
	});

	it('tells a client that sends a large body with a wrong token why, instead of hanging up on it', async () => {
		const socket = connect(port, '127.0.0.1');
		const length = 12 * MEGABYTE;
		const head = `POST /chat/completions HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer wrong\r\n`;
		const failure = await new Promise<unknown>(resolve => {
			socket.once('error', resolve);
			socket.write(`${head}Content-Length: ${length}\r\n\r\n`);
			socket.write(Buffer.alloc(length, 0x20), resolve);
		});
		assert.equal(failure ?? undefined, undefined);
		assert.match(await text(socket), /^HTTP\/1\.1 401 /);
	});

	it('takes a body just under the cap', async () => {
		const messages = [{ role: 'user', content: 'x'.repeat(15 * MEGABYTE) }];
		const response = await service.fetch('/chat/completions', { json: { model: 'demo', messages, max_tokens: 1 } });
		assert.equal(response.status, 200);
	});

	it('ends a connection whose head does not come', async () => {
		const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
		const server = await startServer({
			token: 'unused',
			port: 0,
			app: createApp(nullLogger),
			idleWatch: () => idleWatch,
			headersTimeoutMs: 200,
		});
		try {
			const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
			socket.write('GET / HTTP/1.1\r\nHost: ');
			assert.match(await text(socket), /^HTTP\/1\.1 408 /);
		} finally {
			idleWatch.dispose();
			await server.close(0);
		}
	});

	it('listens on the loopback address only', async () => {
		const { networkInterfaces } = await import('node:os');
		const others = Object.values(networkInterfaces())
			.flatMap(entries => entries ?? [])
			.filter(entry => !entry.internal && entry.family === 'IPv4');
		for (const { address } of others) {
			const socket = connect(port, address);
			const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
			assert.equal(error.code, 'ECONNREFUSED');
		}
	});
});
