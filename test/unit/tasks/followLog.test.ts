import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { createClient } from '../../../src/client/client.ts';
import { followLog } from '../../../src/tasks/followLog.ts';
import { LogWriter } from '../../../src/tasks/logWriter.ts';
import type { FollowState } from '../../../src/tasks/model/followState.ts';
import type { FollowWords } from '../../../src/tasks/model/formatEntry.ts';
import { waitFor } from '../../support/waitFor.ts';
import { TaskServer } from './taskServer.ts';

const words: FollowWords = {
	error: 'error',
	warning: 'warning',
	success: 'success',
	reconnecting: (nextIndex, attempt) => `<reconnecting ${attempt} at ${nextIndex}>`,
	resumed: nextIndex => `<resumed at ${nextIndex}>`,
	missing: (from, to) => `<missing ${from} to ${to}>`,
};

describe('following a log', () => {
	let server: TaskServer;
	let text: string;
	let states: FollowState[];
	let controller: AbortController;
	let writer: LogWriter;

	beforeEach(async () => {
		server = await TaskServer.start();
		text = '';
		states = [];
		controller = new AbortController();
		const sink = {
			append: (more: string) => {
				text += more;
			},
			clear: () => {
				text = '';
			},
		};
		writer = new LogWriter(sink, index => `<before ${index}>`);
	});

	afterEach(async () => {
		controller.abort();
		writer.dispose();
		await server.stop();
	});

	const follow = (taskId: string, fromIndex = 0) =>
		followLog({
			client: createClient({ connection: server.connection, keys: () => Promise.resolve('test') }),
			taskId,
			fromIndex,
			writer,
			words,
			signal: controller.signal,
			onState: state => states.push(state),
			onStatus: () => {},
			onRecord: () => {},
			now: () => 0,
		});
	const messages = () => text.match(/line \d+/g) ?? [];
	const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

	it('writes every entry once and in order, and ends with the task', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(2500));
		server.finish('a', 'completed');
		const end = await follow('a');
		writer.finish();
		assert.equal(end.status, 'completed');
		assert.deepEqual(messages(), numbered(2500));
		assert.deepEqual(
			states.map(({ kind }) => kind),
			['connecting', 'live'],
		);
	});

	it('says that it reconnects when the service is killed, and goes on with the next entry when it is back', async function () {
		this.timeout(20_000);
		server.add({ id: 'a' });
		server.log('a', ...numbered(3));
		const end = follow('a');
		await waitFor('the entries', () => messages().length === 3);
		await server.crash();
		await waitFor('word of it', () => /<reconnecting 1 at 3>/.test(text));
		assert.equal(states.at(-1)?.kind, 'reconnecting');
		await server.listen();
		server.log('a', 'line 3', 'line 4');
		await waitFor('the next entries', () => messages().length === 5);
		assert.equal(states.at(-1)?.kind, 'live');
		server.finish('a', 'error', 'Interrupted: the service stopped.');
		assert.equal((await end).status, 'error');
		writer.finish();
		assert.deepEqual(messages(), numbered(5));
		assert.match(text, /<resumed at 3>/);
		const starts = server
			.requestsOf('GET /api/tasks/a/stream')
			.map(request => /fromIndex=(\d+)/.exec(request)?.[1] ?? '0');
		assert.deepEqual([starts[0], starts.at(-1)], ['0', '3']);
	});

	it('goes on from the entry that it is given', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(10));
		server.finish('a', 'completed');
		await follow('a', 7);
		writer.finish();
		assert.deepEqual(messages(), ['line 7', 'line 8', 'line 9']);
	});

	it('gives up on a task that is not there', async () => {
		await assert.rejects(follow('nowhere'), error => ClientError.is(error, 'not-found'));
	});

	it('ends when it is no longer wanted', async () => {
		server.add({ id: 'a' });
		const end = follow('a');
		await waitFor('the stream', () => states.at(-1)?.kind === 'live');
		controller.abort();
		await assert.rejects(end);
		await waitFor('the end of the stream', () => server.streamCountOf('a') === 0);
	});
});
