import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { newTemporaryFolder, removeLeftFolders, withTemporaryFolder } from '../../../src/base/temporaryFolder.ts';

const LONG_AGO = new Date(Date.now() - 25 * 60 * 60_000);

describe('a temporary folder', () => {
	const usual = os.tmpdir();
	const variable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
	let temporary: string;

	beforeEach(() => {
		temporary = mkdtempSync(path.join(usual, 'temporary-'));
		process.env[variable] = temporary;
	});
	afterEach(() => {
		process.env[variable] = usual;
		rmSync(temporary, { recursive: true, force: true });
	});

	it('can be opened by the user alone, and names its use and its process', async () => {
		const folder = await newTemporaryFolder('index');
		assert.match(path.relative(temporary, folder), new RegExp(`^errand-index-${process.pid}-\\w{6}$`));
		assert.ok(process.platform === 'win32' || (statSync(folder).mode & 0o777) === 0o700);
	});

	it('is removed once the work in it has ended, or failed', async () => {
		const used: string[] = [];
		const work = async (folder: string, fails: boolean) => {
			used.push(folder);
			writeFileSync(path.join(folder, 'index'), '');
			if (fails) {
				throw new Error('no work');
			}
			return 'done';
		};
		assert.equal(await withTemporaryFolder('step', folder => work(folder, false)), 'done');
		await assert.rejects(
			withTemporaryFolder('step', folder => work(folder, true)),
			/no work/,
		);
		assert.deepEqual(used.map(existsSync), [false, false]);
	});

	it('is removed for a program that was killed a day ago or longer, and only then', async () => {
		const { pid } = spawnSync(process.execPath, ['--eval', '']);
		const make = (name: string, time = LONG_AGO) => {
			const folder = path.join(temporary, name);
			mkdirSync(folder);
			writeFileSync(path.join(folder, 'index'), '');
			utimesSync(folder, time, time);
			return folder;
		};
		const left = [make(`errand-index-${pid}-aaaaaa`), make(`errand-merge-${pid}-bbbbbb`)];
		const kept = [
			make(`errand-index-${pid}-cccccc`, new Date()),
			make(`errand-index-${process.pid}-dddddd`),
			make('errand-index-eeeeee'),
			make(`errand-${pid}-ffffff`),
			make(`of-another-${pid}-gggggg`),
		];
		const file = path.join(temporary, `errand-index-${pid}-hhhhhh`);
		writeFileSync(file, '');
		utimesSync(file, LONG_AGO, LONG_AGO);
		kept.push(file);
		if (process.getuid?.() === 0) {
			const foreign = make(`errand-index-${pid}-iiiiii`);
			chownSync(foreign, 65_534, 65_534);
			kept.push(foreign);
		}
		await removeLeftFolders();
		assert.deepEqual(left.filter(existsSync), []);
		assert.deepEqual(
			kept.filter(one => !existsSync(one)),
			[],
		);
	});
});
