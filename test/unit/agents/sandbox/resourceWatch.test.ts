import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	chownSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FolderTooDeepError, folderSize } from '../../../../src/agents/sandbox/folderSize.ts';
import { DEFAULT_LIMITS, inGigabytes } from '../../../../src/agents/sandbox/limits.ts';
import { DiskUse, descendantsUse, ResourceWatch } from '../../../../src/agents/sandbox/resourceWatch.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { waitFor } from '../../../support/waitFor.ts';

const MEGABYTE = 1_000_000;
/** No account has this number. Where the tests run as root, they are this user where permissions matter. */
const ORDINARY_USER = 61_001;
const signal = new AbortController().signal;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), 'errand-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, bytes: number) => writeFileSync(path.join(folder, name), Buffer.alloc(bytes, 1));

describe('folderSize', () => {
	const size = (enough = Number.POSITIVE_INFINITY) => folderSize([folder], enough, signal);

	it('adds up files in all folders, empty ones with the space that their names take', async () => {
		mkdirSync(path.join(folder, 'a/b'), { recursive: true });
		write('a/b/file', MEGABYTE);
		const bytes = await size();
		assert.ok(bytes >= MEGABYTE && bytes < MEGABYTE + 40_000, `${bytes}`);
		for (let index = 0; index < 100; index += 1) {
			write(`empty-${index}`, 0);
		}
		assert.ok((await size()) - bytes >= 100 * 4_096);
	});

	it('follows no link, counts a file with two names once, and holes not at all', async () => {
		const other = mkdtempSync(path.join(os.tmpdir(), 'errand-watch-'));
		try {
			writeFileSync(path.join(other, 'file'), Buffer.alloc(5 * MEGABYTE, 1));
			symlinkSync(other, path.join(folder, 'folder'));
			symlinkSync(path.join(other, 'file'), path.join(folder, 'link'));
			symlinkSync('.', path.join(folder, 'circle'));
			write('file', MEGABYTE);
			linkSync(path.join(folder, 'file'), path.join(folder, 'second'));
			write('sparse', 0);
			truncateSync(path.join(folder, 'sparse'), 1_000 * MEGABYTE);
			assert.ok((await size()) < 1.1 * MEGABYTE);
		} finally {
			rmSync(other, { recursive: true });
		}
	});

	it('stops at what is enough, and at an abort', async () => {
		for (let index = 0; index < 500; index += 1) {
			write(`file-${index}`, 5_000);
		}
		assert.ok((await size(100_000)) < 120_000);
		await assert.rejects(folderSize([folder], Number.POSITIVE_INFINITY, AbortSignal.abort()), { name: 'AbortError' });
		assert.equal(await folderSize([path.join(folder, 'missing')], 1, signal), 0);
	});

	it('counts what lies in folders that their owner has closed, and opens none of other users or behind links', async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		const isRoot = process.geteuid?.() === 0;
		const other = mkdtempSync(path.join(os.tmpdir(), 'errand-watch-'));
		const at = (name: string) => path.join(folder, name);
		for (const name of ['closed', 'listed', 'closed/inner', 'foreign']) {
			mkdirSync(at(name));
			write(`${name}/file`, MEGABYTE);
		}
		symlinkSync(other, at('link'));
		const modes = { 'closed/inner': 0o000, closed: 0o000, listed: 0o400, foreign: 0o000 };
		try {
			if (isRoot) {
				for (const name of ['', 'closed', 'closed/inner', 'listed']) {
					chownSync(at(name), ORDINARY_USER, ORDINARY_USER);
				}
				chownSync(other, ORDINARY_USER, ORDINARY_USER);
			}
			for (const [name, mode] of Object.entries(modes)) {
				chmodSync(at(name), mode);
			}
			chmodSync(other, 0o000);
			chmodSync(folder, 0o300);
			if (isRoot) {
				process.seteuid?.(ORDINARY_USER);
			}
			const bytes = await size();
			const megabytes = isRoot ? 3 : 4;
			assert.ok(bytes >= megabytes * MEGABYTE && bytes < (megabytes + 0.1) * MEGABYTE, `${bytes}`);
		} finally {
			process.seteuid?.(process.getuid?.() ?? 0);
			assert.equal(statSync(other).mode & 0o777, 0o000);
			if (isRoot) {
				assert.equal(statSync(at('foreign')).mode & 0o777, 0o000);
			}
			rmSync(other, { recursive: true });
		}
	});

	it('rejects folders that no path can reach', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const child = spawn('sh', [
			'-c',
			`cd "$1" && i=0 && while [ $i -lt 30 ]; do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; i=$((i + 1)); done`,
			'sh',
			folder,
		]);
		await once(child, 'exit');
		await assert.rejects(size(), FolderTooDeepError);
		await once(spawn('sh', ['-c', `rm -rf "$1"/*`, 'sh', folder]), 'exit');
	});
});

