import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { ClientError } from '../../../../src/base/errors.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Client } from '../../../../src/client/types.ts';
import type { Task } from '../../../../src/contract/tasks.ts';
import { type LogFile, LogFiles } from '../../../../src/tasks/log/logFile.ts';
import { LogFollower } from '../../../../src/tasks/log/logFollower.ts';
import type { FollowState } from '../../../../src/tasks/model/followState.ts';
import { FaultServer, sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { TextOutput } from '../../../support/logOutput.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TaskServer } from '../../../support/taskServer.ts';
import { TcpRelay } from '../../../support/tcpRelay.ts';
import { waitFor } from '../../../support/waitFor.ts';

const SILENCE_MS = 15_000;
const HOUR_MS = 3_600_000;

describe('a followed log', () => {
	let server: TaskServer;
	let output: TextOutput;
	let states: FollowState[];
	let ended: Task[];
	let opened: LogFollower[];

	beforeEach(async () => {
		server = await TaskServer.start();
		states = [];
		ended = [];
		opened = [];
	});

	afterEach(async () => {
		for (const log of opened) {
			log.dispose();
		}
		await server.stop();
	});

	/** The log of a task in a window that has just opened. */
	const open = (taskId: string, file?: LogFile) => {
		output = new TextOutput();
		const target = { connection: { name: 'test', label: 'Test' }, taskId, title: 'Title' };
		const log = new LogFollower(
			target,
			{
				openChannel: () => output,
				explain: error => ({ message: ClientError.is(error) ? error.code : String(error) }),
				onState: ({ state }) => states.push(state),
				onStatus() {},
				onEnd: (_log, task) => ended.push(task),
			},
			file,
		);
		opened.push(log);
		return log;
	};
	const client = (): Client => createClient({ connection: server.connection, keys: () => Promise.resolve('test') });
	const messages = () => output.text.match(/line \d+(?=$|\.)/gm) ?? [];
	const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);
	const streams = (taskId: string) =>
		server.requestsOf(`GET /api/tasks/${taskId}/stream`).map(request => /fromIndex=(\d+)/.exec(request)?.[1] ?? '0');

	it('has every entry once and in order, and ends with the task', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 2500));
		server.finish('a', 'completed');
		assert.equal(await open('a').run(client()), true);
		assert.deepEqual(messages(), numbered(0, 2500));
		assert.match(output.text, /— completed —\n$/);
		assert.deepEqual(
			states.map(({ kind }) => kind),
			['connecting', 'live', 'ended'],
		);
		assert.deepEqual(
			ended.map(({ id, status }) => [id, status]),
			[['a', 'completed']],
		);
	});

	it('says that it reconnects when the service is killed, and goes on with the next entry when it is back', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 3));
		const end = open('a').run(client());
		await waitFor('the entries', () => messages().length === 3);
		await server.crash();
		await waitFor('word of it', () => /— connection lost at line 3, reconnecting —/.test(output.text));
		assert.equal(states.at(-1)?.kind, 'reconnecting');
		await server.listen();
		server.log('a', 'line 3', 'line 4');
		await waitFor('the next entries', () => messages().length === 5);
		assert.equal(states.at(-1)?.kind, 'live');
		server.finish('a', 'error', 'Interrupted: the service stopped.');
		assert.equal(await end, true);
		assert.deepEqual(messages(), numbered(0, 5));
		assert.match(output.text, /— reconnected at line 3 —/);
		assert.match(output.text, /— Interrupted: the service stopped\. —\n$/);
		assert.deepEqual([streams('a')[0], streams('a').at(-1)], ['0', '3']);
	});

	it('has every entry once where its connection breaks off within entries, and gets next to nothing twice', async () => {
		const breaks = [10, 400, 401, 900];
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 1_000));
		server.breaks.push(...breaks);
		const end = open('a').run(client());
		await waitFor('all entries', () => messages().length === 1_000);
		server.finish('a', 'completed');
		assert.equal(await end, true);
		assert.deepEqual(messages(), numbered(0, 1_000));
		assert.deepEqual(streams('a'), ['0', ...breaks.map(String)]);
		const twice = server.bytesSentOf('a') - server.bytesOf('a');
		assert.ok(twice / server.bytesOf('a') <= 0.01, `${twice} bytes were sent twice`);
	});

	it('says why a connection was lost in the words of the service, be it one, and of what is no log in ours', async () => {
		const page = (response: ServerResponse) =>
			void response.writeHead(200, { 'content-type': 'text/html' }).end('<form>');
		const answers = [
			(response: ServerResponse) =>
				sendEvents(response, sseEvent({ error: 'overloaded', details: 'queue 7' }, 'error')),
			page,
			page,
			(response: ServerResponse) => void response.writeHead(302, { location: 'https://login.example' }).end(),
		];
		const front = await FaultServer.start((response, { path }) => {
			const answer = path.endsWith('/stream') ? answers.shift() : undefined;
			(answer ?? (() => sendJson(response, 500, {})))(response);
		});
		const clock = new ManualClock({ passesAtOnce: milliseconds => milliseconds <= 4_000 });
		const connection = { ...server.connection, cloudUrl: front.origin };
		const log = open('a');
		const end = log.run(createClient({ connection, keys: () => Promise.resolve('test'), clock }));
		try {
			await waitFor('all of them', () => /reconnecting \(4\): /.test(output.text));
		} finally {
			log.suspend('Enough.');
			await end;
			await front.stop();
		}
		assert.deepEqual(output.text.match(/connection lost .*(?= —)/g)?.slice(0, 3), [
			'connection lost at line 0, reconnecting: overloaded: queue 7',
			'connection lost at line 0, reconnecting (2): bad-response',
			'connection lost at line 0, reconnecting (4): bad-response',
		]);
	});

	it('gives up on a task that is not there, says why, and goes on when it is followed again', async () => {
		const log = open('late');
		assert.equal(await log.run(client()), false);
		assert.ok(ClientError.is(log.failure?.error, 'not-found'));
		assert.equal(output.text, '— no longer followed: not-found —\n');
		assert.deepEqual(states.at(-1), { kind: 'failed', reason: 'not-found' });
		server.add({ id: 'late' });
		server.log('late', ...numbered(0, 2));
		server.finish('late', 'completed');
		assert.equal(await log.run(client()), true);
		assert.equal(log.failure, undefined);
		assert.deepEqual(messages(), numbered(0, 2));
	});

	it('ends its request when it is suspended, and goes on with the next entry', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 3));
		const log = open('a');
		const first = log.run(client());
		await waitFor('the entries', () => messages().length === 3);
		log.suspend('The service is stopped.');
		assert.equal(await first, false);
		assert.equal(log.failure, undefined);
		assert.match(output.text, /— no longer followed: The service is stopped\. —\n$/);
		await waitFor('the end of the stream', () => server.streamCountOf('a') === 0);
		server.log('a', 'line 3');
		server.finish('a', 'completed');
		assert.equal(await log.run(client()), true);
		assert.deepEqual(messages(), numbered(0, 4));
		assert.deepEqual(streams('a'), ['0', '3']);
	});

	describe('that a reload of the window interrupts', () => {
		let folder: string;
		let opened: LogFile[];

		beforeEach(async () => {
			folder = await mkdtemp(path.join(os.tmpdir(), 'errand-followed-'));
			opened = [];
			server.add({ id: 'a' });
			server.log('a', ...numbered(0, 3));
		});

		afterEach(async () => {
			// A folder that is still written to cannot be removed.
			await Promise.all(opened.map(file => file.written()));
			await rm(folder, { recursive: true, force: true });
		});

		/** Opens what a window keeps of the log. */
		function logFile(): LogFile {
			const file = new LogFiles(folder).of('a');
			opened.push(file);
			return file;
		}

		it('shows what was stored and goes on after it, and leaves nothing behind at its end', async () => {
			const fileBefore = logFile();
			const before = open('a', fileBefore);
			before.keep();
			void before.run(client());
			await waitFor('the entries', () => messages().length === 3);
			before.dispose();
			await fileBefore.written();

			server.log('a', ...numbered(3, 5));
			server.finish('a', 'completed');
			const fileAfter = logFile();
			const after = open('a', fileAfter);
			after.keep();
			assert.equal(await after.run(client()), true);
			assert.deepEqual(messages(), numbered(0, 5));
			assert.deepEqual(streams('a'), ['0', '3']);
			after.forget();
			await fileAfter.written();
			assert.deepEqual(await readdir(folder), []);
		});

		it('shows nothing twice where it is suspended while what was stored is read, and followed again at once', async () => {
			const fileBefore = logFile();
			const before = open('a', fileBefore);
			before.keep();
			void before.run(client());
			await waitFor('the entries', () => messages().length === 3);
			before.dispose();
			await fileBefore.written();

			server.finish('a', 'completed');
			const file = logFile();
			const isAsked = Promise.withResolvers<void>();
			const stored = file.read.bind(file);
			file.read = async () => {
				await isAsked.promise;
				return stored();
			};
			const after = open('a', file);
			after.keep();
			const first = after.run(client());
			after.suspend('Suspended.');
			const second = after.run(client());
			isAsked.resolve();
			assert.equal(await second, true);
			assert.equal(await first, false);
			assert.deepEqual(messages(), numbered(0, 3));
		});

		it('is read from its start where nothing was stored', async () => {
			const before = open('a', logFile());
			void before.run(client());
			await waitFor('the entries', () => messages().length === 3);
			before.dispose();
			server.finish('a', 'completed');
			const file = logFile();
			const after = open('a', file);
			after.keep();
			assert.equal(await after.run(client()), true);
			await file.written();
			assert.deepEqual(messages(), numbered(0, 3));
			assert.deepEqual(streams('a'), ['0', '0']);
		});
	});

	it('goes on with the next entry, each once, when the machine wakes and the network is back', async () => {
		const relay = await TcpRelay.start(Number(new URL(server.address).port));
		try {
			// The waits between two tries pass at once; what watches for silence does not.
			const clock = new ManualClock({ passesAtOnce: milliseconds => milliseconds < SILENCE_MS });
			const connection = { ...server.connection, apiUrl: relay.address, cloudUrl: relay.address };
			const dotted = (from: number, to: number) => numbered(from, to).map(line => `${line}.`);
			server.add({ id: 'a' });
			server.log('a', ...dotted(0, 10));
			const end = open('a').run(createClient({ connection, keys: () => Promise.resolve('test'), clock }));
			await waitFor('entry 9', () => output.text.includes('line 9.'));
			relay.freeze();
			relay.close();
			server.log('a', ...dotted(10, 20));
			clock.pass(HOUR_MS);
			await clock.wake(SILENCE_MS);
			await waitFor('tries in vain', () => states.some(state => state.kind === 'reconnecting' && state.attempt >= 3));
			const lost = states.find(({ kind }) => kind === 'reconnecting');
			assert.deepEqual(lost && 'nextIndex' in lost && lost.nextIndex, 10);
			await relay.open();
			await waitFor('entry 19', () => output.text.includes('line 19.'));
			assert.equal(states.at(-1)?.kind, 'live');
			server.finish('a', 'completed');
			assert.equal(await end, true);
			assert.deepEqual(messages(), numbered(0, 20));
			assert.match(output.text, /— reconnected at line 10 —/);
		} finally {
			relay.stop();
		}
	});
});
