import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import type { FollowEvent } from '../../../src/client/types.ts';
import { type Answer, beginEvents, sendJson, sseEvent } from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
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
import { collect, countingTransport, testClient } from './testClient.ts';

describe('the end of client.tasks.follow', () => {
	let served: LogServer;

	beforeEach(async () => {
		served = await LogServer.start();
	});
	afterEach(() => served.stop());

	describe('silence', () => {
		it('of 15 s is a dead connection while status events are expected', async () => {
			served.connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
				send(connected, complete(0)),
			];
			const events: FollowEvent[] = [];
			const ended = (async () => {
				for await (const event of served.client.tasks.follow('t1')) {
					events.push(event);
				}
			})();
			// Before the head, another limit of the same length is running.
			await waitFor('the connection to be greeted', () => events.length === 1);
			await served.client.clock.expire(LIMITS.followSilenceMs);
			await ended;
			assert.deepEqual(events.map(wordsOf), [
				'connected 0',
				'reconnecting 0 #1 timeout',
				'connected 0',
				'complete completed 0',
			]);
			assert.deepEqual(await served.streams[0]?.closed, { isWhole: false });
		});

		it('is not broken by a comment', async () => {
			let say = (_: string) => {};
			served.connections = [
				response => {
					beginEvents(response);
					say = text => void response.write(text);
					say(connected);
				},
			];
			const { transport, counted } = countingTransport();
			served.client = testClient(served.faulty.origin, { transport });
			const stream = served.client.tasks.follow('t1')[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			await waitFor('the watch', () => served.client.clock.running(LIMITS.followSilenceMs) === 1);
			served.client.clock.pass(10_000);
			say(': alive\n\n');
			await waitFor('the comment', () => counted.chunks === 2);
			served.client.clock.pass(LIMITS.followSilenceMs - 10_000);
			await served.client.clock.wake(LIMITS.followSilenceMs);
			assert.equal((await next).value?.type, 'reconnecting');
			// Had the comment counted, the watch would have gone on until a whole limit after it.
			assert.deepEqual(served.client.clock.waits, []);
			await stream.return?.();
		});

		it('of 15 s is nothing while no status was asked for', async () => {
			served.connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
			];
			const stream = served.client.tasks.follow('t1', { includeStatus: false })[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			await waitFor('the watch', () => served.client.clock.running(LIMITS.idleMs) === 1);
			assert.equal(served.client.clock.running(LIMITS.followSilenceMs), 0);
			await stream.return?.();
			await next;
		});

		for (const [what, options, limit] of [
			['silence where status events are expected', {}, LIMITS.followSilenceMs],
			['the first byte where they are not', { includeStatus: false }, LIMITS.streamFirstByteMs],
		] as const) {
			it(`before the head is a lost connection after the limit of ${what}`, async () => {
				served.connections = [() => {}, send(connected, complete(0))];
				const ended = collect(served.client.tasks.follow('t1', options));
				// A request that is given up before the service has it would leave the first answer to the next one.
				await waitFor('the request to arrive', () => served.streams.length === 1);
				await served.client.clock.expire(limit);
				const { events } = await ended;
				assert.deepEqual(events.map(wordsOf), ['reconnecting 0 #1 timeout', 'connected 0', 'complete completed 0']);
			});
		}
	});

	describe('an end that the stream does not tell', () => {
		const answerFinal: Answer = response =>
			sendJson(response, 200, { task: { id: 't1', status: 'error', error: 'No tests' } });

		it('is taken from the task after a final status', async () => {
			served.answerTask = answerFinal;
			const { events, words } = await served.follow(send(connected, log(0), status('error', 'No tests')));
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'error', totalLogs: null, message: 'No tests' });
			assert.equal(served.taskQueries, 1);
			assert.equal(words.filter(word => word === 'log 0').length, 1);
		});

		it('is looked for only after what came last has been asked for', async () => {
			served.answerTask = answerFinal;
			const { words } = await served.follow(
				sendThenBreak(connected, log(0), status('error')),
				send(connected, log(1), complete(2, 'error')),
			);
			assert.deepEqual(words.slice(-2), ['log 1', 'complete error 2']);
			assert.equal(served.taskQueries, 0);
		});

		it('is looked for while the service keeps reporting a final status', async () => {
			served.answerTask = answerFinal;
			const { words } = await served.follow(response => {
				beginEvents(response);
				response.write(connected + status('error').repeat(3));
			});
			assert.equal(words.at(-1), 'complete error null');
		});

		it('is looked for after three connections without a new entry', async () => {
			served.answerTask = answerFinal;
			const { words, error } = await served.follow(send(connected, log(0)), send(connected));
			assert.equal(error, undefined);
			assert.equal(words.at(-1), 'complete error null');
			assert.equal(served.streams.length, 4);
		});

		it('is looked for again after three more while the task runs', async () => {
			let queries = 0;
			served.answerTask = (response, received) => {
				queries++;
				return queries < 3
					? sendJson(response, 200, { id: 't1', status: 'processing' })
					: answerFinal(response, received);
			};
			const { words } = await served.follow(send(connected));
			assert.equal(words.at(-1), 'complete error null');
			assert.equal(served.streams.length, 9);
		});

		for (const [how, fail] of [
			['are refused', response => sendJson(response, 503, {})],
			['read nothing but an error', send(connected, sseEvent({ error: 'The log cannot be read.' }, 'error'))],
		] as const satisfies [string, LogConnection][]) {
			it(`does not cut off entries while connections ${how}`, async () => {
				served.answerTask = answerFinal;
				const { words } = await served.follow(
					sendThenBreak(connected, log(0)),
					...[fail, fail, fail],
					send(connected, log(1), complete(2, 'error')),
				);
				assert.deepEqual(words.slice(-2), ['log 1', 'complete error 2']);
				assert.equal(served.taskQueries, 1);
			});

			it(`is taken from the task at last if connections still ${how}`, async () => {
				served.answerTask = answerFinal;
				const { words } = await served.follow(fail);
				assert.equal(words.at(-1), 'complete error null');
				assert.equal(served.taskQueries, 2);
			});
		}

		it('is no end while the task goes on, even after a final status', async () => {
			const { words } = await served.follow(
				send(connected, status('completed')),
				send(connected, status('processing'), log(0)),
				send(connected, complete(1)),
			);
			assert.equal(words.at(-1), 'complete completed 1');
		});

		it('is not a final status that the task has left since', async () => {
			served.answerTask = response => sendJson(response, 403, {});
			const { words } = await served.follow(
				send(connected, status('completed'), status('processing')),
				send(connected, log(0), complete(1)),
			);
			assert.deepEqual(words.slice(-2), ['log 0', 'complete completed 1']);
		});

		it('does not cut off entries that the stream’s own end promised', async () => {
			served.answerTask = answerFinal;
			const { words } = await served.follow(
				send(connected, status('completed'), complete(2)),
				send(connected, ...logs(0, 2), complete(2)),
			);
			assert.deepEqual(words.slice(-3), ['log 0', 'log 1', 'complete completed 2']);
			assert.equal(served.taskQueries, 0);
		});

		it('is an unknown state of a task that has been completed', async () => {
			served.answerTask = response =>
				sendJson(response, 200, { task: { id: 't1', status: 'archived', completedAt: '2026-11-21T10:00:00Z' } });
			const { words } = await served.follow(send(connected));
			assert.equal(words.at(-1), 'complete archived null');
		});

		it('is the stream’s own final status where the task cannot be read', async () => {
			served.answerTask = response => sendJson(response, 403, {});
			served.faulty.answer = (response, received) =>
				received.path.endsWith('/stream') ? served.connections[0]?.(response, received) : sendJson(response, 404, {});
			const { events, error } = await served.follow(send(connected, status('stopped', 'by hand')));
			assert.equal(error, undefined);
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'stopped', totalLogs: null, message: 'by hand' });
		});

		it('is waited for where the task cannot be read for now', async () => {
			for (const now of [429, 503]) {
				served.faulty.received.length = 0;
				let queries = 0;
				served.answerTask = (response, received) =>
					++queries <= 3 ? sendJson(response, now, {}) : answerFinal(response, received);
				const { events } = await served.follow(send(connected, status('stopped')));
				assert.deepEqual(events.at(-1), { type: 'complete', status: 'error', totalLogs: null, message: 'No tests' });
			}
		});

		it('is not made up where the task cannot be read and nothing final was told', async () => {
			served.answerTask = response => sendJson(response, 403, {});
			const { words } = await served.follow(
				...Array.from({ length: 5 }, () => send(connected)),
				send(connected, complete(0)),
			);
			assert.equal(words.at(-1), 'complete completed 0');
		});
	});

	it('takes a total that is no number of entries for unknown', async () => {
		for (const total of ['None', -1, 1.5, 1e300, undefined]) {
			const { events } = await served.follow(send(connected, log(0), complete(total)));
			assert.deepEqual(events.at(-1), { type: 'complete', status: 'completed', totalLogs: null, message: 'Done' });
			served.faulty.received.length = 0;
		}
	});

	it('has the state that was told last where its own event names none', async () => {
		const { words } = await served.follow(send(connected, status('stopped'), sseEvent({ totalLogs: 0 }, 'complete')));
		assert.equal(words.at(-1), 'complete stopped 0');
	});

	it('ignores events that it does not know', async () => {
		const { words } = await served.follow(
			send(connected, sseEvent({ a: 1 }, 'news'), sseEvent({ b: 1 }), log(0), complete(1)),
		);
		assert.deepEqual(words, ['connected 0', 'log 0', 'complete completed 1']);
	});

	it('says nothing after its end, and reads nothing', async () => {
		const { words } = await served.follow(send(connected, complete(0), log(0), status('completed')));
		assert.deepEqual(words, ['connected 0', 'complete completed 0']);
	});

	describe('an abort', () => {
		it('ends it at once while an event is awaited', async () => {
			served.connections = [
				response => {
					beginEvents(response);
					response.write(connected);
				},
			];
			const controller = new AbortController();
			const stream = served.client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			await stream.next();
			const next = stream.next();
			controller.abort();
			await assert.rejects(next, { code: 'aborted' });
			assert.deepEqual(await served.streams[0]?.closed, { isWhole: false });
			assert.deepEqual(await stream.next(), { done: true, value: undefined });
		});

		it('ends it at once during a wait', async () => {
			served.connections = [response => sendJson(response, 429, {}, { 'Retry-After': '60' })];
			const controller = new AbortController();
			const stream = served.client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			assert.equal((await stream.next()).value?.type, 'reconnecting');
			const next = stream.next();
			await waitFor('the wait', () => served.client.clock.running(LIMITS.retryAfterMs) === 1);
			controller.abort();
			await assert.rejects(next, { code: 'aborted' });
			assert.equal(served.streams.length, 1);
		});

		it('ends it at once while the task is asked for', async () => {
			served.connections = [send(connected)];
			served.answerTask = () => {};
			const controller = new AbortController();
			const ended = collect(served.client.tasks.follow('t1', { signal: controller.signal }));
			await waitFor('the look-up', () => served.taskQueries === 1);
			controller.abort();
			assert.ok(ClientError.is((await ended).error, 'aborted'));
		});

		it('gives nothing more of what had come', async () => {
			served.connections = [send(connected, ...logs(0, 100), complete(100))];
			const controller = new AbortController();
			const stream = served.client.tasks.follow('t1', { signal: controller.signal })[Symbol.asyncIterator]();
			await stream.next();
			await stream.next();
			controller.abort();
			await assert.rejects(stream.next(), { code: 'aborted' });
		});
	});

	it('ends on the server’s side when the loop is left', async () => {
		served.connections = [
			response => {
				beginEvents(response);
				response.write(connected + log(0));
			},
		];
		for await (const event of served.client.tasks.follow('t1')) {
			if (event.type === 'log') {
				break;
			}
		}
		assert.deepEqual(await served.streams[0]?.closed, { isWhole: false });
	});
});
