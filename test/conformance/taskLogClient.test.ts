import assert from 'node:assert/strict';
import type { Client, FollowEvent } from '../../src/client/types.ts';
import type { SentEvent } from '../support/contractServer/contractServer.ts';
import { logEntries, moment, taskIds } from '../support/contractServer/taskFixtures.ts';
import { beginEvents, FaultServer, sendEvents, sseEvent } from '../support/faultServer.ts';
import { prove } from './harness.ts';

type OfType<T extends FollowEvent['type']> = Extract<FollowEvent, { type: T }>;

async function follow(client: Client, ...request: Parameters<Client['tasks']['follow']>): Promise<FollowEvent[]> {
	const events: FollowEvent[] = [];
	for await (const event of client.tasks.follow(...request)) {
		events.push(event);
	}
	return events;
}

const ofType = <T extends FollowEvent['type']>(events: FollowEvent[], type: T) =>
	events.filter((event): event is OfType<T> => event.type === type);
const indexesOf = (events: FollowEvent[]) => ofType(events, 'log').map(({ index }) => index);
const STREAM = 'cloud-tasks/get-cloud-url-api-tasks-taskid-stream/prose';
const ERRORS = ['cloud-tasks/errors/prose/1', 'cloud-tasks/errors/prose/2'];
const ALL = logEntries.map((_, index) => index);
const isStream = ({ path }: { path: string }) => path.endsWith('/stream');
const streamed = (...events: SentEvent[]) => ({ status: 200, headers: {}, events });
const greeting = (id: string): SentEvent => ({
	event: 'connected',
	data: { taskId: id, fromIndex: 0, message: 'Hello' },
});

describe('an entry of a log', () => {
	for (const [index, field] of (['type', 'contentType', 'message', 'timestamp', 'agent', 'step'] as const).entries()) {
		prove(`cloud-tasks/log-entry-in-the-stream/${index + 1}`, `gives ${field} as it was sent`, async ({ client }) => {
			const entries = ofType(await follow(client, taskIds.completed), 'log');
			assert.deepEqual(
				entries.map(({ entry }) => entry[field]),
				logEntries.map(entry => entry[field]),
			);
		});
	}
});

