import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ClientError } from '../../../src/client/core/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import type { FollowEvent } from '../../../src/client/types.ts';
import {
	type Answer,
	beginEvents,
	breakOff,
	FaultServer,
	type Received,
	sendEvents,
	sendJson,
	sseEvent,
} from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { collect, type TestClient, testClient } from './testClient.ts';

const connected = sseEvent({ taskId: 't1', fromIndex: 0, message: 'Connected' }, 'connected');
const log = (index: number, fields: object = {}) =>
	sseEvent(
		{ index, log: { type: 'info', message: `line ${index}`, ...fields }, timestamp: '2026-11-21T10:00:00Z' },
		'log',
	);
const logs = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => log(from + index));
const status = (text: string, error: string | null = null) => sseEvent({ status: text, error }, 'status');
const complete = (totalLogs: unknown, text = 'completed') =>
	sseEvent({ status: text, totalLogs, message: 'Done' }, 'complete');

/** The events as a few words each. */
function words(events: readonly FollowEvent[]): string[] {
	return events.map(wordsOf);
}

function wordsOf(event: FollowEvent): string {
	switch (event.type) {
		case 'connected':
			return `connected ${event.fromIndex}`;
		case 'log':
			return `log ${event.index}`;
		case 'status':
			return `status ${event.status}`;
		case 'gap':
			return `gap ${event.from}-${event.to}`;
		case 'reconnecting':
			return `reconnecting ${event.nextIndex} #${event.attempt} ${event.cause}`;
		case 'complete':
			return `complete ${event.status} ${event.totalLogs}`;
	}
}

type Connection = (response: ServerResponse, received: Received) => void | Promise<void>;

