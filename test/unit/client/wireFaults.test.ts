import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { sseEvent } from '../../support/faultServer.ts';
import { chunked, cutAfter, cutReplies, ENDS, headOf, RawServer, replyOf } from '../../support/misbehaviour.ts';
import { chunk, DONE, request, textOf } from './chatWire.ts';
import { describeWithBothTransports } from './core/bothTransports.ts';
import { complete, connected, log } from './logServer.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const task = { id: 't1', status: 'processing', prompt: 'Größe' };
const newTask = { prompt: 'Do it', repoUrl: 'https://host.example/a/b' };

/** Replies that are no HTTP, or that contradict themselves. */
const BROKEN_REPLIES: readonly [string, string][] = [
	['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
	['lines that end in LF alone', 'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}'],
	['a header over two lines', 'HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\n{}'],
	['a head without end', `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(100)}`],
	['two lengths', `${headOf({ 'content-length': '2', 'transfer-encoding': 'chunked' })}${chunked('{}')}0\r\n\r\n`],
	['a chunk size that is none', `${headOf({ 'transfer-encoding': 'chunked' })}${chunked('{')}zz\r\n}\r\n`],
];

describeWithBothTransports('a connection that is cut', transport => {
	let server: RawServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await RawServer.start();
		client = testClient(server.origin, { transport });
	});
	afterEach(() => server.stop());

	for (const end of ENDS) {
		for (const [phase, bytes, whole] of cutReplies('text/event-stream', [
			chunk({ content: 'Only ' }),
			chunk({ content: 'hälf' }),
		])) {
			it(`${phase} (${end}) ends a chat after what came, and is asked for once`, async () => {
				server.answer = socket => cutAfter(socket, bytes, end);
				const { events, error } = await collect(client.chat.stream(request));
				assert.equal(textOf(events), 'Only hälf'.slice(0, [0, 5, 9][whole]));
				const isAnswered = bytes.includes('\r\n\r\n');
				assert.ok(ClientError.is(error, isAnswered ? 'truncated' : 'offline'), `${error}`);
				assert.ok(error.retryable);
				assert.equal(server.requests.length, 1);
			});
		}

		const list = JSON.stringify({ tasks: [task], hasMore: false });
		for (const [phase, bytes] of cutReplies('application/json', [list.slice(0, 20), list.slice(20)])) {
			it(`${phase} (${end}) does not fail a look-up`, async () => {
				server.answer = socket =>
					server.requests.length < 3 ? cutAfter(socket, bytes, end) : void socket.write(replyOf(list, JSON_TYPE));
				assert.equal((await client.tasks.list()).tasks[0]?.prompt, 'Größe');
				assert.equal(server.requests.length, 3);
			});

			it(`${phase} (${end}) does not make a task twice`, async () => {
				server.answer = socket => cutAfter(socket, bytes, end);
				await assert.rejects(client.tasks.create(newTask), { code: 'offline', retryable: true });
				assert.equal(server.requests.length, 1);
			});
		}

		for (const [phase, bytes, whole] of cutReplies('text/event-stream', [connected + log(0), log(1)])) {
			it(`${phase} (${end}) loses no entry of a log`, async () => {
				server.answer = socket =>
					server.requests.length <= 2
						? cutAfter(socket, bytes, end)
						: void socket.write(replyOf(connected + log(0) + log(1) + log(2) + complete(3), EVENTS));
				const { events, error } = await collect(client.tasks.follow('t1'));
				assert.equal(error, undefined);
				assert.deepEqual(
					events.flatMap<unknown>(event =>
						event.type === 'log' ? [event.index] : event.type === 'gap' ? ['gap'] : [],
					),
					[0, 1, 2],
				);
				assert.match(server.requests[1] ?? '', new RegExp(`fromIndex=${whole}&`));
			});
		}
	}
});

