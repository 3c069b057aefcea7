import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nullLogger } from '../../../src/base/logger.ts';
import { sseEvent } from '../../../src/base/streamText.ts';
import { IdleWatch } from '../../../src/service/idleWatch.ts';
import {
	createApp,
	type ServiceServer,
	startServer,
	streamReply,
	untilClientGoes,
} from '../../../src/service/server.ts';
import { waitFor } from '../../support/waitFor.ts';

describe('streamReply', () => {
	const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
	let server: ServiceServer;
	let commentEveryMs = 60_000;
	let produced = 0;
	let returned = false;
	let isKnownGone: unknown;
	let failures: unknown[] = [];
	let produce: (signal: AbortSignal) => AsyncGenerator<string, void, undefined>;

	before(async () => {
		const app = createApp(nullLogger);
		app.get('/late', async context => {
			const { outgoing } = context.env;
			await once(outgoing, 'close');
			const aborted = await untilClientGoes(context, async signal => Response.json(signal.aborted));
			isKnownGone = await aborted.json();
			return streamReply(signal => produce(signal), { outgoing, onFailure: error => failures.push(error) });
		});
		app.get('/stream', context =>
			streamReply(signal => produce(signal), {
				outgoing: context.env.outgoing,
				onFailure: error => failures.push(error),
				commentEveryMs,
			}),
		);
		server = await startServer({ token: 'token', port: 0, app, idleWatch: () => idleWatch });
	});
	beforeEach(() => {
		produced = 0;
		returned = false;
		failures = [];
	});
	after(async () => {
		idleWatch.dispose();
		await server.close(0);
	});

	function open(path = '/stream'): Socket {
		const { port } = new URL(server.address);
		const socket = connect(Number(port), '127.0.0.1');
		socket.on('error', () => {});
		socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer token\r\n\r\n`);
		return socket;
	}

	it('frames what it writes, whatever its characters and its size, and leaves the connection to the next request', async () => {
		const texts = ['a', '', 'ü€😀', 'x'.repeat(70_000), '\r\n0\r\n\r\n'];
		produce = async function* () {
			yield* texts;
		};
		const socket = open();
		let received = '';
		socket.setEncoding('utf8').on('data', (text: string) => {
			received += text;
		});
		await waitFor('the end', () => received.endsWith('\r\n0\r\n\r\n') && received.length > 70_000);
		const body = received.slice(received.indexOf('\r\n\r\n') + 4);
		const framed = texts
			.filter(text => text !== '')
			.map(text => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
		assert.equal(body, `${framed.join('')}0\r\n\r\n`);
		for (let count = 0; count < 2; count++) {
			const response = await fetch(`${server.address}/stream`, { headers: { Authorization: 'Bearer token' } });
			assert.equal(await response.text(), texts.join(''));
		}
		socket.destroy();
		assert.deepEqual(failures, []);
	});

	it('reads nothing for a client that has gone before, which whoever asks then is told too', async () => {
		let ended = false;
		produce = signal => {
			ended = signal.aborted;
			signal.addEventListener('abort', () => {
				ended = true;
			});
			return (async function* () {
				produced++;
				yield 'x';
			})();
		};
		const socket = open('/late');
		await once(socket, 'connect');
		setTimeout(() => socket.destroy(), 50);
		await waitFor('the end of the stream', () => ended);
		assert.equal(produced, 0);
		assert.equal(isKnownGone, true);
		assert.deepEqual(failures, []);
	});

	it('sends comments while it has nothing to write, and none after the end', async () => {
		commentEveryMs = 5;
		const comments = Promise.withResolvers<void>();
		produce = async function* () {
			yield 'data: one\n\n';
			await comments.promise;
			yield 'data: two\n\n';
		};
		try {
			const response = await fetch(`${server.address}/stream`, { headers: { Authorization: 'Bearer token' } });
			let text = '';
			for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
				text += piece;
				if ((text.match(/: still waiting\n\n/g) ?? []).length >= 2) {
					comments.resolve();
				}
			}
			assert.match(text, /^data: one\n\n(?:: still waiting\n\n)+data: two\n\n$/);
		} finally {
			commentEveryMs = 60_000;
		}
		assert.deepEqual(failures, []);
	});

	it('sends a client of HTTP/1.0 the bare text, and closes', async () => {
		produce = async function* () {
			yield 'one ';
			yield 'two';
		};
		const { port } = new URL(server.address);
		const socket = connect(Number(port), '127.0.0.1');
		socket.write(`GET /stream HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer token\r\n\r\n`);
		let received = '';
		socket.setEncoding('utf8').on('data', (text: string) => {
			received += text;
		});
		await once(socket, 'close');
		assert.ok(received.endsWith('\r\n\r\none two'), received);
	});

	it('waits for a reader that does not read, and goes on when it does', async () => {
		const total = 2_000;
		produce = async function* () {
			while (produced < total) {
				produced++;
				yield sseEvent('x'.repeat(16 * 1024));
			}
		};
		const socket = open();
		socket.pause();
		let before = -1;
		await waitFor('the stream to rest', async () => {
			const same = produced === before && produced > 0;
			before = produced;
			await delay(200);
			return same && produced === before;
		});
		assert.ok(produced < total, `${produced} pieces were made for a reader that took none`);
		socket.resume();
		await waitFor('all of it', () => produced === total);
		socket.destroy();
	});

	it('aborts and returns the generator when the reader goes while it waits', async () => {
		produce = async function* (signal) {
			try {
				yield sseEvent('first');
				await delay(60_000, undefined, { signal });
			} finally {
				returned = true;
			}
		};
		const socket = open();
		await once(socket, 'data');
		socket.destroy();
		await waitFor('the generator to return', () => returned);
		assert.deepEqual(failures, []);
	});

	it('breaks the connection when the source fails, so that a cut reply never looks whole', async () => {
		produce = async function* () {
			yield sseEvent('first');
			throw new Error('failed');
		};
		const socket = open();
		let received = '';
		socket.on('data', bytes => {
			received += bytes.toString('latin1');
		});
		await once(socket, 'close');
		assert.match(received, /data: "first"/);
		assert.ok(!received.endsWith('0\r\n\r\n'), 'the chunked body was ended as if it were whole');
		assert.ok(!received.includes('failed'), 'the error went out to the client');
		assert.equal(failures.length, 1);
	});

	it('streams in a program that has loaded nothing else before', async () => {
		const from = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url));
		const script = `
			const { createApp, startServer, streamReply } = await import(${from('service/server.ts')});
			const { IdleWatch } = await import(${from('service/idleWatch.ts')});
			const { nullLogger } = await import(${from('base/logger.ts')});
			const app = createApp(nullLogger);
			const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
			const server = await startServer({ token: 'token', port: 0, app, idleWatch: () => idleWatch });
			async function* produce() { for (const word of ['one ', 'two ', 'three']) { yield word; await new Promise(setImmediate); } }
			app.get('/stream', context => streamReply(produce, { outgoing: context.env.outgoing, onFailure: console.error }));
			const reply = await fetch(server.address + '/stream', { headers: { authorization: 'Bearer token' } });
			console.log(await reply.text());
			await server.close(0);
			idleWatch.dispose();
		`;
		const run = promisify(execFile);
		const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', script]);
		assert.deepEqual({ stdout, stderr }, { stdout: 'one two three\n', stderr: '' });
	});
});
