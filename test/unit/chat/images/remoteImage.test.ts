import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { loadRemoteImage, MAXIMUM_IMAGE_BYTES } from '../../../../src/chat/images/remoteImage.ts';
import { makeAuthority, makeCertificate } from '../../../support/certificates.ts';

const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

describe('a remote image', () => {
	const servers: Server[] = [];

	afterEach(() => {
		for (const server of servers.splice(0)) {
			server.closeAllConnections();
			server.close();
		}
	});

	async function serve(listener: RequestListener): Promise<string> {
		const server = createServer(listener).listen(0, '127.0.0.1');
		servers.push(server);
		await new Promise(resolve => server.once('listening', resolve));
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	}

	const load = (address: string, trusted: string[] = [], resolve = async (): Promise<string[]> => []) =>
		loadRemoteImage(address, { resolve, trustedOrigins: trusted });

	/** Resolves with the addresses that were tried. It ends with the first one, because no server answers there. */
	async function tryOnce(address: string, resolve: () => Promise<string[]>) {
		const tried: string[] = [];
		const abort = new AbortController();
		const onSocket = (message: unknown) =>
			(message as { socket: Socket }).socket.on('connectionAttempt', where => {
				tried.push(where);
				abort.abort();
			});
		subscribe('net.client.socket', onSocket);
		try {
			const image = await loadRemoteImage(address, { resolve, trustedOrigins: [], signal: abort.signal });
			return { image, tried };
		} finally {
			unsubscribe('net.client.socket', onSocket);
		}
	}

	it('is loaded from the service itself, whatever type it says it has', async () => {
		const origin = await serve((_, response) => response.setHeader('content-type', 'text/html').end(PNG));
		const image = await load(`${origin}/i`, [origin]);
		assert.ok(image.kind === 'loaded');
		assert.equal(image.type, 'image/png');
		assert.deepEqual(Buffer.from(image.bytes), PNG);
	});

	it('is known by its first bytes and by nothing else', async () => {
		const types = {
			'image/png': PNG,
			'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
			'image/gif': Buffer.from('GIF89a......'),
			'image/webp': Buffer.from('RIFF....WEBPVP8 '),
		};
		for (const [type, bytes] of Object.entries(types)) {
			const image = await load(`data:text/html;base64,${bytes.toString('base64')}`);
			assert.equal(image.kind === 'loaded' && image.type, type);
		}
		for (const other of [
			'<svg xmlns="http://www.w3.org/2000/svg"/>',
			'<!doctype html>',
			'BM....',
			'',
			'x\n\x89PNG\r\n\x1a\n',
		]) {
			const address = `data:image/png;base64,${Buffer.from(other, 'latin1').toString('base64')}`;
			assert.deepEqual(await load(address), { kind: 'refused', reason: 'type' }, other);
		}
		assert.deepEqual(await load('data:image/png,plain'), { kind: 'refused', reason: 'type' });
	});

	it('refuses this machine and its network before anything is sent', async () => {
		const asked: string[] = [];
		const origin = await serve((request, response) => {
			asked.push(request.url ?? '');
			response.end(PNG);
		});
		const { port } = new URL(origin);
		for (const host of [
			'127.0.0.1',
			'localhost',
			'a.localhost',
			'[::1]',
			'0.0.0.0',
			'2130706433',
			'0x7f.1',
			'[::ffff:127.0.0.1]',
			'localhost.',
			'printer.local',
		]) {
			assert.deepEqual(await load(`http://${host}:${port}/`), { kind: 'refused', reason: 'private' }, host);
		}
		assert.deepEqual(await load(`http://rebound.example:${port}/`, [], async () => ['127.0.0.1']), {
			kind: 'refused',
			reason: 'private',
		});
		// Another port of the same machine is another origin.
		assert.deepEqual(await load(origin, ['http://127.0.0.1:1']), { kind: 'refused', reason: 'private' });
		assert.deepEqual(asked, []);
	});

	it('refuses what is no address of the web, or holds a password', async () => {
		for (const address of [
			'',
			'x.png',
			'file:///etc/passwd',
			'command:x',
			'javascript:1',
			'https://a:b@images.example/',
		]) {
			assert.deepEqual(await load(address), { kind: 'refused', reason: 'address' }, address);
		}
	});

	it('follows a redirect within its origin and refuses one that leaves it', async () => {
		const asked: string[] = [];
		const other = await serve((request, response) => {
			asked.push(request.url ?? '');
			response.end(PNG);
		});
		const origin = await serve((request, response) => {
			const target = { '/near': '/image', '/far': `${other}/secret`, '/round': '/round' }[request.url ?? ''];
			target ? response.writeHead(302, { location: target }).end() : response.end(PNG);
		});
		const trusted = [origin, other];
		assert.equal((await load(`${origin}/near`, trusted)).kind, 'loaded');
		assert.deepEqual(await load(`${origin}/far`, trusted), { kind: 'refused', reason: 'redirected' });
		assert.deepEqual(await load(`${origin}/round`, trusted), { kind: 'refused', reason: 'redirected' });
		assert.deepEqual(asked, []);
	});

	it('sends neither cookies nor a referrer', async () => {
		let headers: Record<string, unknown> = {};
		const origin = await serve((request, response) => {
			headers = request.headers;
			response.end(PNG);
		});
		await load(`${origin}/i`, [origin]);
		for (const name of ['cookie', 'referer', 'authorization', 'origin']) {
			assert.equal(headers[name], undefined, name);
		}
	});

	it('stops reading where it is too large, however long it says it is', async () => {
		let ended = false;
		const origin = await serve((_, response) => {
			response.on('close', () => {
				ended = true;
			});
			const piece = Buffer.alloc(1_000_000);
			const write = () => {
				while (!response.destroyed && response.write(piece));
			};
			response.on('drain', write);
			response.write(PNG);
			write();
		});
		assert.deepEqual(await load(`${origin}/endless`, [origin]), { kind: 'refused', reason: 'too-large' });
		while (!ended) {
			await new Promise(resolve => setImmediate(resolve));
		}
		const long = Buffer.concat([PNG, Buffer.alloc(MAXIMUM_IMAGE_BYTES)]).toString('base64');
		assert.deepEqual(await load(`data:image/png;base64,${long}`), { kind: 'refused', reason: 'too-large' });
	});

	it('says that a server could not be reached, or said no', async () => {
		const origin = await serve((_, response) => response.writeHead(404).end(PNG));
		assert.deepEqual(await load(origin, [origin]), { kind: 'refused', reason: 'unreachable' });
		assert.deepEqual(await load('http://127.0.0.1:1/', ['http://127.0.0.1:1']), {
			kind: 'refused',
			reason: 'unreachable',
		});
	});

	it('is asked for at no other address than the one that was judged, whatever its name leads to by then', async () => {
		const asked: string[] = [];
		const origin = await serve((request, response) => {
			asked.push(request.url ?? '');
			response.end(PNG);
		});
		let looks = 0;
		const resolve = async () => (looks++ === 0 ? ['203.0.113.7'] : ['127.0.0.1']);
		const { image, tried } = await tryOnce(`http://rebound.example:${new URL(origin).port}/metadata`, resolve);
		assert.deepEqual(image, { kind: 'refused', reason: 'unreachable' });
		assert.deepEqual(tried, ['203.0.113.7']);
		assert.equal(looks, 1);
		assert.deepEqual(asked, []);
	});

	it('is not asked for over a connection that another extension has left open to another address', async () => {
		const asked: string[] = [];
		const origin = await serve((request, response) => {
			asked.push(request.url ?? '');
			response.end(PNG);
		});
		const address = `http://rebound.example:${new URL(origin).port}`;
		// Another extension could do this while the name still led here.
		const lookup: LookupFunction = (_, { all }, done) =>
			all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
		await new Promise((resolve, reject) => {
			get(`${address}/theirs`, { lookup }, response => response.resume().on('end', resolve)).on('error', reject);
		});
		// The connection is free for others in a later turn.
		await new Promise(resolve => setImmediate(resolve));
		const image = await load(`${address}/metadata`, [], async () => ['203.0.113.7']);
		assert.deepEqual(image, { kind: 'refused', reason: 'unreachable' });
		assert.deepEqual(asked, ['/theirs']);
	});

	it('takes the next address of a name where one of them does not answer', async () => {
		const origin = await serve((_, response) => response.end(PNG));
		const named = `http://images.example:${new URL(origin).port}`;
		const image = await load(`${named}/i`, [named], async () => ['::1', '127.0.0.1']);
		assert.equal(image.kind, 'loaded');
	});

	it('is unreachable if its name is not known here and there is no proxy to ask', async () => {
		for (const resolve of [async () => [], () => Promise.reject(new Error('ENOTFOUND'))]) {
			const image = await load('http://images.example/i', [], resolve);
			assert.deepEqual(image, { kind: 'refused', reason: 'unreachable' });
		}
	});

	it('comes from no server whose certificate is for a name other than that in the address', async () => {
		const authority = makeAuthority('Errand Test Images');
		const defaults = getCACertificates('default');
		setDefaultCACertificates([...defaults, authority.cert]);
		try {
			for (const [host, expected] of [
				['images.example', 'loaded'],
				['other.example', 'refused'],
			] as const) {
				const asked: string[] = [];
				const certificate = makeCertificate({ hosts: [host], issuer: authority });
				const server = createSecureServer(certificate, (request, response) => {
					asked.push(request.url ?? '');
					response.end(PNG);
				}).listen(0, '127.0.0.1');
				servers.push(server);
				await once(server, 'listening');
				const named = `https://images.example:${(server.address() as AddressInfo).port}`;
				const image = await load(`${named}/i`, [named], async () => ['127.0.0.1']);
				assert.equal(image.kind, expected, host);
				assert.deepEqual(asked, expected === 'loaded' ? ['/i'] : [], host);
			}
		} finally {
			setDefaultCACertificates(defaults);
		}
	});

	it('is not asked for where servers of other protocols are, unless the connection has its host there', async () => {
		for (const [port, expected] of [
			[22, []],
			[25, []],
			[6667, []],
			[8443, ['203.0.113.7']],
		] as const) {
			const { tried } = await tryOnce(`http://images.example:${port}/i`, async () => ['203.0.113.7']);
			assert.deepEqual(tried, expected, String(port));
		}
	});
});