describe('client.tasks.follow', () => {
	let server: FaultServer;
	let client: TestClient;
	/** How each connection to the log is answered, in turn; the last one for ever. */
	let connections: Connection[];
	let answerTask: Answer;
	const streams = () => server.received.filter(({ path }) => path.endsWith('/stream'));
	const asked = () => streams().map(({ query }) => Number(query.get('fromIndex')));
	const taskQueries = () => server.received.filter(({ path }) => path === '/api/tasks/t1').length;
	const follow = async (...sequence: Connection[]) => {
		connections = sequence;
		const { events, error } = await collect(client.tasks.follow('t1'));
		return { events, words: words(events), error };
	};
	const send =
		(...events: string[]): Connection =>
		response =>
			sendEvents(response, ...events);
	const sendThenBreak =
		(...events: string[]): Connection =>
		async response => {
			beginEvents(response);
			response.write(events.join(''));
			await breakOff(response);
		};

	beforeEach(async () => {
		answerTask = response => sendJson(response, 200, { task: { id: 't1', status: 'processing' } });
		server = await FaultServer.start((response, received) => {
			const answer = received.path.endsWith('/stream')
				? connections[Math.min(streams().length, connections.length) - 1]
				: answerTask;
			return answer?.(response, received);
		});
		client = testClient(server.origin);
	});
	afterEach(() => server.stop());

	it('reads a log from its beginning to its end', async () => {
		const { events, error } = await follow(send(connected, ...logs(0, 2), status('saving'), complete(2)));
		assert.equal(error, undefined);
		assert.deepEqual(JSON.parse(JSON.stringify(events)), [
			{ type: 'connected', fromIndex: 0 },
			{ type: 'log', index: 0, entry: { type: 'info', message: 'line 0' }, sentAt: '2026-11-21T10:00:00Z' },
			{ type: 'log', index: 1, entry: { type: 'info', message: 'line 1' }, sentAt: '2026-11-21T10:00:00Z' },
			{ type: 'status', status: 'saving' },
			{ type: 'complete', status: 'completed', totalLogs: 2, message: 'Done' },
		]);
		const [received] = server.received;
		assert.equal(received?.path, '/api/tasks/t1/stream');
		assert.equal(received?.query.toString(), 'fromIndex=0&includeStatus=true');
		assert.equal(received?.headers.accept, 'text/event-stream');
		assert.equal(received?.headers.authorization, 'Bearer sk-cloud');
	});

	it('begins where it was told to, and asks for no status when told so', async () => {
		connections = [send(connected, log(7), complete(8))];
		const { events } = await collect(client.tasks.follow('t1', { fromIndex: 7, includeStatus: false }));
		assert.deepEqual(words(events), ['connected 7', 'log 7', 'complete completed 8']);
		assert.equal(server.received[0]?.query.toString(), 'fromIndex=7&includeStatus=false');
	});

	it('refuses an impossible index before it sends anything', async () => {
		const { error } = await collect(client.tasks.follow('t1', { fromIndex: -1 }));
		assert.ok(ClientError.is(error, 'invalid-request'));
		assert.equal(server.received.length, 0);
	});

	for (const [how, cause, end] of [
		['closes without an end', 'closed', send(connected, log(0))],
		['breaks', /RESET|SOCKET|closed/, sendThenBreak(connected, log(0))],
		['sends an error', 'storage is away', send(connected, log(0), sseEvent({ error: 'storage is away' }, 'error'))],
		['sends an error that is no JSON', 'it broke', send(connected, log(0), sseEvent('it broke', 'error'))],
	] as const) {
		it(`goes on from the next index after a connection that ${how}`, async () => {
			const { events, words, error } = await follow(end, send(connected, log(1), complete(2)));
			assert.equal(error, undefined);
			assert.deepEqual(asked(), [0, 1]);
			const lost = events.find(event => event.type === 'reconnecting');
			assert.ok(lost);
			if (typeof cause === 'string') {
				assert.equal(lost.cause, cause);
			} else {
				assert.match(lost.cause, cause);
			}
			assert.deepEqual([lost.nextIndex, lost.attempt, lost.delayMs], [1, 1, 150]);
			assert.deepEqual(client.clock.waits, [150]);
			assert.deepEqual(
				words.filter(word => !word.startsWith('reconnecting')),
				['connected 0', 'log 0', 'connected 1', 'log 1', 'complete completed 2'],
			);
		});
	}

	it('waits twice as long after each connection that brings nothing, up to 15 s, and starts over when one does', async () => {
		const refuse: Connection = response => void response.socket?.destroy();
		const { error } = await follow(
			...Array.from({ length: 7 }, () => refuse),
			send(connected, status('processing')),
			refuse,
			send(connected, complete(0)),
		);
		assert.equal(error, undefined);
		assert.deepEqual(client.clock.waits, [150, 300, 600, 1200, 2400, 4500, 4500, 150, 300]);
	});

	it('does not take a greeting alone for a reason to come back at once', async () => {
		await follow(...Array.from({ length: 4 }, () => send(connected)), send(connected, complete(0)));
		assert.deepEqual(client.clock.waits, [150, 300, 600, 1200]);
	});

	it('waits as long as a service that is busy asks for', async () => {
		await follow(response => sendJson(response, 429, {}, { 'Retry-After': '20' }), send(connected, complete(0)));
		assert.deepEqual(client.clock.waits, [20_000]);
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
			const { words, error } = await follow(answer, send(connected, complete(0)));
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
			const refuse: Connection = response => sendJson(response, number, { error: 'Task not found' });
			const first = await follow(refuse);
			assert.ok(ClientError.is(first.error, code));
			assert.equal(first.error.serviceMessage, 'Task not found');
			const later = await follow(send(connected, log(0)), refuse);
			assert.ok(ClientError.is(later.error, code));
		});
	}

	it('throws no-key at once, at the beginning and later', async () => {
		let key: string | undefined = 'sk-a';
		client = testClient(server.origin, { keys: () => Promise.resolve(key) });
		const { error } = await follow(response => {
			key = undefined;
			sendEvents(response, connected, log(0));
		});
		assert.ok(ClientError.is(error, 'no-key'));
	});

	describe('entries', () => {
		it('come once though the service repeats them', async () => {
			const { words } = await follow(
				send(connected, log(0), log(0), log(1)),
				// The index that was asked for is ignored.
				send(connected, ...logs(0, 3), log(1), complete(3)),
			);
			assert.deepEqual(
				words.filter(word => word.startsWith('log')),
				['log 0', 'log 1', 'log 2'],
			);
		});

		it('that are missing are asked for once more', async () => {
			const { words } = await follow(
				send(connected, log(0), log(3), log(4)),
				send(connected, ...logs(1, 5), complete(5)),
			);
			assert.deepEqual(asked(), [0, 1]);
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
			const { words } = await follow(send(connected, log(0), log(3)), send(connected, ...logs(3, 5), complete(5)));
			assert.deepEqual(words.slice(3), ['connected 1', 'gap 1-2', 'log 3', 'log 4', 'complete completed 5']);
		});

		it('that are missing in a second place are asked for once more, too', async () => {
			const { words } = await follow(
				send(connected, log(1)),
				send(connected, log(1), log(3)),
				send(connected, ...logs(2, 4), complete(4)),
			);
			assert.deepEqual(asked(), [0, 0, 2]);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['gap 0-0', 'log 1', 'log 2', 'log 3', 'complete completed 4'],
			);
		});

		it('that are missing at the end are asked for once more', async () => {
			const { words } = await follow(send(connected, log(0), complete(3)), send(connected, ...logs(1, 3), complete(3)));
			assert.deepEqual(asked(), [0, 1]);
			assert.deepEqual(words.slice(-4), ['connected 1', 'log 1', 'log 2', 'complete completed 3']);
		});

		it('that are missing at the end again are told as a gap', async () => {
			const { words } = await follow(send(connected, log(0), complete(3)), send(connected, complete(3)));
			assert.deepEqual(words.slice(-3), ['connected 1', 'gap 1-2', 'complete completed 3']);
		});

		it('that are missing at the end are a gap when the log can no longer be read', async () => {
			const { words, error } = await follow(send(connected, log(0), complete(3)), response =>
				sendJson(response, 404, {}),
			);
			assert.equal(error, undefined);
			assert.deepEqual(words.slice(-2), ['gap 1-2', 'complete completed 3']);
		});

		it('of any index cost no memory', async () => {
			const far = Number.MAX_SAFE_INTEGER - 1;
			const { words } = await follow(
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

		it('that cannot be read are a gap, not the end', async () => {
			const { words } = await follow(
				send(connected, log(0), sseEvent('{broken', 'log'), log(2)),
				send(connected, sseEvent({ index: 1 }, 'log'), log(2), complete(3)),
			);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['log 0', 'gap 1-1', 'log 2', 'complete completed 3'],
			);
		});

		it('that are too long are asked for once more, then told as a gap', async () => {
			client = testClient(server.origin, { limits: { eventLength: 1000 } });
			const giant = log(1, { message: 'x'.repeat(5000) });
			const { words } = await follow(
				send(connected, log(0), giant, log(2), complete(3)),
				send(connected, giant, log(2), complete(3)),
				send(connected, log(2), complete(3)),
			);
			assert.deepEqual(asked(), [0, 1, 2]);
			assert.deepEqual(
				words.filter(word => /^(gap|log|complete)/.test(word)),
				['log 0', 'gap 1-1', 'log 2', 'complete completed 3'],
			);
		});

		it('keep unknown fields, lose None, and keep None where it is text', async () => {
			const { events } = await follow(
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

	describe('silence', () => {
		it('of 15 s is a dead connection while status events are expected', async () => {
			connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
				send(connected, complete(0)),
			];
			const ended = collect(client.tasks.follow('t1'));
			await client.clock.expire(LIMITS.followSilenceMs);
			const { events, error } = await ended;
			assert.equal(error, undefined);
			assert.deepEqual(words(events), [
				'connected 0',
				'reconnecting 0 #1 timeout',
				'connected 0',
				'complete completed 0',
			]);
			assert.deepEqual(await streams()[0]?.closed, { isWhole: false });
		});

		it('is not broken by a comment', async () => {
			let say = (_: string) => {};
			connections = [
				response => {
					beginEvents(response);
					say = text => void response.write(text);
					say(connected);
				},
				send(connected, complete(0)),
			];
			const stream = client.tasks.follow('t1')[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			await waitFor('the watch', () => client.clock.running(LIMITS.followSilenceMs) === 1);
			client.clock.pass(10_000);
			say(': alive\n\n');
			client.clock.pass(LIMITS.followSilenceMs - 10_000);
			await client.clock.wake(LIMITS.followSilenceMs);
			assert.equal((await next).value?.type, 'reconnecting');
			await stream.return?.();
		});

		it('of 15 s is nothing while no status was asked for', async () => {
			connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
			];
			const stream = client.tasks.follow('t1', { includeStatus: false })[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			await waitFor('the watch', () => client.clock.running(LIMITS.idleMs) === 1);
			assert.equal(client.clock.running(LIMITS.followSilenceMs), 0);
			await stream.return?.();
			await next;
		});

		it('before the head is a lost connection after the first byte’s limit', async () => {
			connections = [() => {}, send(connected, complete(0))];
			const ended = collect(client.tasks.follow('t1'));
			await client.clock.expire(LIMITS.streamFirstByteMs);
			const { events } = await ended;
			assert.deepEqual(words(events).slice(1), ['connected 0', 'complete completed 0']);
		});
	});

	describe('an end that the stream does not tell', () => {
		const answerFinal: Answer = response =>
			sendJson(response, 200, { task: { id: 't1', status: 'error', error: 'No tests' } });

		it('is taken from the task after a final status', async () => {
			answerTask = answerFinal;
			const { events, words } = await follow(send(connected, log(0), status('error', 'No tests')));
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'error', totalLogs: null, message: 'No tests' });
			assert.equal(taskQueries(), 1);
			assert.equal(words.filter(word => word === 'log 0').length, 1);
		});

		it('is looked for only after what came last has been asked for', async () => {
			answerTask = answerFinal;
			const { words } = await follow(
				sendThenBreak(connected, log(0), status('error')),
				send(connected, log(1), complete(2, 'error')),
			);
			assert.deepEqual(words.slice(-2), ['log 1', 'complete error 2']);
			assert.equal(taskQueries(), 0);
		});

		it('is looked for while the service keeps reporting a final status', async () => {
			answerTask = answerFinal;
			const { words } = await follow(response => {
				beginEvents(response);
				response.write(connected + status('error').repeat(3));
			});
			assert.equal(words.at(-1), 'complete error null');
		});

		it('is looked for after three connections without a new entry', async () => {
			answerTask = answerFinal;
			const { words, error } = await follow(send(connected, log(0)), send(connected));
			assert.equal(error, undefined);
			assert.equal(words.at(-1), 'complete error null');
			assert.equal(streams().length, 4);
		});

		it('is looked for again after three more while the task runs', async () => {
			let queries = 0;
			answerTask = (response, received) => {
				queries++;
				return queries < 3
					? sendJson(response, 200, { id: 't1', status: 'processing' })
					: answerFinal(response, received);
			};
			const { words } = await follow(send(connected));
			assert.equal(words.at(-1), 'complete error null');
			assert.equal(streams().length, 9);
		});

		it('is no end while the task goes on, even after a final status', async () => {
			const { words } = await follow(
				send(connected, status('completed')),
				send(connected, status('processing'), log(0)),
				send(connected, complete(1)),
			);
			assert.equal(words.at(-1), 'complete completed 1');
		});

		it('is an unknown state of a task that has been completed', async () => {
			answerTask = response =>
				sendJson(response, 200, { task: { id: 't1', status: 'archived', completedAt: '2026-11-21T10:00:00Z' } });
			const { words } = await follow(send(connected));
			assert.equal(words.at(-1), 'complete archived null');
		});

		it('is the stream’s own final status where the task cannot be read', async () => {
			answerTask = response => sendJson(response, 403, {});
			server.answer = (response, received) =>
				received.path.endsWith('/stream') ? connections[0]?.(response, received) : sendJson(response, 404, {});
			const { events, error } = await follow(send(connected, status('stopped', 'by hand')));
			assert.equal(error, undefined);
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'stopped', totalLogs: null, message: 'by hand' });
		});

		it('is not made up where the task cannot be read and nothing final was told', async () => {
			answerTask = response => sendJson(response, 403, {});
			const { words } = await follow(...Array.from({ length: 5 }, () => send(connected)), send(connected, complete(0)));
			assert.equal(words.at(-1), 'complete completed 0');
		});
	});

	it('takes a total that is no number of entries for unknown', async () => {
		for (const total of ['None', -1, 1.5, 1e300, undefined]) {
			const { events } = await follow(send(connected, log(0), complete(total)));
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'completed', totalLogs: null, message: 'Done' });
			server.received.length = 0;
		}
	});

	it('ignores events that it does not know', async () => {
		const { words } = await follow(
			send(connected, sseEvent({ a: 1 }, 'news'), sseEvent({ b: 1 }), log(0), complete(1)),
		);
		assert.deepEqual(words, ['connected 0', 'log 0', 'complete completed 1']);
	});

	it('says nothing after its end, and reads nothing', async () => {
		const { words } = await follow(send(connected, complete(0), log(0), status('completed')));
		assert.deepEqual(words, ['connected 0', 'complete completed 0']);
	});

	describe('an abort', () => {
		it('ends it at once while an event is awaited', async () => {
			connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
			];
			const controller = new AbortController();
			const stream = client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			controller.abort();
			await assert.rejects(next, { code: 'aborted' });
			assert.deepEqual(await streams()[0]?.closed, { isWhole: false });
			assert.deepEqual(await stream.next(), { done: true, value: undefined });
		});

		it('ends it at once during a wait', async () => {
			connections = [response => sendJson(response, 429, {}, { 'Retry-After': '60' })];
			const controller = new AbortController();
			const stream = client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			assert.equal((await stream.next()).value?.type, 'reconnecting');
			const next = stream.next();
			await waitFor('the wait', () => client.clock.running(LIMITS.retryAfterMs) === 1);
			controller.abort();
			await assert.rejects(next, { code: 'aborted' });
			assert.equal(streams().length, 1);
		});

		it('ends it at once while the task is asked for', async () => {
			connections = [send(connected)];
			answerTask = () => {};
			const controller = new AbortController();
			const ended = collect(client.tasks.follow('t1', { signal: controller.signal }));
			await waitFor('the look-up', () => taskQueries() === 1);
			controller.abort();
			assert.ok(ClientError.is((await ended).error, 'aborted'));
		});

		it('gives nothing more of what had come', async () => {
			connections = [send(connected, ...logs(0, 100), complete(100))];
			const controller = new AbortController();
			const stream = client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			await stream.next();
			await stream.next();
			controller.abort();
			await assert.rejects(stream.next(), { code: 'aborted' });
		});
	});

	it('ends on the server’s side when the loop is left', async () => {
		connections = [
			response => {
				beginEvents(response);
				response.write(connected + log(0));
			},
		];
		for await (const event of client.tasks.follow('t1')) {
			if (event.type === 'log') {
				break;
			}
		}
		assert.deepEqual(await streams()[0]?.closed, { isWhole: false });
	});
});
