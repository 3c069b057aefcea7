import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../../src/base/async.ts';
import { ABANDONED_AFTER_MS, claimForProcess, whileLocked } from '../../../src/base/fileLock.ts';

describe('a lock between processes', () => {
	let folder: string;
	let lock: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-lock-'));
		lock = path.join(folder, 'conversation.lock');
	});

	afterEach(() => rm(folder, { recursive: true, force: true }));

	const run = (inside: () => Promise<void> | void) => whileLocked(lock, systemClock, async () => inside());
	const inTheFuture = () => new Date(Date.now() + 365 * 24 * 60 * 60 * 1000);
	const outOfDate = () => new Date(Date.now() - ABANDONED_AFTER_MS - 1_000);

	it('lets one in at a time, and leaves nothing behind', async () => {
		let inside = 0;
		let most = 0;
		const enter = async () => {
			inside++;
			most = Math.max(most, inside);
			await systemClock.sleep(2);
			inside--;
		};
		await Promise.all(Array.from({ length: 20 }, () => whileLocked(lock, systemClock, enter)));
		assert.equal(most, 1);
		assert.deepEqual(await readdir(folder), []);
	});

	it('is free again after a failure', async () => {
		await assert.rejects(
			run(() => {
				throw new Error('inside');
			}),
			/inside/,
		);
		await run(() => {});
	});

	it('is taken over at once from a process that is gone', async () => {
		await writeFile(lock, JSON.stringify({ pid: spawnSync(process.execPath, ['-e', '']).pid, host: os.hostname() }));
		await run(() => {});
		assert.deepEqual(await readdir(folder), []);
	});

	it('is not taken from a living process, nor from one of another machine, before its time', async () => {
		for (const owner of [
			JSON.stringify({ pid: process.pid, host: os.hostname() }),
			JSON.stringify({ pid: 1, host: `${os.hostname()}-2` }),
			'',
			'{"pid":-1}',
		]) {
			await writeFile(lock, owner);
			let entered = false;
			const waiting = run(() => {
				entered = true;
			});
			await systemClock.sleep(100);
			assert.equal(entered, false, owner);
			await utimes(lock, outOfDate(), outOfDate());
			await waiting;
			assert.equal(entered, true, owner);
		}
	});

	it('is taken over where the clock was set back since it was made', async () => {
		await writeFile(lock, JSON.stringify({ pid: process.pid, host: os.hostname() }));
		await utimes(lock, inTheFuture(), inTheFuture());
		await run(() => {});
		// The lock that guards a takeover can be left behind in the same way.
		await writeFile(lock, '');
		await writeFile(`${lock}.lock`, '');
		for (const left of [lock, `${lock}.lock`]) {
			await utimes(left, inTheFuture(), inTheFuture());
		}
		await run(() => {});
		assert.deepEqual(await readdir(folder), []);
	});

	it('is not left behind where its content cannot be written, and keeps nobody waiting', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		// No file may become longer than nothing, as on a full disk.
		const script = `
			import { whileLocked } from ${JSON.stringify(path.resolve('src/base/fileLock.ts'))};
			import { systemClock } from ${JSON.stringify(path.resolve('src/base/async.ts'))};
			process.on('SIGXFSZ', () => {});
			await whileLocked(${JSON.stringify(lock)}, systemClock, async () => {}).catch(error => console.log(error.code));
		`;
		const command = 'ulimit -f 0 && exec "$0" --input-type=module -e "$1"';
		const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
		assert.equal(stdout.trim(), 'EFBIG', stderr);
		assert.deepEqual(await readdir(folder), []);
	});

	it('is taken over by one of many who find it abandoned', async () => {
		for (let round = 0; round < 8; round++) {
			await writeFile(lock, '');
			await utimes(lock, outOfDate(), outOfDate());
			let inside = 0;
			let most = 0;
			const enter = async () => {
				inside++;
				most = Math.max(most, inside);
				await systemClock.sleep(1);
				inside--;
			};
			await Promise.all(Array.from({ length: 5 }, () => whileLocked(lock, systemClock, enter)));
			assert.equal(most, 1);
		}
	});

	it('gives what a process has claimed that is gone to one of many', async () => {
		for (let round = 0; round < 8; round++) {
			await writeFile(lock, JSON.stringify({ pid: process.pid, start: 'another start' }));
			const releases = await Promise.all(Array.from({ length: 5 }, () => claimForProcess(lock)));
			const given = releases.filter(release => release !== undefined);
			assert.equal(given.length, 1);
			await given[0]?.();
			assert.deepEqual(await readdir(folder), []);
		}
	});

	it('rejects where no file can be made', async () => {
		await assert.rejects(
			whileLocked(path.join(folder, 'no', 'lock'), systemClock, async () => {}),
			{ code: 'ENOENT' },
		);
	});
});