describe('the stream of a log', () => {
	prove('cloud-tasks/events/1', 'begins with a greeting, before anything else has come', async ({ client, server }) => {
		assert.deepEqual((await follow(client, taskIds.completed, { fromIndex: 3 }))[0], {
			type: 'connected',
			fromIndex: 3,
		});
		server.answer(isStream, streamed(greeting(taskIds.completed)));
		for await (const event of client.tasks.follow(taskIds.completed)) {
			assert.deepEqual(event, { type: 'connected', fromIndex: 0 });
			break;
		}
	});

	prove('cloud-tasks/events/2', 'brings each entry with its index and time, from the index on', async context => {
		const { client, lastRequest } = context;
		const entries = ofType(await follow(client, taskIds.completed, { fromIndex: 2 }), 'log');
		assert.deepEqual(
			entries.map(({ index, sentAt }) => [index, sentAt]),
			ALL.slice(2).map(index => [index, moment(2000 + index * 10)]),
		);
		assert.equal(lastRequest().query['fromIndex'], '2');
		assert.equal(lastRequest().headers.accept, 'text/event-stream');
	});

	prove([`${STREAM}/1`, `${STREAM}/4`], 'is asked for by the id of its task, as events', async context => {
		const { client, lastRequest, server } = context;
		for (const [id, path] of [
			[taskIds.completed, `/api/tasks/${taskIds.completed}/stream`],
			[taskIds.encoded, `/api/tasks/${encodeURIComponent(taskIds.encoded)}/stream`],
		] as const) {
			assert.deepEqual(indexesOf(await follow(client, id)), ALL);
			assert.deepEqual([lastRequest().method, lastRequest().path], ['GET', path]);
			assert.equal(lastRequest().headers.accept, 'text/event-stream');
		}
		const before = server.received.length;
		await assert.rejects(follow(client, ''), { code: 'invalid-request' });
		assert.equal(server.received.length, before);
	});

	prove([`${STREAM}/2`, `${STREAM}/3`], 'begins at 0 and has states, unless it is said otherwise', async context => {
		const { client, lastRequest, server } = context;
		assert.deepEqual(indexesOf(await follow(client, taskIds.completed)), ALL);
		const whole = lastRequest().query;
		assert.deepEqual([whole['fromIndex'] ?? '0', whole['includeStatus'] ?? 'true'], ['0', 'true']);
		for (const fromIndex of [1, ALL.length - 1]) {
			assert.deepEqual(indexesOf(await follow(client, taskIds.completed, { fromIndex })), ALL.slice(fromIndex));
			assert.equal(lastRequest().query['fromIndex'], String(fromIndex));
		}
		for (const includeStatus of [true, false]) {
			const told = ofType(await follow(client, taskIds.failed, { includeStatus }), 'status');
			assert.equal(told.length > 0, includeStatus);
			assert.equal(lastRequest().query['includeStatus'] ?? 'true', String(includeStatus));
		}
		const before = server.received.length;
		for (const options of [{ fromIndex: -1 }, { fromIndex: 1.5 }]) {
			await assert.rejects(follow(client, taskIds.completed, options), { code: 'invalid-request' });
		}
		assert.equal(server.received.length, before);
	});

	prove([`${STREAM}/5`, `${STREAM}/8`], 'is nothing but events, and nothing but what they document', async context => {
		const { client, server } = context;
		const [first] = await follow(client, taskIds.completed);
		assert.deepEqual(first, { type: 'connected', fromIndex: 0 });
		// A page of a proxy is no log: the connection counts as lost, and the next one brings the log.
		let isFirst = true;
		server.answer(
			({ path }) => path.endsWith('/stream') && isFirst,
			() => {
				isFirst = false;
				return { status: 200, headers: { 'content-type': 'text/html' }, text: '<p>Sign in</p>' };
			},
		);
		const events = await follow(client, taskIds.completed);
		assert.equal(events[0]?.type, 'reconnecting');
		assert.deepEqual(indexesOf(events), ALL);
		// What is more than an entry's index, entry and time does not go on.
		const secret = { token: 'of-somebody', userId: 'u1' };
		server.answer(
			isStream,
			streamed(
				{ event: 'connected', data: { ...(greeting(taskIds.completed).data as object), ...secret } },
				{ event: 'log', data: { index: 0, log: logEntries[0], timestamp: moment(1), ...secret } },
				{ event: 'complete', data: { status: 'completed', totalLogs: 1, message: 'Over', ...secret } },
			),
		);
		assert.doesNotMatch(JSON.stringify(await follow(client, taskIds.completed)), /of-somebody|"u1"/);
	});

	prove(
		[`${STREAM}/6`, 'cloud-tasks/events/prose/1'],
		'has events of a name and an object, and ignores others',
		async context => {
			const { client, server } = context;
			const log = (index: number): SentEvent => ({ event: 'log', data: { index, log: logEntries[index] } });
			const strange: SentEvent[] = [
				{ event: 'log', data: '[]' },
				{ event: 'log', data: '7' },
				{ event: 'status', data: '"completed"' },
				{ event: 'fanfare', data: { index: 1, log: logEntries[1] } },
				{ data: { index: 1, log: logEntries[1] } },
			];
			const end = { event: 'complete', data: { status: 'completed', totalLogs: 2 } };
			server.answer(isStream, streamed(greeting(taskIds.completed), log(0), ...strange, log(1), end));
			const events = await follow(client, taskIds.completed);
			assert.deepEqual(
				events.map(({ type }) => type),
				['connected', 'log', 'log', 'complete'],
			);
			assert.deepEqual(
				ofType(events, 'log').map(({ entry }) => entry.message),
				logEntries.slice(0, 2).map(({ message }) => message),
			);
		},
	);

	prove(`${STREAM}/9`, 'ends once the task has, with one connection and no further event', async context => {
		const { client, server } = context;
		const after: SentEvent[] = [{ event: 'log', data: { index: 6, log: logEntries[0] } }];
		const end = { event: 'complete', data: { status: 'stopped', totalLogs: 0 } };
		server.answer(isStream, streamed(greeting(taskIds.completed), end, ...after));
		const events = await follow(client, taskIds.completed);
		assert.deepEqual(
			events.map(({ type }) => type),
			['connected', 'complete'],
		);
		assert.deepEqual(events.at(-1), { type: 'complete', status: 'stopped', totalLogs: 0, message: undefined });
		assert.equal(server.received.length, 1);
	});

	prove(`${STREAM}/10`, 'is left by leaving its loop or by aborting, and the connection closes', async context => {
		const endless = await FaultServer.start(response => {
			beginEvents(response);
			response.write(sseEvent({ taskId: 't1', fromIndex: 0 }, 'connected'));
			response.write(sseEvent({ index: 0, log: logEntries[0] }, 'log'));
		});
		try {
			const client = context.connect({ cloudUrl: endless.origin });
			for await (const event of client.tasks.follow('t1')) {
				if (event.type === 'log') {
					break;
				}
			}
			assert.deepEqual(await endless.received[0]?.closed, { isWhole: false });
			const reader = new AbortController();
			const reading = (async () => {
				for await (const event of client.tasks.follow('t1', { signal: reader.signal })) {
					if (event.type === 'log') {
						reader.abort();
					}
				}
			})();
			await assert.rejects(reading, { code: 'aborted' });
			assert.deepEqual(await endless.received[1]?.closed, { isWhole: false });
			assert.equal(endless.received.length, 2);
		} finally {
			await endless.stop();
		}
	});

	prove('cloud-tasks/events/3', 'tells the state where that is asked for', async ({ client, lastRequest }) => {
		const told = ofType(await follow(client, taskIds.failed), 'status');
		assert.deepEqual(told, [{ type: 'status', status: 'error', error: 'The build failed with code 2' }]);
		assert.deepEqual(ofType(await follow(client, taskIds.failed, { includeStatus: false }), 'status'), []);
		assert.equal(lastRequest().query['includeStatus'], 'false');
	});

	prove('cloud-tasks/events/4', 'ends with the final state and the number of entries', async ({ client, server }) => {
		const events = await follow(client, taskIds.completed);
		const message = 'Task ended as completed';
		assert.deepEqual(events.at(-1), { type: 'complete', status: 'completed', totalLogs: 6, message });
		assert.equal(server.received.length, 1);
	});

	prove(
		['cloud-tasks/states-and-transitions/8', 'cloud-tasks/states-and-transitions/9'],
		'goes from processing over saving to completed',
		async ({ client }) => {
			const events = await follow(client, taskIds.processing);
			const states = events.flatMap(event => (event.type === 'status' || event.type === 'complete' ? [event] : []));
			assert.deepEqual(
				states.map(({ type, status }) => `${type} ${status}`),
				['status processing', 'status saving', 'complete completed'],
			);
			assert.equal((await client.tasks.get(taskIds.processing)).status, 'completed');
		},
	);

	prove(
		['cloud-tasks/events/5', 'unspecified/cloud-tasks/10'],
		'goes on after an error',
		async ({ client, server }) => {
			const events = await follow(client, taskIds.streamError);
			const [lost] = ofType(events, 'reconnecting');
			assert.deepEqual([lost?.cause, lost?.nextIndex], ['The log could not be read: shard 3 is away', 2]);
			assert.deepEqual(indexesOf(events), ALL);
			assert.deepEqual(
				server.received.map(({ query }) => query['fromIndex']),
				['0', '2'],
			);
		},
	);

	for (const [what, extra] of [
		['a final state comes without an end', [{ event: 'status', data: { status: 'error', error: 'Out of paint' } }]],
		['no connection brings anything', []],
	] as const) {
		prove('unspecified/cloud-tasks/10', `asks for the task itself where ${what}`, async ({ client, server }) => {
			server.answer(isStream, streamed(greeting(taskIds.failed), ...extra));
			const events = await follow(client, taskIds.failed);
			const end = { type: 'complete', status: 'error', totalLogs: null, message: 'The build failed with code 2' };
			assert.deepEqual(events.at(-1), end);
			const asked = server.received.map(({ path }) => path.split('/').at(-1));
			assert.equal(asked.at(-1), taskIds.failed);
			assert.ok(asked.length <= 4);
		});
	}

	prove(['cloud-tasks/limits/4', 'unspecified/cloud-tasks/12'], 'goes on where it broke off', async context => {
		const { client, server } = context;
		const events = await follow(client, taskIds.cut);
		assert.deepEqual(indexesOf(events), ALL);
		assert.deepEqual(
			ofType(events, 'log').map(({ entry }) => entry.message),
			logEntries.map(({ message }) => message),
		);
		assert.equal(ofType(events, 'reconnecting').length, 1);
		assert.deepEqual(
			server.received.map(({ query }) => query['fromIndex']),
			['0', '3'],
		);
	});

	prove('unspecified/cloud-tasks/12', 'asks again for entries that are missing', async ({ client, server }) => {
		for (const [id, asked] of [
			[taskIds.gap, ['0', '2']],
			[taskIds.late, ['0', '5']],
		] as const) {
			server.received.length = 0;
			const events = await follow(client, id);
			assert.deepEqual(indexesOf(events), ALL);
			assert.deepEqual(ofType(events, 'gap'), []);
			assert.equal(events.at(-1)?.type, 'complete');
			assert.deepEqual(
				server.received.map(({ query }) => query['fromIndex']),
				asked,
			);
		}
	});

	prove('unspecified/cloud-tasks/12', 'drops entries that come again', async ({ client, server }) => {
		const log = (index: number): SentEvent => ({ event: 'log', data: { index, log: logEntries[index] } });
		const end = { event: 'complete', data: { status: 'completed', totalLogs: 6 } };
		server.answer(isStream, ({ query }) =>
			query['fromIndex'] === '0'
				? streamed(greeting(taskIds.completed), log(0), log(0), log(1), log(2))
				: streamed(greeting(taskIds.completed), ...[0, 1, 2, 3, 3, 4, 5].map(log), end),
		);
		const events = await follow(client, taskIds.completed);
		assert.deepEqual(indexesOf(events), ALL);
		assert.deepEqual(ofType(events, 'gap'), []);
		// What is dropped is taken for nothing else either, so that no connection is given up for it.
		assert.deepEqual(
			server.received.map(({ query }) => query['fromIndex']),
			['0', '3'],
		);
	});

	prove('unspecified/cloud-tasks/12', 'tells which entries cannot be had', async ({ client, server }) => {
		const log = (index: number): SentEvent => ({ event: 'log', data: { index, log: logEntries[index] } });
		const end = { event: 'complete', data: { status: 'completed', totalLogs: 6 } };
		server.answer(isStream, ({ query }) =>
			streamed(
				greeting(taskIds.completed),
				...[0, 1, 4].filter(index => index >= Number(query['fromIndex'])).map(log),
				end,
			),
		);
		const events = await follow(client, taskIds.completed);
		assert.deepEqual(indexesOf(events), [0, 1, 4]);
		assert.deepEqual(ofType(events, 'gap'), [
			{ type: 'gap', from: 2, to: 3 },
			{ type: 'gap', from: 5, to: 5 },
		]);
	});

	prove(
		['unspecified/cloud-tasks/12', ...ERRORS],
		'gives up where the task is not there or not allowed',
		async context => {
			const { client, connect, server } = context;
			await assert.rejects(follow(client, 'task-of-nobody'), { code: 'not-found', serviceMessage: 'Task not found' });
			await assert.rejects(follow(connect({}, { cloud: 'qcl_of-nobody' }), taskIds.completed), {
				code: 'unauthorised',
				serviceMessage: 'Please provide valid credentials',
			});
			const before = server.received.length;
			server.answer(isStream, { status: 403, headers: {}, json: { error: 'Not yours' } });
			await assert.rejects(follow(client, taskIds.completed), { code: 'forbidden', serviceMessage: 'Not yours' });
			assert.equal(server.received.length, before + 1);
		},
	);

	prove(
		['unspecified/cloud-tasks/11', `${STREAM}/7`],
		'of a team or a stranger can be read by its id',
		async ({ client }) => {
			for (const id of [taskIds.team, taskIds.public, taskIds.encoded]) {
				assert.deepEqual(indexesOf(await follow(client, id)), ALL);
			}
		},
	);

	prove('cloud-tasks/limits/3', 'counts as lost when no state comes for long', async ({ connect }) => {
		const silent = await FaultServer.start(response => {
			beginEvents(response);
			response.write(sseEvent({ taskId: 't1', fromIndex: 0 }, 'connected'));
			silent.answer = next => sendEvents(next, sseEvent({ status: 'completed', totalLogs: 0 }, 'complete'));
		});
		try {
			const events = await follow(connect({ cloudUrl: silent.origin }), 't1');
			assert.equal(ofType(events, 'reconnecting')[0]?.cause, 'timeout');
			assert.equal(events.at(-1)?.type, 'complete');
			assert.equal(silent.received.length, 2);
		} finally {
			await silent.stop();
		}
	});
});
