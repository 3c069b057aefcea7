import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createParser } from 'eventsource-parser';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { LogRecord } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';
import { logStream } from '../../../../src/service/tasks/logStream.ts';
import { TaskLog } from '../../../../src/service/tasks/taskLog.ts';
import { waitFor } from '../../../support/waitFor.ts';

interface Seen {
	name: string;
	data: Record<string, unknown>;
}

const entry = (message: string): LogRecord => ({
	type: 'info',
	contentType: 'plain-text',
	message,
	timestamp: new Date().toISOString(),
	agent: 'demo',
	step: 'agent_executing',
});

describe('the log stream of a task', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-stream-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
		store.create({
			id: 'task',
			prompt: 'x',
			repoUrl: '/',
			selectedBranch: 'main',
			agents: [{ agent: 'demo', model: 'demo' }],
			installDependencies: false,
			maxDuration: 60,
		});
	});
	afterEach(() => {
		if (database.isOpen) {
			database.close();
		}
		rmSync(folder, { recursive: true, force: true });
	});

	function taskLog(): TaskLog {
		const task = store.get('task');
		assert.ok(task);
		const [execution] = store.executions(task);
		assert.ok(execution);
		return new TaskLog(store, task, execution);
	}

	function follow(options: { fromIndex?: number; includeStatus?: boolean; statusIntervalMs?: number } = {}) {
		const task = store.get('task');
		assert.ok(task);
		const controller = new AbortController();
		const seen: Seen[] = [];
		const comments: string[] = [];
		const parser = createParser({
			onEvent: ({ event, data }) => seen.push({ name: event ?? '', data: JSON.parse(data) }),
			onComment: comment => comments.push(comment),
		});
		const ended = (async () => {
			const { signal } = controller;
			for await (const text of logStream({ store, task, fromIndex: 0, includeStatus: true, ...options, signal })) {
				parser.feed(text);
			}
		})();
		const logs = () => seen.filter(({ name }) => name === 'log').map(({ data }) => data['index']);
		return { seen, comments, ended, controller, logs };
	}

	const names = (seen: Seen[]) => seen.map(({ name }) => name);
	const append = (count: number, from = 0) =>
		store.append(
			'task',
			Array.from({ length: count }, (_, index) => entry(`line ${from + index}`)),
		);

	it('says that it is connected, then the entries, the status, and how it ended', async () => {
		append(3);
		store.update('task', 0, { status: 'completed', progress: 100 });
		const { seen, ended } = follow();
		await ended;
		assert.deepEqual(names(seen), ['connected', 'log', 'log', 'log', 'status', 'complete']);
		assert.deepEqual(seen[0]?.data['taskId'], 'task');
		assert.equal((seen[1]?.data['log'] as LogRecord | undefined)?.message, 'line 0');
		assert.deepEqual(seen[4]?.data, { status: 'completed', error: null });
		assert.equal(seen[5]?.data['totalLogs'], 3);
		assert.equal(seen[5]?.data['status'], 'completed');
	});

	it('says that it failed, and nothing private of why, before it breaks off', async () => {
		append(1);
		const { seen, ended } = follow({ statusIntervalMs: 10 });
		await waitFor('the entry', () => seen.some(({ name }) => name === 'log'));
		database.close();
		await assert.rejects(ended, /not open|finalized/);
		assert.deepEqual(seen.at(-1), {
			name: 'error',
			data: { error: 'The service could not read the log of the task any further.' },
		});
	});

	it('sends what is new at once, and a change of status', async () => {
		// Without status, nothing but the change itself wakes it for 15 s.
		const quiet = follow({ includeStatus: false });
		const { seen, ended, logs } = follow();
		await waitFor('the connections', () => seen.length === 2 && quiet.seen.length === 1);
		append(2);
		await waitFor('the new entries', () => logs().length === 2 && quiet.logs().length === 2);
		store.update('task', 0, { status: 'processing' });
		await waitFor('the status', () => seen.at(-1)?.data['status'] === 'processing');
		store.update('task', 0, { status: 'error', error: 'It failed.' }, [entry('last')]);
		await Promise.all([ended, quiet.ended]);
		assert.deepEqual(names(seen).slice(-3), ['log', 'status', 'complete']);
		assert.deepEqual(seen.at(-2)?.data, { status: 'error', error: 'It failed.' });
	});

	it('repeats the status at its interval, unless it was not asked for', async () => {
		const quiet = follow({ includeStatus: false, statusIntervalMs: 200 });
		const { seen, controller, ended } = follow({ statusIntervalMs: 200 });
		const began = performance.now();
		await waitFor('two more', () => names(seen).filter(name => name === 'status').length === 3);
		const seconds = (performance.now() - began) / 1_000;
		assert.ok(seconds > 0.35, `${seconds} s for two`);
		controller.abort();
		quiet.controller.abort();
		await Promise.all([ended, quiet.ended]);
		assert.deepEqual(names(quiet.seen), ['connected']);
	});

	it('resumes from any index, without a gap and without an entry twice', async () => {
		append(1_000);
		store.update('task', 0, { status: 'completed' });
		for (const fromIndex of [1, 199, 200, 201, 999]) {
			const { ended, logs, seen } = follow({ fromIndex });
			await ended;
			assert.deepEqual(
				logs(),
				Array.from({ length: 1_000 - fromIndex }, (_, offset) => fromIndex + offset),
			);
			assert.equal(seen[0]?.data['fromIndex'], fromIndex);
			assert.equal(seen.at(-1)?.data['totalLogs'], 1_000);
		}
	});

	it('makes no piece larger than a reader that does not read may cost, and leaves nothing out', async () => {
		const line = '\u0001'.repeat(16 * 1024);
		store.append(
			'task',
			Array.from({ length: 200 }, () => entry(line)),
		);
		store.update('task', 0, { status: 'completed' });
		const task = store.get('task');
		assert.ok(task);
		let entries = 0;
		const { signal } = new AbortController();
		for await (const text of logStream({ store, task, fromIndex: 0, includeStatus: true, signal })) {
			assert.ok(text.length < 1024 * 1024, `${text.length} characters at once`);
			entries += text.split('event: log\n').length - 1;
		}
		assert.equal(entries, 200);
	});

	it('beyond the end, waits while the task is active and completes when it is not', async () => {
		append(2);
		const { seen, ended, logs } = follow({ fromIndex: 4, includeStatus: false });
		await waitFor('the connection', () => seen.length === 1);
		append(4, 2);
		await waitFor('the entries from there on', () => logs().length === 2);
		store.update('task', 0, { status: 'stopped' });
		await ended;
		assert.deepEqual(logs(), [4, 5]);
		const late = follow({ fromIndex: 100 });
		await late.ended;
		assert.deepEqual(names(late.seen), ['connected', 'status', 'complete']);
		assert.equal(late.seen.at(-1)?.data['totalLogs'], 6);
	});

	it('gives a hundred followers each entry once, in order', async () => {
		const followers = Array.from({ length: 100 }, (_, index) => follow({ fromIndex: index % 7 }));
		for (let batch = 0; batch < 50; batch++) {
			append(20, batch * 20);
			await new Promise(resolve => setImmediate(resolve));
		}
		store.update('task', 0, { status: 'completed' });
		await Promise.all(followers.map(({ ended }) => ended));
		for (const [index, { logs }] of followers.entries()) {
			assert.deepEqual(
				logs(),
				Array.from({ length: 1_000 - (index % 7) }, (_, offset) => (index % 7) + offset),
			);
		}
	});

	it('ends when its reader has gone, and no longer watches', async () => {
		const { seen, ended, controller } = follow();
		await waitFor('the connection', () => seen.length === 2);
		controller.abort();
		await ended;
		const before = seen.length;
		append(1);
		assert.equal(seen.length, before);
		const { watchers } = store as unknown as { watchers: { listeners: Map<string, unknown> } };
		assert.equal(watchers.listeners.size, 0);
	});

	describe('of a program that prints without end', () => {
		const flood = (log: TaskLog, lines: number) => {
			const bytes = Buffer.from('x\n'.repeat(1_000));
			for (let count = 0; count < lines; count += 1_000) {
				log.output('agent_executing', 'stdout', bytes);
			}
		};

		it('keeps 1,000,000 entries and says that the rest is left out, once', () => {
			const log = taskLog();
			flood(log, 1_003_000);
			log.step('git_committed', 'Steps are still told.');
			const task = store.get('task');
			assert.ok(task);
			assert.equal(store.entryCount(task), 1_000_001);
			const [last, step] = store.entries(task, 999_999, 10);
			assert.match(last?.message ?? '', /said more than a log keeps/);
			assert.equal(step?.message, 'Steps are still told.');
		});

		it('keeps 64 MB of long lines', () => {
			const log = taskLog();
			const bytes = Buffer.from(`${'y'.repeat(16 * 1024)}\n`.repeat(100));
			for (let count = 0; count < 45; count++) {
				log.output('agent_executing', 'stdout', bytes);
			}
			const task = store.get('task');
			assert.ok(task);
			assert.equal(store.entryCount(task), 4_097);
		});
	});

	it('calls coloured output what it is, and output of errors a warning', () => {
		const log = taskLog();
		log.output('agent_executing', 'stdout', Buffer.from('plain\n\u001b[31mred\u001b[0m\nhalf'));
		log.output('agent_executing', 'stderr', Buffer.from('wrong\n'));
		log.outputEnd('agent_executing');
		const task = store.get('task');
		assert.ok(task);
		assert.deepEqual(
			store.entries(task, 0, 10).map(({ type, contentType, message }) => [type, contentType, message]),
			[
				['info', 'plain-text', 'plain'],
				['info', 'ansi', '\u001b[31mred\u001b[0m'],
				['warning', 'plain-text', 'wrong'],
				['info', 'plain-text', 'half'],
			],
		);
	});
});
