import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import zlib from 'node:zlib';
import { ClientError } from '../../../src/base/errors.ts';
import { type Answer, beginEvents, FaultServer, flood, sendEvents, sendJson } from '../../support/faultServer.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { describeWithBothTransports } from './core/bothTransports.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const MEGABYTE = 1024 * 1024;
const completion = { choices: [{ message: { content: 'ok' } }] };
const KEY = 'sk-inference';

/** The defaults take many seconds for what is made here. */
const FAST = { level: 1 };

type Coder = () => Transform;

const gzip: Coder = () => zlib.createGzip(FAST);
/** The codings that services and proxies use without being asked. */
const CODINGS: readonly [string, Coder][] = [
	['gzip', gzip],
	['x-gzip', gzip],
	['deflate', () => zlib.createDeflate(FAST)],
	['DEFLATE', () => zlib.createDeflateRaw(FAST)],
	['br', () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
	['zstd', () => zlib.createZstdCompress()],
];

const BOMB_MEGABYTES = 256;
const bombs = new Map<Coder, Promise<Buffer>>();

const encode = (coder: Coder, pieces: Iterable<Buffer>): Promise<Buffer> => buffer(Readable.from(pieces).pipe(coder()));

/** Little on the wire and much when decoded. It is made once of each coding and in pieces, as that takes its time. */
function bombOf(coder: Coder): Promise<Buffer> {
	const bomb =
		bombs.get(coder) ??
		encode(coder, [Buffer.from('data: '), ...Array<Buffer>(BOMB_MEGABYTES).fill(Buffer.alloc(MEGABYTE, 'x'))]);
	bombs.set(coder, bomb);
	return bomb;
}

describeWithBothTransports('a body', transport => {
	let server: FaultServer;
	let client: TestClient;
	const serve = (answer: Answer) => {
		server.answer = answer;
	};
	const serveCoded = (coding: string, bytes: Buffer, type = 'application/json') =>
		serve(response => void response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(bytes));

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
		client = testClient(server.origin, { transport });
	});
	afterEach(() => server.stop());

	/** Resolves with how much more memory is in use after `run`, in megabytes. */
	const growth = async (run: () => Promise<unknown>) => {
		const before = process.memoryUsage.rss();
		await run();
		return (process.memoryUsage.rss() - before) / MEGABYTE;
	};

	describe('in a coding', () => {
		it('is not asked for', async () => {
			serve(response => sendJson(response, 200, completion));
			await client.chat.complete(request);
			assert.equal(server.received[0]?.headers['accept-encoding'], 'identity');
		});

		for (const [coding, coder] of CODINGS) {
			const encoded = (text: string) => encode(coder, [Buffer.from(text)]);

			it(`is read all the same (${coding})`, async () => {
				serveCoded(coding, await encoded(JSON.stringify(completion)));
				assert.equal((await client.chat.complete(request)).choices[0]?.message?.content, 'ok');
				serveCoded(coding, await encoded(chunk({ content: 'ok' }) + DONE), 'text/event-stream');
				assert.equal(textOf((await collect(client.chat.stream(request))).events), 'ok');
			});

			it(`is a bad response when it is not in it (${coding})`, async () => {
				serveCoded(coding, Buffer.from(JSON.stringify(completion)));
				await assert.rejects(client.chat.complete(request), { code: 'bad-response', retryable: false });
			});

			it(`is a failure when it is cut short (${coding})`, async () => {
				serveCoded(coding, (await encoded(JSON.stringify(completion))).subarray(0, -12));
				await assert.rejects(client.chat.complete(request), { code: 'bad-response' });
				const events = await encoded(chunk({ content: 'ok' }).repeat(50));
				serveCoded(coding, events.subarray(0, -12), 'text/event-stream');
				const { error } = await collect(client.chat.stream(request));
				assert.ok(ClientError.is(error, 'truncated') || ClientError.is(error, 'bad-response'), `${error}`);
			});

			it(`is no more than its limit however much it would become (${coding})`, async () => {
				const bomb = await bombOf(coder);
				serveCoded(coding, bomb);
				const grown = await growth(() => assert.rejects(client.chat.complete(request), { code: 'bad-response' }));
				serveCoded(coding, bomb, 'text/event-stream');
				const { error } = await collect(client.chat.stream(request));
				assert.ok(ClientError.is(error, 'bad-response'), `${error}`);
				assert.ok(grown < 150, `${grown} MB more for a bomb of ${BOMB_MEGABYTES} MB`);
			});
		}

		for (const coding of ['compress', 'gzip, br', 'gzip, gzip', 'x']) {
			it(`that cannot be decoded is a bad response (${coding})`, async () => {
				serveCoded(coding, zlib.gzipSync(JSON.stringify(completion)));
				await assert.rejects(client.chat.complete(request), { code: 'bad-response', retryable: false });
			});
		}

		it('is truncated if it is empty', async () => {
			serveCoded('gzip', Buffer.alloc(0), 'text/event-stream');
			assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'truncated'));
		});
	});

	it('of one event without end is refused at the limit', async () => {
		const state = { sent: 0, isBlocked: false };
		serve(response => {
			beginEvents(response);
			response.write('data: ');
			return flood(response, Buffer.alloc(MEGABYTE, 'x'), 1024 * MEGABYTE, state);
		});
		let error: unknown;
		const grown = await growth(async () => {
			({ error } = await collect(client.chat.stream(request)));
		});
		assert.ok(ClientError.is(error, 'bad-response'), `${error}`);
		assert.ok(state.sent < 64 * MEGABYTE, `${state.sent} bytes were taken`);
		assert.ok(grown < 150, `${grown} MB more`);
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('of JSON without end is refused at the limit', async () => {
		const state = { sent: 0, isBlocked: false };
		serve(response => {
			response.writeHead(200, { 'content-type': 'application/json' });
			return flood(response, Buffer.alloc(MEGABYTE, '['), 1024 * MEGABYTE, state);
		});
		const grown = await growth(() => assert.rejects(client.chat.complete(request), { code: 'bad-response' }));
		assert.ok(state.sent < 64 * MEGABYTE, `${state.sent} bytes were taken`);
		assert.ok(grown < 200, `${grown} MB more`);
	});

	for (const [what, type, body, message] of [
		['HTML', 'text/html', '<html><h1>502 Bad Gateway</h1></html>', undefined],
		['plain text', 'text/plain', 'Not now', 'Not now'],
		['nothing', 'application/json', '', undefined],
		['JSON that is cut', 'application/json', '{"error":', '{"error":'],
		['bytes that are no text', 'application/octet-stream', Buffer.of(0xff, 0xfe), '\ufffd\ufffd'],
		['the key that was sent', 'application/json', `{"error":"no such key: ${KEY}"}`, 'no such key: [key]'],
	] as const) {
		it(`of an error may be ${what}`, async () => {
			serve(response => void response.writeHead(401, { 'content-type': type }).end(body));
			await assert.rejects(client.chat.complete(request), error => {
				assert.ok(ClientError.is(error, 'unauthorised'));
				assert.equal(error.serviceMessage, message);
				assert.ok(!inspect(error, { depth: 10 }).includes(KEY));
				return true;
			});
		});
	}

	it('of an error without end is read to a limit', async () => {
		const state = { sent: 0, isBlocked: false };
		serve(response => {
			response.writeHead(500);
			return flood(response, Buffer.alloc(64 * 1024, 'x'), 1024 * MEGABYTE, state);
		});
		await assert.rejects(client.chat.complete(request), { code: 'server', serviceMessage: 'x'.repeat(500) });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});

	it('of an error that repeats a long request is told by its sentence', async () => {
		const detail = [{ loc: ['body', 'messages'], msg: 'Too long', input: 'x'.repeat(MEGABYTE) }];
		serve(response => sendJson(response, 422, { detail }));
		const told = { code: 'invalid-request', serviceMessage: 'body.messages: Too long' };
		await assert.rejects(client.chat.complete(request), told);
	});

	for (const [type, body, code] of [
		['text/html', '<p>Sign in', 'bad-response'],
		['image/png', Buffer.alloc(1000, 0x89), 'truncated'],
		['text/plain', 'Hello.', 'truncated'],
		['application/json', '[]', 'bad-response'],
	] as const) {
		it(`of another type in place of a stream is a failure (${type})`, async () => {
			serve(response => void response.writeHead(200, { 'content-type': type }).end(body));
			const { events, error } = await collect(client.chat.stream(request));
			assert.deepEqual(events, []);
			assert.ok(ClientError.is(error, code), `${error}`);
		});
	}

	it('of events is read whatever its type is called', async () => {
		serve((response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(DONE));
		assert.equal((await collect(client.chat.stream(request))).error, undefined);
	});

	/** Rows of the header of a busy service and the waits before the next try. The test client draws a wait of 300 ms. */
	const busy: readonly [string, number[]][] = [
		['7', [7000]],
		['0', [0]],
		['1.5', [1500]],
		['-5', [300]],
		['soon', [300]],
		['try 1', [300]],
		['', [300]],
		['1, 2', [300]],
		['2026-12-01', [300]],
		['Fri, 20 Nov 2026 00:00:42 GMT', [42_000]],
		['Friday, 20-Nov-26 00:00:42 GMT', [42_000]],
		['Fri Nov 20 00:00:42 2026', [42_000]],
		['Thu, 19 Nov 2026 00:00:00 GMT', [0]],
		['Fri, 99 Foo 2026 99:99:99 GMT', [300]],
	];
	for (const status of [429, 503]) {
		for (const [value, waits] of busy) {
			it(`of a service that is busy (${status}) is waited for (Retry-After: ${value})`, async () => {
				serve(response =>
					server.received.length === 1
						? sendJson(response, status, {}, { 'Retry-After': value })
						: sendJson(response, 200, completion),
				);
				await client.chat.complete(request);
				assert.deepEqual(client.clock.waits, waits);
			});
		}

		for (const value of ['9'.repeat(30), '9'.repeat(400), 'Fri, 20 Nov 9999 00:00:00 GMT']) {
			it(`of a service that is busy (${status}) for ever is not waited for (Retry-After: ${value.slice(0, 31)})`, async () => {
				serve(response => sendJson(response, status, {}, { 'Retry-After': value }));
				await assert.rejects(client.chat.complete(request), { status, retryAfterMs: 2 ** 31 - 1 });
				assert.equal(server.received.length, 1);
			});
		}
	}

	it('of a stream begins again after a wait, before its first byte alone', async () => {
		serve(response =>
			server.received.length === 1
				? sendJson(response, 429, {}, { 'Retry-After': '3' })
				: sendEvents(response, chunk({ content: 'a' })),
		);
		assert.ok(ClientError.is((await collect(client.chat.stream(request))).error, 'truncated'));
		assert.equal(server.received.length, 2);
	});
});