describeWithBothTransports('a reply that is no HTTP', transport => {
	let server: RawServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await RawServer.start();
		client = testClient(server.origin, { transport });
	});
	afterEach(() => server.stop());

	for (const [what, bytes] of BROKEN_REPLIES) {
		it(`is a bad response and is not asked for again (${what})`, async () => {
			server.answer = socket => void socket.write(bytes);
			await assert.rejects(client.tasks.list(), { code: 'bad-response', retryable: false });
			assert.equal(server.requests.length, 1);
		});
	}

	it('is no entry of a log that cannot be read', async () => {
		const broken = headOf({ ...EVENTS, 'transfer-encoding': 'chunked' });
		server.answer = socket =>
			void socket.write(
				server.requests.length <= 4
					? `${broken}${chunked(connected + log(0))}zz\r\n`
					: replyOf(connected + log(0) + log(1) + complete(2), EVENTS),
			);
		const { events, error } = await collect(client.tasks.follow('t1'));
		assert.equal(error, undefined);
		assert.deepEqual(
			events.flatMap<unknown>(event => (event.type === 'log' ? [event.index] : event.type === 'gap' ? ['gap'] : [])),
			[0, 1],
		);
	});

	it('does not answer the next request with what a reply had too much', async () => {
		const stolen = { id: 'of-somebody-else', status: 'completed' };
		server.answer = socket =>
			void socket.write(
				server.requests.length === 1
					? Buffer.concat([replyOf(JSON.stringify(task), JSON_TYPE), replyOf(JSON.stringify(stolen), JSON_TYPE)])
					: replyOf(JSON.stringify(task), JSON_TYPE),
			);
		assert.equal((await client.tasks.get('t1')).id, 't1');
		assert.equal((await client.tasks.get('t1')).id, 't1');
		assert.equal(server.requests.length, 2);
	});

	it('may announce itself before it comes', async () => {
		server.answer = socket =>
			void socket.write(
				`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${replyOf(JSON.stringify(task), JSON_TYPE).toString()}`,
			);
		assert.equal((await client.tasks.get('t1')).id, 't1');
	});

	it('may have no length and end with its connection', async () => {
		server.answer = socket => void socket.end(headOf(EVENTS) + chunk({ content: 'All.' }) + DONE);
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(error, undefined);
		assert.equal(textOf(events), 'All.');
	});
});

describeWithBothTransports('events on the wire', transport => {
	let server: RawServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await RawServer.start();
		client = testClient(server.origin, { transport });
	});
	afterEach(() => server.stop());

	const plain = chunk({ content: 'Grö' }) + chunk({ content: 'ße 🌍' }) + DONE;
	for (const [what, text] of [
		['LF', plain],
		['CR', plain.replaceAll('\n', '\r')],
		['CRLF', plain.replaceAll('\n', '\r\n')],
		['a byte order mark', `\ufeff${plain}`],
		['comments', `: hello\n\n:\n${plain.replaceAll('data:', ': alive\ndata:')}`],
		['id, retry and unknown fields', plain.replaceAll('data:', 'id: 7\nretry: 1\nfoo: bar\nbaz\ndata:')],
		['events without data', `event: ping\n\nid: 1\n\n\n\n${plain}event: ping\n\n`],
		['events with empty data', `data\n\ndata:\n\n${plain}`],
		['data over several lines', plain.replaceAll('"choices":', '\ndata: "choices":\ndata: ')],
	] as const) {
		for (const way of ['one byte at a time', 'at once'] as const) {
			it(`are the same with ${what}, ${way}`, async () => {
				const bytes = Buffer.from(text);
				server.answer = async socket => {
					socket.setNoDelay(true).write(headOf(EVENTS));
					for (let start = 0; start < bytes.length; start += way === 'at once' ? bytes.length : 1) {
						socket.write(bytes.subarray(start, way === 'at once' ? bytes.length : start + 1));
						await new Promise(resolve => setImmediate(resolve));
					}
					socket.end();
				};
				const { events, error } = await collect(client.chat.stream(request));
				assert.equal(error, undefined);
				assert.deepEqual(events, [
					{ type: 'text', text: 'Grö' },
					{ type: 'text', text: 'ße 🌍' },
				]);
			});
		}
	}

	it('end a chat with the error that comes in their midst', async () => {
		const text = chunk({ content: 'So far' }) + sseEvent({ error: { message: 'No capacity', code: 503 } }) + DONE;
		server.answer = socket => void socket.write(replyOf(text, EVENTS));
		const { events, error } = await collect(client.chat.stream(request));
		assert.equal(textOf(events), 'So far');
		assert.ok(ClientError.is(error, 'server'));
		assert.equal(error.serviceMessage, 'No capacity');
		assert.equal(server.requests.length, 1);
	});
});
