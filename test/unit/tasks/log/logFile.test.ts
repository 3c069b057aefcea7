import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LogFiles } from '../../../../src/tasks/log/logFile.ts';
import { LogWriter } from '../../../../src/tasks/log/logWriter.ts';

describe('what is kept of a followed log', () => {
	let scratch: string;
	let folder: string;
	let logs: LogFiles;

	beforeEach(async () => {
		scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-kept-'));
		folder = path.join(scratch, 'workspace', 'followed');
		logs = new LogFiles(folder);
	});

	afterEach(() => rm(scratch, { recursive: true, force: true }));

	const file = async () => path.join(folder, (await readdir(folder))[0] ?? '');
	const batch = (from: number, to: number) => ({
		lines: Array.from({ length: to - from }, (_, at) => `line ${from + at}`),
		indexes: Array.from({ length: to - from }, (_, at) => from + at),
		next: to,
	});
	/** A window: its channel and its writer. */
	const window = (key: string, maximum?: number) => {
		const shown = { text: '' };
		const kept = logs.of(key);
		const sink = {
			append: (more: string) => {
				shown.text += more;
			},
			clear: () => {
				shown.text = '';
			},
		};
		const writer = new LogWriter(sink, kept, maximum);
		writer.keep();
		return { shown, kept, writer };
	};

	it('is what was written, in order, for the next window', async () => {
		const kept = logs.of('a');
		assert.equal(await kept.read(), undefined);
		kept.replace(batch(0, 2));
		kept.append(batch(2, 5));
		kept.append(batch(5, 6));
		await kept.written();
		assert.deepEqual(await logs.of('a').read(), batch(0, 6));
		assert.equal(await logs.of('b').read(), undefined);
	});

	it('is for the user of the machine alone, under a name that the service did not choose', async () => {
		const kept = logs.of('../../etc/passwd');
		kept.replace(batch(0, 1));
		await kept.written();
		assert.match(path.basename(await file()), /^[0-9a-f]{32}\.jsonl$/);
		assert.equal((await stat(await file())).mode & 0o077, 0);
		assert.equal((await stat(folder)).mode & 0o077, 0);
	});

	it('ends before a batch that is torn, and before one that does not follow', async () => {
		const kept = logs.of('a');
		kept.replace(batch(0, 2));
		kept.append(batch(2, 4));
		await kept.written();
		const text = await readFile(await file(), 'utf8');
		await writeFile(await file(), text.slice(0, -9));
		assert.deepEqual(await logs.of('a').read(), batch(0, 2));
		await writeFile(await file(), text);
		await appendFile(await file(), `${JSON.stringify([9, 10, [9], ['line 9']])}\n`);
		assert.deepEqual(await logs.of('a').read(), batch(0, 4));
		await writeFile(await file(), 'no batch at all');
		assert.equal(await logs.of('a').read(), undefined);
	});

	it('is shown by the next window, which goes on in the same file', async () => {
		const first = window('a');
		first.writer.write(['one', 'two'], 0, 1);
		first.writer.write(['three'], 1, 2);
		first.writer.dispose();
		await first.kept.written();

		const second = window('a');
		await second.writer.restore();
		assert.equal(second.writer.nextIndex, 2);
		second.writer.write(['four'], 2, 3);
		second.writer.dispose();
		await second.kept.written();
		assert.equal(second.shown.text, 'one\ntwo\nthree\nfour\n');
		assert.deepEqual(await logs.of('a').read(), {
			lines: ['one', 'two', 'three', 'four'],
			indexes: [0, 0, 1, 2],
			next: 3,
		});
	});

	it('holds no more than the channel, however long the log', async () => {
		const { shown, kept, writer } = window('a', 10);
		for (let index = 0; index < 5_000; index++) {
			writer.write([`line ${index}`], index, index + 1);
		}
		writer.finish();
		await kept.written();
		const read = await kept.read();
		assert.equal(read?.next, 5_000);
		assert.deepEqual(read?.lines, batch(4_990, 5_000).lines);
		assert.equal(shown.text.split('\n')[0], '— entries before 4,990 aren’t shown here —');
	});

	it('is made anew after it was removed, with everything that is shown', async () => {
		const { kept, writer } = window('a');
		writer.write(['one'], 0, 1);
		writer.finish();
		writer.forget();
		await kept.written();
		assert.deepEqual(await readdir(folder), []);
		writer.keep();
		writer.write(['two'], 1, 2);
		writer.finish();
		await kept.written();
		assert.deepEqual((await kept.read())?.lines, ['one', 'two']);
	});

	it('is made only for a log that a later window goes on with', async () => {
		const { kept, writer } = window('a');
		writer.forget();
		writer.write(['one'], 0, 1);
		writer.finish();
		await kept.written();
		assert.equal(await kept.read(), undefined);
	});

	it('goes with the logs that are no longer followed', async () => {
		for (const key of ['a', 'b', 'c']) {
			const kept = logs.of(key);
			kept.replace(batch(0, 1));
			await kept.written();
		}
		await logs.prune(['b']);
		assert.equal((await readdir(folder)).length, 1);
		assert.ok(await logs.of('b').read());
	});

	it('costs nothing but another reading where the disk refuses', async () => {
		await writeFile(path.join(scratch, 'workspace'), 'a file where the folder should be');
		const { shown, kept, writer } = window('a');
		writer.write(['one'], 0, 1);
		writer.finish();
		writer.write(['two'], 1, 2);
		writer.finish();
		await kept.written();
		assert.equal(shown.text, 'one\ntwo\n');
		assert.equal(await kept.read(), undefined);
		await logs.prune([]);
	});
});
