import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/base/errors.ts';
import { sendEvents, sendJson, sseEvent } from '../../support/faultServer.ts';
import {
	complete,
	connected,
	type LogConnection,
	LogServer,
	log,
	logs,
	send,
	sendThenBreak,
	status,
	wordsOf,
} from './logServer.ts';
import { collect, testClient } from './testClient.ts';

describe('client.tasks.follow', () => {
	let served: LogServer;

	beforeEach(async () => {
		served = await LogServer.start();
	});
	afterEach(() => served.stop());

	it('reads a log from its beginning to its end', async () => {
		const { events, error } = await served.follow(send(connected, ...logs(0, 2), status('saving'), complete(2)));
		assert.equal(error, undefined);
		assert.deepEqual(JSON.parse(JSON.stringify(events)), [
			{ type: 'connected', fromIndex: 0 },
			{ type: 'log', index: 0, entry: { type: 'info', message: 'line 0' }, sentAt: '2026-11-21T10:00:00Z' },
			{ type: 'log', index: 1, entry: { type: 'info', message: 'line 1' }, sentAt: '2026-11-21T10:00:00Z' },
			{ type: 'status', status: 'saving' },
			{ type: 'complete', status: 'completed', totalLogs: 2, message: 'Done' },
		]);
		const [received] = served.faulty.received;
		assert.equal(received?.path, '/api/tasks/t1/stream');
		assert.equal(received?.query.toString(), 'fromIndex=0&includeStatus=true');
		assert.equal(received?.headers.accept, 'text/event-stream');
		assert.equal(received?.headers.authorization, 'Bearer sk-cloud');
	});

	it('begins where it was told to, and asks for no status when told so', async () => {
		served.connections = [send(connected, log(7), complete(8))];
		const { events } = await collect(served.client.tasks.follow('t1', { fromIndex: 7, includeStatus: false }));
		assert.deepEqual(events.map(wordsOf), ['connected 7', 'log 7', 'complete completed 8']);
		assert.equal(served.faulty.received[0]?.query.toString(), 'fromIndex=7&includeStatus=false');
	});

	it('refuses an impossible index before it sends anything', async () => {
		const { error } = await collect(served.client.tasks.follow('t1', { fromIndex: -1 }));
		assert.ok(ClientError.is(error, 'invalid-request'));
		assert.equal(served.faulty.received.length, 0);
	});

	for (const [how, cause, end] of [
		['closes without an end', 'closed', send(connected, log(0))],
		['breaks', /RESET|SOCKET|closed/, sendThenBreak(connected, log(0))],
		['sends an error', 'storage is away', send(connected, log(0), sseEvent({ error: 'storage is away' }, 'error'))],
		['sends an error that is no JSON', 'it broke', send(connected, log(0), sseEvent('it broke', 'error'))],
	] as const) {
		it(`goes on from the next index after a connection that ${how}`, async () => {
			const { events, words, error } = await served.follow(end, send(connected, log(1), complete(2)));
			assert.equal(error, undefined);
			assert.deepEqual(served.asked, [0, 1]);
			const lost = events.find(event => event.type === 'reconnecting');
			assert.ok(lost);
			if (typeof cause === 'string') {
				assert.equal(lost.cause, cause);
			} else {
				assert.match(lost.cause, cause);
			}
			assert.deepEqual([lost.nextIndex, lost.attempt, lost.delayMs], [1, 1, 150]);
			assert.deepEqual(served.client.clock.waits, [150]);
			assert.deepEqual(
				words.filter(word => !word.startsWith('reconnecting')),
				['connected 0', 'log 0', 'connected 1', 'log 1', 'complete completed 2'],
			);
		});
	}

	it('waits twice as long after each connection that brings nothing, up to 15 s, and starts over when one does', async () => {
		const refuse: LogConnection = response => void response.socket?.destroy();
		const { error } = await served.follow(
			...Array.from({ length: 7 }, () => refuse),
			send(connected, status('processing')),
			refuse,
			send(connected, complete(0)),
		);
		assert.equal(error, undefined);
		assert.deepEqual(served.client.clock.waits, [150, 300, 600, 1200, 2400, 4500, 4500, 150, 300]);
	});

	it('tells that a page or an address elsewhere came in place of the log, not a status of success', async () => {
		const { events } = await served.follow(
			response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<form>'),
			response => void response.writeHead(302, { location: 'https://login.example/in?from=here' }).end(),
			send(connected, complete(0)),
		);
		const lost = events.flatMap(event => (event.type === 'reconnecting' ? [event] : []));
		assert.deepEqual(
			lost.map(({ cause, error }) => [cause, error?.isPage, error?.redirectedTo]),
			[
				['something other than a log came', true, undefined],
				['the service redirects to https://login.example; a key is not sent elsewhere', false, 'https://login.example'],
			],
		);
	});

	it('tells the details of an error with it, whatever their form', async () => {
		const broken = (data: unknown) => send(connected, sseEvent(data, 'error'));
		const { events } = await served.follow(
			broken({ error: 'overloaded' }),
			broken({ error: 'storage is away', details: 'disk 3 of 4' }),
			broken({ error: 'storage is away', details: { message: 'disk 3' } }),
			broken({ error: 'storage is away', details: { disk: 3 } }),
			broken({ details: 'only these' }),
			broken({ error: 'storage is away', details: null }),
			send(connected, complete(0)),
		);
		assert.deepEqual(
			events.flatMap(event => (event.type === 'reconnecting' ? [event.said] : [])),
			[
				'overloaded',
				'storage is away: disk 3 of 4',
				'storage is away: disk 3',
				'storage is away: {"disk":3}',
				'only these',
				'storage is away',
			],
		);
	});

	it('tells the text of the last error, and no more of it than a line can show', async () => {
		const broken = (error: unknown) => send(connected, log(0), sseEvent({ error }, 'error'));
		const { events } = await served.follow(
			broken('storage is away'),
			broken('storage is slow'),
			broken('x'.repeat(100_000)),
			broken(''),
			send(connected, complete(1)),
		);
		assert.deepEqual(
			events.flatMap(event => (event.type === 'reconnecting' ? [event.cause] : [])),
			['storage is away', 'storage is slow', 'x'.repeat(500), 'error'],
		);
		assert.equal(events.filter(event => event.type === 'log').length, 1);
	});

	it('does not take a greeting alone for a reason to come back at once', async () => {
		await served.follow(...Array.from({ length: 4 }, () => send(connected)), send(connected, complete(0)));
		assert.deepEqual(served.client.clock.waits, [150, 300, 600, 1200]);
	});

	it('waits as long as a service that is busy asks for', async () => {
		await served.follow(response => sendJson(response, 429, {}, { 'Retry-After': '20' }), send(connected, complete(0)));
		assert.deepEqual(served.client.clock.waits, [20_000]);
	});

	for (const [what, answer] of [
		['a status of 503', (response: ServerResponse) => sendJson(response, 503, {})],
		['a status of 400', (response: ServerResponse) => sendJson(response, 400, {})],
		[
			'a page',
			(response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in'),
		],
		['a JSON body', (response: ServerResponse) => sendJson(response, 200, { error: 'x' })],
	] as const) {
		it(`comes back after ${what}`, async () => {
			const { words, error } = await served.follow(answer, send(connected, complete(0)));
			assert.equal(error, undefined);
			assert.deepEqual(words.slice(1), ['connected 0', 'complete completed 0']);
		});
	}

	for (const [code, number] of [
		['unauthorised', 401],
		['forbidden', 403],
		['not-found', 404],
	] as const) {
		it(`gives up on ${number}, at the beginning and later`, async () => {
			const refuse: LogConnection = response => sendJson(response, number, { error: 'Task not found' });
			const first = await served.follow(refuse);
			assert.ok(ClientError.is(first.error, code));
			assert.equal(first.error.serviceMessage, 'Task not found');
			const later = await served.follow(send(connected, log(0)), refuse);
			assert.ok(ClientError.is(later.error, code));
		});
	}

	it('throws no-key at once, at the beginning and later', async () => {
		let key: string | undefined = 'sk-a';
		served.client = testClient(served.faulty.origin, { keys: () => Promise.resolve(key) });
		const { error } = await served.follow(response => {
			key = undefined;
			sendEvents(response, connected, log(0));
		});
		assert.ok(ClientError.is(error, 'no-key'));
	});

	describe('entries', () => {
		it('come once though the service repeats them', async () => {
			const { words } = await served.follow(
				send(connected, log(0), log(0), log(1)),
				// The index that was asked for is ignored.
				send(connected, ...logs(0, 3), log(1), complete(3)),
			);
			assert.deepEqual(
				words.filter(word => word.startsWith('log')),
				['log 0', 'log 1', 'log 2'],
			);
		});

		it('that come a little before their turn are put in order, and nothing is asked for again', async () => {
			const { words } = await served.follow(
				send(connected, log(1), log(0), log(4), log(2), log(5), log(3), log(5), status('processing'), complete(6)),
			);
			assert.deepEqual(served.asked, [0]);
			assert.deepEqual(words, [
				'connected 0',
				...Array.from({ length: 6 }, (_, index) => `log ${index}`),
				'status processing',
				'complete completed 6',
			]);
		});

		for (const [what, sent] of [
			['a state', [log(1), status('processing'), log(0)]],
			['an end', [log(1), complete(2)]],
			['an end without a total', [log(1), complete('unknown')]],
			['one that is sixteen ahead', [...logs(1, 17), log(0)]],
		] as const) {
			it(`that are missing are waited for until ${what} has come`, async () => {
				const { words } = await served.follow(send(connected, ...sent), send(connected, ...logs(0, 17), complete(17)));
				assert.equal(words[1], 'reconnecting 0 #1 entries missing');
				assert.ok(!words.some(word => word.startsWith('gap')));
				assert.deepEqual(words.slice(-2), ['log 16', 'complete completed 17']);
			});
		}

		for (const [what, sent, rest] of [
			['a state', [status('processing')], ['log 2', 'log 3']],
			['an end', [complete(4)], ['gap 2-2', 'log 3']],
			['an end without a total', [complete('unknown')], ['gap 2-2', 'log 3']],
			['the end of the connection', [], ['log 2', 'log 3']],
		] as const) {
			it(`that came early are told after a gap that is missing twice, when ${what} has come`, async () => {
				const lost = send(connected, log(1), log(3), ...sent);
				const { words } = await served.follow(lost, lost, send(connected, ...logs(2, 4), complete(4)));
				assert.deepEqual(
					words.filter(word => /^(gap|log)/.test(word)),
					['gap 0-0', 'log 1', ...rest],
				);
			});
		}

		it('that are missing are asked for once more', async () => {
			const { words } = await served.follow(
				send(connected, log(0), log(3), log(4)),
				send(connected, ...logs(1, 5), complete(5)),
			);
			assert.deepEqual(served.asked, [0, 1]);
			assert.deepEqual(words, [
				'connected 0',
				'log 0',
				'reconnecting 1 #1 entries missing',
				'connected 1',
				'log 1',
				'log 2',
				'log 3',
				'log 4',
				'complete completed 5',
			]);
		});

		it('that are missing again are told as one gap, and the log goes on', async () => {
			const { words } = await served.follow(
				send(connected, log(0), log(3)),
				send(connected, ...logs(3, 5), complete(5)),
			);
			assert.deepEqual(words.slice(3), ['connected 1', 'gap 1-2', 'log 3', 'log 4', 'complete completed 5']);
		});

		it('that are missing in a second place are asked for once more, too', async () => {
			const { words } = await served.follow(
				send(connected, log(1)),
				send(connected, log(1), log(3)),
				send(connected, ...logs(2, 4), complete(4)),
			);
			assert.deepEqual(served.asked, [0, 0, 2]);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['gap 0-0', 'log 1', 'log 2', 'log 3', 'complete completed 4'],
			);
		});

		it('that are missing at the end are asked for once more', async () => {
			const { words } = await served.follow(
				send(connected, log(0), complete(3)),
				send(connected, ...logs(1, 3), complete(3)),
			);
			assert.deepEqual(served.asked, [0, 1]);
			assert.deepEqual(words.slice(-4), ['connected 1', 'log 1', 'log 2', 'complete completed 3']);
		});

		it('that are missing at the end again are told as a gap', async () => {
			const { words } = await served.follow(send(connected, log(0), complete(3)), send(connected, complete(3)));
			assert.deepEqual(words.slice(-3), ['connected 1', 'gap 1-2', 'complete completed 3']);
		});

		it('that are missing at the end are a gap when the log can no longer be read', async () => {
			const { words, error } = await served.follow(send(connected, log(0), complete(3)), response =>
				sendJson(response, 404, {}),
			);
			assert.equal(error, undefined);
			assert.deepEqual(words.slice(-2), ['gap 1-2', 'complete completed 3']);
		});

		it('of any index cost no memory', async () => {
			const far = Number.MAX_SAFE_INTEGER - 1;
			const { words } = await served.follow(
				send(
					connected,
					log(far + 1),
					sseEvent({ index: 1e300, log: {} }, 'log'),
					sseEvent({ index: -1, log: {} }, 'log'),
					log(far),
				),
				send(connected, log(far), complete(1e15)),
			);
			assert.deepEqual(words.slice(2), [
				'connected 0',
				`gap 0-${far - 1}`,
				`log ${far}`,
				'complete completed 1000000000000000',
			]);
		});

		it('after the last index that can be asked for do not end the log', async () => {
			const { words } = await served.follow(
				send(connected, log(Number.MAX_SAFE_INTEGER), log(0)),
				send(connected, log(Number.MAX_SAFE_INTEGER), log(0), complete(1)),
			);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['log 0', 'complete completed 1'],
			);
		});

		it('that cannot be read are a gap, not the end', async () => {
			const { words } = await served.follow(
				send(connected, log(0), sseEvent('{broken', 'log'), log(2)),
				send(connected, sseEvent({ index: 1 }, 'log'), log(2), complete(3)),
			);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['log 0', 'gap 1-1', 'log 2', 'complete completed 3'],
			);
		});

		it('that are too long are asked for once more, then told as a gap', async () => {
			served.client = testClient(served.faulty.origin, { limits: { eventLength: 1000 } });
			const giant = log(1, { message: 'x'.repeat(5000) });
			const { words } = await served.follow(
				send(connected, log(0), giant, log(2), complete(3)),
				send(connected, giant, log(2), complete(3)),
				send(connected, log(2), complete(3)),
			);
			assert.deepEqual(served.asked, [0, 1, 2]);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['log 0', 'gap 1-1', 'log 2', 'complete completed 3'],
			);
		});

		it('keep unknown fields, lose None, and keep None where it is text', async () => {
			const { events } = await served.follow(
				send(
					connected,
					log(0, { message: 'None', agent: 'None', step: null, type: 7, extra: [1] }),
					log(1, { colour: 'red' }),
					complete(2),
				),
			);
			const entries = events.flatMap(event => (event.type === 'log' ? [event.entry] : []));
			assert.equal(entries[0]?.message, 'None');
			assert.equal(entries[0]?.agent, undefined);
			assert.equal(entries[0]?.step, undefined);
			assert.equal(entries[0]?.type, undefined);
			assert.deepEqual(entries[0]?.['extra'], [1]);
			assert.equal(entries[1]?.['colour'], 'red');
		});
	});
});
