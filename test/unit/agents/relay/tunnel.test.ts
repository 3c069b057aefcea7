import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { targetOf } from '../../../../src/agents/relay/tunnel.ts';
import { ProxyServer } from '../../../support/proxyServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { openTunnel, proxyCredentials, useRelay } from './relayHarness.ts';

const MEGABYTE = 1024 * 1024;

describe('a tunnel of the relay', () => {
	const open = useRelay();
	const servers: Server[] = [];
	const accepted = new Set<Socket>();

	/** A server on 127.0.0.1 that does `serve` with each connection. Resolves with its port. */
	async function listen(serve: (socket: Socket) => void): Promise<number> {
		const server = createServer(socket => {
			accepted.add(socket);
			socket.on('error', () => {});
			socket.once('close', () => accepted.delete(socket));
			serve(socket);
		});
		servers.push(server);
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return (server.address() as AddressInfo).port;
	}

	const echo = () => listen(socket => socket.pipe(socket));

	afterEach(() => {
		for (const socket of accepted) {
			socket.destroy();
		}
		for (const server of servers.splice(0)) {
			server.close();
		}
	});

	it('carries bytes both ways to an address that was allowed as what it is', async () => {
		const port = await echo();
		const asked: string[] = [];
		const { relay, refused } = await open({
			allowsHost(host, at) {
				asked.push(`${host}:${at}`);
				return true;
			},
		});
		for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST.']) {
			const { status, socket } = await openTunnel(relay, `${host}:${port}`, proxyCredentials(relay.token));
			assert.equal(status, 200);
			socket.end('there and back');
			assert.equal(await text(socket), 'there and back');
		}
		assert.deepEqual(asked, [`127.0.0.1:${port}`, `localhost:${port}`, `localhost:${port}`]);
		assert.deepEqual(refused, []);
	});

	it('takes the token as a bearer token too', async () => {
		const port = await echo();
		const { relay } = await open({ allowsHost: () => true });
		const { status, socket } = await openTunnel(relay, `127.0.0.1:${port}`, `Bearer ${relay.token}`);
		assert.equal(status, 200);
		socket.destroy();
	});

	it('is refused if an allowed name leads to this machine or its network', async () => {
		const port = await echo();
		const { relay, refused } = await open({
			allowsHost: host => host === 'packages.example',
			resolve: async host => (host === 'packages.example' ? ['127.0.0.1'] : []),
		});
		const { status } = await openTunnel(relay, `packages.example:${port}`, proxyCredentials(relay.token));
		assert.equal(status, 403);
		assert.deepEqual(refused, [
			`The connection to packages.example:${port} was refused: the name leads to 127.0.0.1:${port}, an address of this machine or its network, which has not been allowed.`,
		]);
		assert.equal(accepted.size, 0);
	});

	it('is refused if only one of the addresses of a name is private, in any form', async () => {
		for (const address of ['10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1', '0.0.0.0']) {
			const { relay, refused } = await open({
				allowsHost: host => host === 'packages.example',
				resolve: async () => ['203.0.113.9', address],
			});
			const { status } = await openTunnel(relay, 'packages.example:443', proxyCredentials(relay.token));
			assert.equal(status, 403, address);
			assert.match(refused[0] ?? '', /leads to/);
		}
	});

	it('leads to the private address of a name if that address was allowed as well', async () => {
		const port = await echo();
		const asked: unknown[] = [];
		const { relay } = await open({
			allowsHost(...question) {
				asked.push(question);
				return true;
			},
			resolve: async () => ['127.0.0.1'],
		});
		const { status, socket } = await openTunnel(relay, `packages.example:${port}`, proxyCredentials(relay.token));
		assert.equal(status, 200);
		socket.end('x');
		assert.equal(await text(socket), 'x');
		assert.deepEqual(asked, [
			['packages.example', port],
			['127.0.0.1', port, 'packages.example'],
		]);
	});

	it('looks a name up once, so that a second answer cannot lead elsewhere', async () => {
		const port = await echo();
		let lookUps = 0;
		const { relay } = await open({
			allowsHost: (host, at) => at === port && ['packages.example', '127.0.0.1'].includes(host),
			resolve: async () => {
				lookUps++;
				return [lookUps === 1 ? '127.0.0.1' : '127.0.0.2'];
			},
		});
		const { socket } = await openTunnel(relay, `packages.example:${port}`, proxyCredentials(relay.token));
		assert.equal(lookUps, 1);
		socket.destroy();
	});

	it('says what failed if a host cannot be found or reached', async () => {
		const port = await echo();
		servers[0]?.close();
		const { relay, refused } = await open({
			allowsHost: () => true,
			resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
		});
		assert.equal((await openTunnel(relay, 'gone.example:443', proxyCredentials(relay.token))).status, 502);
		assert.equal((await openTunnel(relay, `127.0.0.1:${port}`, proxyCredentials(relay.token))).status, 502);
		assert.deepEqual(refused, [
			'The connection to gone.example:443 could not be made (ENOTFOUND).',
			`The connection to 127.0.0.1:${port} could not be made (ECONNREFUSED).`,
		]);
	});

	it('goes through the proxy of the environment, which alone may know the name', async () => {
		const port = await echo();
		const proxy = await ProxyServer.start({ hosts: new Map([['packages.example', port]]) });
		proxy.credentials = 'user:pass word';
		const environment = {
			HTTPS_PROXY: proxy.url({ user: 'user', password: 'pass word' }),
			NO_PROXY: 'other.example, 10.0.0.0/8',
		};
		try {
			const { relay, refused } = await open({
				allowsHost: () => true,
				environment,
				resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
			});
			const { status, socket } = await openTunnel(relay, 'packages.example:443', proxyCredentials(relay.token));
			assert.equal(status, 200);
			socket.write('by the proxy');
			socket.resume();
			assert.equal(String((await once(socket, 'data'))[0]), 'by the proxy');
			socket.destroy();
			assert.deepEqual(proxy.requests, [
				{ method: 'CONNECT', target: 'packages.example:443', credentials: 'user:pass word' },
			]);
			// What is for this machine never goes there.
			const local = await openTunnel(relay, `127.0.0.1:${port}`, proxyCredentials(relay.token));
			assert.equal(local.status, 200);
			local.socket.destroy();
			assert.equal(proxy.requests.length, 1);
			proxy.refusal = 403;
			assert.equal((await openTunnel(relay, 'other-one.example:443', proxyCredentials(relay.token))).status, 502);
			assert.deepEqual(refused, [
				'The connection to other-one.example:443 could not be made (the proxy answered 403).',
			]);
		} finally {
			await proxy.stop();
		}
	});

	it('gives the proxy a password as it stands in the environment where it is not encoded', async () => {
		const port = await echo();
		const proxy = await ProxyServer.start({ hosts: new Map([['packages.example', port]]) });
		proxy.credentials = 'user:50%off';
		try {
			const environment = { HTTPS_PROXY: proxy.url().replace('://', '://user:50%off@') };
			const { relay } = await open({ allowsHost: () => true, environment });
			const { status, socket } = await openTunnel(relay, 'packages.example:443', proxyCredentials(relay.token));
			assert.equal(status, 200);
			socket.destroy();
		} finally {
			await proxy.stop();
		}
	});

	it('goes past the proxy for the hosts that the environment excepts', async () => {
		const port = await echo();
		for (const exceptions of ['*', 'packages.example', '.example', `*.example:${port}`]) {
			const { relay } = await open({
				allowsHost: () => true,
				environment: { https_proxy: 'http://127.0.0.1:9', no_proxy: exceptions },
				resolve: async () => ['127.0.0.1'],
			});
			const { status, socket } = await openTunnel(relay, `packages.example:${port}`, proxyCredentials(relay.token));
			assert.equal(status, 200, exceptions);
			socket.destroy();
		}
	});

	it('waits for a reader that takes nothing', async () => {
		let sent = 0;
		const port = await listen(socket => {
			const fill = () => {
				while (socket.write(Buffer.alloc(65_536))) {
					sent += 65_536;
				}
			};
			socket.on('drain', fill);
			fill();
		});
		const { relay } = await open({ allowsHost: () => true });
		const { socket } = await openTunnel(relay, `127.0.0.1:${port}`, proxyCredentials(relay.token));
		let last = -1;
		await waitFor('a pause', () => {
			const isPaused = sent === last;
			last = sent;
			return isPaused;
		});
		assert.ok(sent < 64 * MEGABYTE, `${sent}`);
		socket.destroy();
		await waitFor('the end of the other side', () => accepted.size === 0);
	});

	it('delivers all that the host sent before it closed, also to a slow reader', async () => {
		const size = 8 * MEGABYTE;
		const port = await listen(socket => socket.end(Buffer.alloc(size)));
		const { relay } = await open({ allowsHost: () => true });
		const { socket } = await openTunnel(relay, `127.0.0.1:${port}`, proxyCredentials(relay.token));
		let received = 0;
		for await (const piece of socket as AsyncIterable<Buffer>) {
			received += piece.length;
			await new Promise(resolve => setImmediate(resolve));
		}
		assert.equal(received, size);
	});

	it('ends when the relay is closed, also while it is being made', async () => {
		const port = await echo();
		const { relay } = await open({
			allowsHost: () => true,
			resolve: () => new Promise(() => {}),
		});
		const { socket } = await openTunnel(relay, `127.0.0.1:${port}`, proxyCredentials(relay.token));
		const pending = openTunnel(relay, 'never.example:443', proxyCredentials(relay.token));
		pending.catch(() => {});
		socket.resume();
		const ended = once(socket, 'close');
		await relay.close();
		await ended;
		await waitFor('the end of the other side', () => accepted.size === 0);
	});
});

describe('the target of a tunnel', () => {
	it('is a host and a port in one form', () => {
		assert.deepEqual(targetOf('Packages.Example.:443'), { host: 'packages.example', port: 443 });
		assert.deepEqual(targetOf('[::1]:8443'), { host: '[::1]', port: 8443 });
		// Other ways to write an address must not look like names.
		assert.deepEqual(targetOf('2130706433:80'), { host: '127.0.0.1', port: 80 });
		assert.deepEqual(targetOf('0x7f.1:80'), { host: '127.0.0.1', port: 80 });
	});

	it('is not read from anything but a host and a port', () => {
		for (const text of [
			'',
			'host',
			'host:',
			':443',
			'host:0',
			'host:65536',
			'user@host:443',
			'a b:443',
			'host/x:443',
		]) {
			assert.equal(targetOf(text), undefined, text);
		}
	});
});
