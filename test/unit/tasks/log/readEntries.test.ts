import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ClientError } from '../../../../src/base/errors.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Client } from '../../../../src/client/types.ts';
import { readEntries, readRange, saveLog } from '../../../../src/tasks/log/readEntries.ts';
import { createEntryFormatter } from '../../../../src/tasks/model/formatEntry.ts';
import { TaskServer } from '../../../support/taskServer.ts';

const numbered = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => `entry ${from + index}!`);

describe('a log read by index', () => {
	let server: TaskServer;
	let client: Client;
	let folder: string;
	let controller: AbortController;

	beforeEach(async () => {
		server = await TaskServer.start();
		client = createClient({ connection: server.connection, keys: () => Promise.resolve('test') });
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-log-'));
		controller = new AbortController();
	});

	afterEach(async () => {
		controller.abort();
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	});

	const file = () => path.join(folder, 'task.log');
	const save = (taskId: string) =>
		saveLog(
			readEntries({ client, taskId, from: 0, signal: controller.signal }),
			file(),
			createEntryFormatter(),
			controller.signal,
		);
	const saved = async () => (await readFile(file(), 'utf8')).match(/entry \d+!/g) ?? [];

	it('holds exactly the entries that were asked for, of a task that is over or at work', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 50));
		const read = async (from: number, to: number) =>
			(await readRange({ client, taskId: 'a', from }, to)).map(({ index }) => index);
		assert.deepEqual(await read(10, 13), [10, 11, 12]);
		assert.deepEqual(await read(5, 5), []);
		server.finish('a', 'completed');
		assert.deepEqual(await read(48, 60), [48, 49]);
	});

	it('is written whole to a file', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 3_000), `<${'ß'.repeat(100_000)}>`);
		server.finish('a', 'completed');
		assert.equal(await save('a'), 3_001);
		assert.deepEqual(await saved(), numbered(0, 3_000));
		assert.equal((await readFile(file(), 'utf8')).match(/ß/g)?.length, 100_000);
		assert.deepEqual(await readdir(folder), ['task.log']);
	});

	it('is written as far as it goes while the task is at work', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 20));
		assert.equal(await save('a'), 20);
		assert.deepEqual(await saved(), numbered(0, 20));
	});

	it('leaves a file as it was when reading fails or is stopped', async () => {
		await writeFile(file(), 'before');
		await assert.rejects(save('nowhere'), error => ClientError.is(error, 'not-found'));
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 10));
		controller.abort();
		await assert.rejects(save('a'));
		assert.equal(await readFile(file(), 'utf8'), 'before');
		assert.deepEqual(await readdir(folder), ['task.log']);
	});

	it('says so where it cannot be written', async () => {
		server.add({ id: 'a' });
		server.log('a', ...numbered(0, 10));
		server.finish('a', 'completed');
		const records = readEntries({ client, taskId: 'a', from: 0 });
		const nowhere = path.join(folder, 'no', 'such', 'folder.log');
		await assert.rejects(saveLog(records, nowhere, createEntryFormatter(), controller.signal), /ENOENT/);
	});
});
