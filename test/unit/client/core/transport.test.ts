import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { failureOf } from '../../../../src/client/core/failures.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../../src/client/core/transport.ts';
import { createUndiciTransport } from '../../../../src/client/core/undiciTransport.ts';
import { type Answer, beginEvents, FaultServer, flood, heldBack } from '../../../support/faultServer.ts';
import { waitFor } from '../../../support/waitFor.ts';

function requestTo(url: string, fields: Partial<TransportRequest> = {}): TransportRequest {
	return { method: 'GET', url, headers: {}, signal: new AbortController().signal, connectTimeoutMs: 10_000, ...fields };
}

async function textOf(response: TransportResponse): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of response.body) {
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString();
}

/** What both transports promise, whichever of them a program runs on. */
function transportSuite(name: string, create: () => { transport: Transport; close: () => Promise<void> }): void {
	describe(name, () => {
		let transport: Transport;
		let close: () => Promise<void>;
		const servers: FaultServer[] = [];
		const start = async (answer: Answer) => {
			const server = await FaultServer.start(answer);
			servers.push(server);
			return server;
		};

		beforeEach(() => {
			({ transport, close } = create());
		});
		afterEach(async () => {
			await Promise.all(servers.splice(0).map(server => server.stop()));
			await close();
		});

		it('sends method, headers and body, and gives status, headers in lower case and body', async () => {
			const server = await start((response, { body }) => {
				response.writeHead(201, { 'X-Answer': 'yes' }).end(`got ${body}`);
			});
			const response = await transport.request(
				requestTo(`${server.origin}/a%2Fb?c=d`, { method: 'PATCH', headers: { 'X-Asked': 'e' }, body: 'größe' }),
			);
			assert.equal(response.status, 201);
			assert.equal(response.headers.get('x-answer'), 'yes');
			assert.equal(await textOf(response), 'got größe');
			const [received] = server.received;
			assert.equal(received?.method, 'PATCH');
			assert.equal(received?.path, '/a%2Fb');
			assert.equal(received?.query.get('c'), 'd');
			assert.equal(received?.headers['x-asked'], 'e');
		});

		it('gives an empty body for a reply without one', async () => {
			const server = await start(response => void response.writeHead(204).end());
			assert.equal(await textOf(await transport.request(requestTo(server.origin))), '');
		});

		it('resolves with the head before the body has come', async () => {
			let finish = () => {};
			const server = await start(response => {
				beginEvents(response);
				finish = () => response.end('late');
			});
			const response = await transport.request(requestTo(server.origin));
			finish();
			assert.equal(await textOf(response), 'late');
		});

		it('rejects as offline when no server listens', async () => {
			const server = await start(() => {});
			const { origin } = server;
			await server.stop();
			await assert.rejects(transport.request(requestTo(origin)), error => failureOf(error).code === 'offline');
		});

		it('rejects as offline when the connection breaks before the head', async () => {
			const server = await start(response => void response.socket?.destroy());
			await assert.rejects(transport.request(requestTo(server.origin)), error => failureOf(error).code === 'offline');
		});

		it('gives what came before the connection broke, then fails as offline', async () => {
			const server = await start(response => {
				beginEvents(response);
				response.write('first', () => setImmediate(() => response.destroy()));
			});
			const response = await transport.request(requestTo(server.origin));
			let text = '';
			await assert.rejects(
				async () => {
					for await (const chunk of response.body) {
						text += Buffer.from(chunk).toString();
					}
				},
				error => failureOf(error).code === 'offline',
			);
			assert.equal(text, 'first');
		});

		it('takes a reply that ends before its announced length for broken', async () => {
			const server = await start(response => {
				response.writeHead(200, { 'content-length': '100' });
				response.write('short', () => setImmediate(() => response.socket?.end()));
			});
			const response = await transport.request(requestTo(server.origin));
			await assert.rejects(textOf(response), error => failureOf(error).code === 'offline');
		});

		it('rejects with the signal’s reason when it has aborted, and sends nothing', async () => {
			const server = await start(response => void response.end());
			const reason = new Error('no more');
			await assert.rejects(transport.request(requestTo(server.origin, { signal: AbortSignal.abort(reason) })), reason);
			assert.equal(server.received.length, 0);
		});

		it('ends on the server’s side when aborted before the head', async () => {
			const server = await start(() => {});
			const controller = new AbortController();
			const reason = new Error('no more');
			const asked = transport.request(requestTo(server.origin, { signal: controller.signal }));
			const received = await waitFor('the request', () => server.received[0]);
			controller.abort(reason);
			await assert.rejects(asked, reason);
			assert.deepEqual(await received.closed, { isWhole: false });
		});

		it('ends on the server’s side when aborted in the body', async () => {
			const server = await start(response => {
				beginEvents(response);
				response.write('first');
			});
			const controller = new AbortController();
			const reason = new Error('no more');
			const response = await transport.request(requestTo(server.origin, { signal: controller.signal }));
			await assert.rejects(async () => {
				for await (const _ of response.body) {
					controller.abort(reason);
				}
			}, reason);
			assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
		});

		it('ends on the server’s side when the loop is left', async () => {
			const server = await start(response => {
				beginEvents(response);
				response.write('first');
			});
			const response = await transport.request(requestTo(server.origin));
			for await (const _ of response.body) {
				break;
			}
			assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
		});

		it('lets a slow reader hold the server back', async () => {
			const limit = 64 * 1024 * 1024;
			const state = { sent: 0, isBlocked: false };
			const server = await start(response => {
				beginEvents(response);
				return flood(response, Buffer.alloc(64 * 1024, 'x'), limit, state);
			});
			const response = await transport.request(requestTo(server.origin));
			const body = response.body[Symbol.asyncIterator]();
			await body.next();
			await heldBack(state);
			assert.ok(state.sent < limit / 2, `${state.sent} bytes were taken from the server though one piece was read`);
			let length = 0;
			for (let read = await body.next(); !read.done; read = await body.next()) {
				length += read.value.length;
			}
			assert.ok(length > limit - 2 * 1024 * 1024);
		});

		it('uses connections again whose reply was read to its end', async () => {
			const sockets = new Set<Socket>();
			const server = await start(response => {
				sockets.add(response.socket as Socket);
				response.end('x');
			});
			for (let count = 0; count < 8; count++) {
				await textOf(await transport.request(requestTo(server.origin)));
			}
			// A request that follows at once may find the connection not free yet and open a second one.
			assert.ok(sockets.size <= 2, `${sockets.size} connections for 8 requests`);
		});

		describe('redirects', () => {
			const redirect =
				(status: number, location: string): Answer =>
				(response, { path }) => {
					if (path === '/start') {
						response.writeHead(status, { location }).end();
					} else {
						response.end('arrived');
					}
				};

			for (const status of [301, 302, 303, 307, 308]) {
				it(`never carries a key to another origin (${status})`, async () => {
					const other = await start(response => void response.end('stolen'));
					const server = await start(redirect(status, `${other.origin}/end`));
					const asked = transport.request(
						requestTo(`${server.origin}/start`, { headers: { Authorization: 'Bearer sk-secret' } }),
					);
					await assert.rejects(asked, { code: 'bad-response' });
					assert.equal(other.received.length, 0);
				});

				it(`follows a GET on the same origin (${status})`, async () => {
					const server = await start(redirect(status, '/end?x=1'));
					const response = await transport.request(
						requestTo(`${server.origin}/start`, { headers: { 'X-Asked': 'yes' } }),
					);
					assert.equal(await textOf(response), 'arrived');
					assert.equal(server.received[1]?.path, '/end');
					assert.equal(server.received[1]?.headers['x-asked'], 'yes');
				});
			}

			for (const status of [307, 308]) {
				it(`follows a POST on the same origin with its body (${status})`, async () => {
					const server = await start(redirect(status, '/end'));
					await textOf(await transport.request(requestTo(`${server.origin}/start`, { method: 'POST', body: 'hello' })));
					assert.equal(server.received[1]?.method, 'POST');
					assert.equal(server.received[1]?.body, 'hello');
				});
			}

			for (const status of [301, 302, 303]) {
				it(`refuses to turn a POST into a GET (${status})`, async () => {
					const server = await start(redirect(status, '/end'));
					const asked = transport.request(requestTo(`${server.origin}/start`, { method: 'POST', body: 'hello' }));
					await assert.rejects(asked, { code: 'bad-response', status });
					assert.equal(server.received.length, 1);
				});
			}

			for (const location of ['/end', 'https://other.example/end']) {
				it(`follows none where the request refuses them (${location})`, async () => {
					const server = await start(redirect(307, location));
					const asked = transport.request(requestTo(`${server.origin}/start`, { redirects: 'refuse' }));
					await assert.rejects(asked, { code: 'bad-response', status: 307 });
					assert.equal(server.received.length, 1);
				});
			}

			it('gives up after five', async () => {
				const server = await start(response => void response.writeHead(302, { location: '/again' }).end());
				await assert.rejects(transport.request(requestTo(server.origin)), { code: 'bad-response' });
				assert.equal(server.received.length, 6);
			});

			it('hands over a redirect status that names no place', async () => {
				const server = await start(response => void response.writeHead(302).end('where?'));
				const response = await transport.request(requestTo(server.origin));
				assert.equal(response.status, 302);
				assert.equal(await textOf(response), 'where?');
			});
		});
	});
}

