import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type ApplyRecord, ApplyRecordFile } from '../../../../src/tasks/apply/applyRecord.ts';
import { LAST_APPLY_FILE, RUNNING_APPLY_FILE } from '../../../../src/tasks/model/storageKeys.ts';

const content = (...bytes: number[]) => ({ path: 'a\n"b".txt', content: Buffer.from(bytes), isExecutable: true });
const RECORD: ApplyRecord = {
	directory: '/somewhere',
	like: 'a'.repeat(40),
	files: [
		{ before: content(0, 10, 255), after: content() },
		{ before: undefined, after: { ...content(10, 13), isExecutable: false } },
		{ before: content(1), after: undefined },
	],
};

describe('the record of what was applied', () => {
	let folder: string;
	let storage: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-record-'));
		storage = path.join(folder, 'storage');
	});
	afterEach(() => rm(folder, { recursive: true }));

	it('comes back as it was, also in another window, and only its owner can read it', async () => {
		await new ApplyRecordFile(storage).write(RECORD);
		assert.deepEqual(await new ApplyRecordFile(storage).read(), RECORD);
		assert.equal((await stat(path.join(storage, LAST_APPLY_FILE))).mode & 0o777, 0o600);
		await new ApplyRecordFile(storage).remove();
		assert.equal(await new ApplyRecordFile(storage).read(), undefined);
		await new ApplyRecordFile(storage).remove();
	});

	it('counts as missing where it is damaged', async () => {
		const record = new ApplyRecordFile(storage);
		await record.write(RECORD);
		const file = path.join(storage, LAST_APPLY_FILE);
		const bytes = await readFile(file);
		const heading = '{"directory":"/","like":"a","count":1}\n';
		const damaged = [
			bytes.subarray(0, -1),
			bytes.subarray(0, 20),
			bytes.subarray(0, bytes.indexOf(0x0a) + 1),
			Buffer.from('{}\n'),
			Buffer.from('null\n'),
			Buffer.from(`${heading}[{"path":1},null]\n`),
			Buffer.from(`${heading}[{"path":"a","length":-5},null]\n`),
			Buffer.from(`${heading}5\n`),
			Buffer.of(),
		];
		for (const [index, some] of damaged.entries()) {
			await writeFile(file, some);
			assert.equal(await record.read(), undefined, String(index));
		}
	});

	describe('while it is applied', () => {
		const RUNNING = { directory: '/somewhere', like: 'a'.repeat(40), count: 5, isUndo: false };
		const [first, second] = RECORD.files as [ApplyRecord['files'][number], ApplyRecord['files'][number]];

		it('has what was begun, for other windows too, until it has ended; the record of before stays', async () => {
			const record = new ApplyRecordFile(storage);
			await record.write(RECORD);
			await record.begin(RUNNING);
			await record.add(first);
			await record.add(second);
			const file = path.join(storage, RUNNING_APPLY_FILE);
			assert.equal((await stat(file)).mode & 0o777, 0o600);
			const other = new ApplyRecordFile(storage);
			assert.deepEqual(await other.readRunning(), {
				...RUNNING,
				files: [first, second],
				isOver: false,
				isRecorded: true,
			});
			assert.deepEqual(await other.read(), RECORD);
			await record.end();
			assert.equal(await other.readRunning(), undefined);
			await record.end();
		});

		it('tells whether the process that began it is gone', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin({ ...RUNNING, isUndo: true });
			const file = path.join(storage, RUNNING_APPLY_FILE);
			const { pid } = spawnSync('git', ['--version']);
			await writeFile(file, (await readFile(file, 'utf8')).replace(`${process.pid}`, `${pid}`));
			assert.deepEqual(await record.readRunning(), {
				...RUNNING,
				isUndo: true,
				files: [],
				isOver: true,
				isRecorded: true,
			});
		});

		it('is in progress while another process that began it lives, such as another window', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin(RUNNING);
			const file = path.join(storage, RUNNING_APPLY_FILE);
			await writeFile(
				file,
				(await readFile(file, 'utf8')).replace(`"process":${process.pid}`, `"process":${process.ppid}`),
			);
			assert.equal((await record.readRunning())?.isOver, false);
		});

		it('is over where nothing says which process began it', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin(RUNNING);
			const file = path.join(storage, RUNNING_APPLY_FILE);
			await writeFile(file, (await readFile(file, 'utf8')).replace(`"process":${process.pid}`, '"process":"gone"'));
			assert.equal((await record.readRunning())?.isOver, true);
		});

		it('tells a process that began it from a later one of the same id, such as its own', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin(RUNNING);
			const file = path.join(storage, RUNNING_APPLY_FILE);
			const { since, ...heading } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
			assert.equal(heading['process'], process.pid);
			await writeFile(file, `${JSON.stringify({ ...heading, since: Number(since) - 1 })}\n`);
			assert.equal((await record.readRunning())?.isOver, true);
			await record.begin(RUNNING);
			assert.equal((await record.readRunning())?.isOver, false);
		});

		it('has whatever was written whole before the process ended', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin(RUNNING);
			await record.add(first);
			const file = path.join(storage, RUNNING_APPLY_FILE);
			const whole = await readFile(file);
			await record.add(second);
			const all = await readFile(file);
			for (let length = whole.length; length < all.length; length++) {
				await writeFile(file, all.subarray(0, length));
				assert.deepEqual((await record.readRunning())?.files, [first], String(length));
			}
			await writeFile(file, whole.subarray(0, 10));
			assert.equal(await record.readRunning(), undefined);
		});

		it('has no files where they were too many to be kept', async () => {
			const record = new ApplyRecordFile(storage);
			await record.begin(RUNNING);
			await record.add(first);
			await record.add(undefined);
			await appendFile(path.join(storage, RUNNING_APPLY_FILE), 'null\n');
			const { files, isRecorded } = (await record.readRunning()) ?? assert.fail('nothing is running');
			assert.deepEqual([files, isRecorded], [[], false]);
		});
	});
});