describe('DiskUse', () => {
	const limit = 10 * MEGABYTE;
	let clock: ManualClock;
	let free: number;
	let disk: DiskUse;
	beforeEach(() => {
		clock = new ManualClock();
		free = 50_000 * MEGABYTE;
		disk = new DiskUse([folder], limit, clock, async () => free);
	});
	const problem = () => disk.problem(signal);

	it('says when the files take more than the limit', async () => {
		assert.equal(await problem(), undefined);
		write('file', limit + MEGABYTE);
		assert.match((await problem()) ?? '', /took more than 0\.01 GB of disk space/);
	});

	it('measures seldom what takes long, but at once when the disk loses as much as is left', async () => {
		// Each look at the clock takes some time, and so does a measurement.
		const elapsed = clock.elapsed.bind(clock);
		clock.elapsed = () => {
			clock.pass(100);
			return elapsed();
		};
		assert.equal(await problem(), undefined);
		write('file', limit + MEGABYTE);
		assert.equal(await problem(), undefined);
		free -= limit;
		assert.match((await problem()) ?? '', /of disk space/);
		clock.pass(10_000);
		assert.match((await problem()) ?? '', /of disk space/);
	});

	it('says when the disk is nearly full, whatever it is full of', async () => {
		assert.equal(await problem(), undefined);
		free = 900 * MEGABYTE;
		assert.match((await problem()) ?? '', /disk is nearly full/);
	});

	it('lets an agent run on a disk that was nearly full before, until half of that is gone', async () => {
		free = 500 * MEGABYTE;
		assert.equal(await problem(), undefined);
		free = 300 * MEGABYTE;
		assert.equal(await problem(), undefined);
		free = 200 * MEGABYTE;
		assert.match((await problem()) ?? '', /disk is nearly full/);
	});
});

describe('descendantsUse', () => {
	before(function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
	});

	it('counts the processes below another one and their memory, and not the one itself', async () => {
		const child = spawn('sh', ['-c', '(head -c 50000000 /dev/zero | tail | sleep 1000) & sleep 1000 & echo; wait'], {
			detached: true,
		});
		try {
			const use = await waitFor('the memory', async () => {
				const found = await descendantsUse(child.pid ?? 0);
				return found.memory > 50 * MEGABYTE && found;
			});
			assert.ok(use.processes >= 3 && use.processes <= 6, `${use.processes}`);
			assert.ok(use.memory < 120 * MEGABYTE, `${use.memory}`);
		} finally {
			process.kill(-(child.pid ?? 0), 'SIGKILL');
		}
		await once(child, 'exit');
		assert.deepEqual(await descendantsUse(child.pid ?? 0), { processes: 0, memory: 0 });
	});
});

describe('ResourceWatch', () => {
	before(function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
	});

	it('tells once, although more than one limit is passed, and nothing after it was disposed', async () => {
		const child = spawn('sh', ['-c', 'sleep 1000 & sleep 1000 & sleep 1000 & wait'], { detached: true });
		const pid = child.pid ?? 0;
		try {
			await waitFor('the processes', async () => (await descendantsUse(pid)).processes === 3);
			write('file', 10_000);
			const clock = new ManualClock();
			const told: string[] = [];
			const watch = (limits = { memory: 1, disk: 1, processes: 1 }) =>
				new ResourceWatch({ pid, folders: [folder], limits, onOver: sentence => told.push(sentence), clock });
			watch();
			await waitFor('a sentence', () => told.length > 0);
			await clock.advance(60_000);
			assert.equal(told.length, 1);
			watch().dispose();
			const calm = watch(DEFAULT_LIMITS);
			await waitFor('both measurements', () => clock.sleeping === 2);
			assert.equal(told.length, 1);
			calm.dispose();
			assert.equal(clock.sleeping, 0);
		} finally {
			process.kill(-pid, 'SIGKILL');
		}
	});

	it('leaves memory of the machine free, or half of what was free at first', async () => {
		for (const { first, calm, low } of [
			{ first: 9_000, calm: 600, low: 400 },
			{ first: 400, calm: 250, low: 150 },
		]) {
			const clock = new ManualClock();
			const told: string[] = [];
			let free = first;
			const watch = new ResourceWatch({
				...{ pid: process.pid, folders: [folder], limits: DEFAULT_LIMITS, clock },
				onOver: sentence => told.push(sentence),
				freeMemory: () => free * MEGABYTE,
			});
			for (free of [first, calm]) {
				await waitFor('both measurements', () => clock.sleeping === 2);
				assert.deepEqual(told, []);
				await clock.advance(10_000);
			}
			free = low;
			await waitFor('a sentence', async () => {
				await clock.advance(10_000);
				return told.length > 0;
			});
			assert.match(told[0] ?? '', /memory of this machine is nearly full/);
			watch.dispose();
		}
	});

	it('names amounts in words', () => {
		assert.equal(inGigabytes(DEFAULT_LIMITS.memory), '8 GB');
		assert.equal(inGigabytes(1_500_000_000), '1.5 GB');
		assert.equal(inGigabytes(50_000_000), '0.05 GB');
	});
});