transportSuite('createFetchTransport', () => ({
	transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
	close: async () => {},
}));

transportSuite('createUndiciTransport', () => {
	const transport = createUndiciTransport();
	return { transport, close: () => transport.close() };
});

describe('createUndiciTransport by itself', () => {
	it('times out when no connection comes about', async () => {
		// A TLS connection to a server that never greets stays in the making.
		const server = createServer(() => {}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const transport = createUndiciTransport();
		try {
			const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
			await assert.rejects(transport.request(requestTo(url, { connectTimeoutMs: 50 })), { code: 'timeout' });
		} finally {
			server.close();
		}
	});

	it('goes through the proxy of the environment, and past it for this machine', async () => {
		const target = await FaultServer.start(response => void response.end('by proxy'));
		const seen: string[] = [];
		const proxy = createHttpServer((request, response) => {
			seen.push(new URL(request.url ?? '').host);
			response.end('by proxy');
		}).listen(0, '127.0.0.1');
		proxy.on('connect', (request, client: Socket) => {
			// Only this proxy knows the made-up name.
			seen.push((request.url ?? '').replace(/:80$/, ''));
			const upstream = connect(Number(new URL(target.origin).port), '127.0.0.1', () => {
				client.write('HTTP/1.1 200 OK\r\n\r\n');
				client.pipe(upstream).pipe(client);
			});
			upstream.on('error', () => client.destroy());
			client.on('error', () => upstream.destroy());
		});
		await once(proxy, 'listening');
		const { http_proxy: before, no_proxy: noBefore } = process.env;
		process.env['http_proxy'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
		process.env['no_proxy'] = 'other.invalid';
		const transport = createUndiciTransport();
		try {
			assert.equal(await textOf(await transport.request(requestTo('http://service.invalid/x'))), 'by proxy');
			assert.deepEqual(seen, ['service.invalid']);
			assert.equal(await textOf(await transport.request(requestTo(target.origin))), 'by proxy');
			assert.equal(seen.length, 1);
		} finally {
			restore('http_proxy', before);
			restore('no_proxy', noBefore);
			await transport.close();
			await target.stop();
			proxy.close();
			proxy.closeAllConnections();
		}
	});

	it('leaves the dispatcher of the process alone', async () => {
		const server = await FaultServer.start(response => void response.end('x'));
		const module = new URL('../../../../src/client/core/undiciTransport.ts', import.meta.url).href;
		const program = `
			const symbols = [1, 2].map(version => Symbol.for('undici.globalDispatcher.' + version));
			const state = () => symbols.map(symbol => Object.getOwnPropertyDescriptor(globalThis, symbol)?.value);
			const before = state();
			const { createUndiciTransport } = await import(${JSON.stringify(module)});
			const transport = createUndiciTransport();
			const { status, body } = await transport.request({ method: 'GET', url: ${JSON.stringify(server.origin)},
				headers: {}, signal: new AbortController().signal, connectTimeoutMs: 5000 });
			for await (const _ of body) {}
			await transport.close();
			const after = state();
			console.log(status, symbols.every((_, index) => before[index] === after[index]), before.every(value => value === undefined));
		`;
		try {
			const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
			assert.equal(stdout.trim(), '200 true true');
		} finally {
			await server.stop();
		}
	});
});

function restore(name: string, value: string | undefined): void {
	if (value === undefined) {
		delete process.env[name];
	} else {
		process.env[name] = value;
	}
}
