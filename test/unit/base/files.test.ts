import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
	removeOldFiles,
	removeTemporaries,
	replaceFile,
	replaceFileSync,
	temporaryName,
} from '../../../src/base/files.ts';

describe('a file that is replaced', () => {
	let folder: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-files-'));
	});

	afterEach(() => rm(folder, { recursive: true, force: true }));

	for (const [name, replace] of Object.entries({
		'while others go on': replaceFile,
		'at once': async (file: string, data: string | Uint8Array) => replaceFileSync(file, data, { flush: true }),
	})) {
		describe(name, () => {
			it('has the new content, and its folder is made where it is missing', async () => {
				const file = path.join(folder, 'deep', 'state.json');
				await replace(file, 'one');
				await replace(file, new Uint8Array([116, 119, 111]));
				assert.equal(await readFile(file, 'utf8'), 'two');
				assert.deepEqual(await readdir(path.dirname(file)), ['state.json']);
			});

			it('is readable by its owner alone', async function () {
				if (process.platform === 'win32') {
					this.skip();
				}
				const file = path.join(folder, 'private', 'state.json');
				await replace(file, 'mine');
				assert.equal((await stat(file)).mode & 0o777, 0o600);
				assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o700);
			});

			it('leaves what was there, and nothing half written beside it, where it fails', async () => {
				const file = path.join(folder, 'taken');
				await mkdir(path.join(file, 'inside'), { recursive: true });
				await assert.rejects(replace(file, 'new'));
				assert.deepEqual(await readdir(folder), ['taken']);
				assert.deepEqual(await readdir(file), ['inside']);
			});
		});
	}

	it('is removed when it has not been written for long, and a folder beside it stays', async () => {
		const old = path.join(folder, 'old');
		await writeFile(old, '');
		await utimes(old, 1, 1);
		await mkdir(path.join(folder, 'kept'));
		await utimes(path.join(folder, 'kept'), 1, 1);
		await writeFile(path.join(folder, 'new'), '');
		await removeOldFiles(folder, 60_000);
		assert.deepEqual((await readdir(folder)).sort(), ['kept', 'new']);
	});

	it('is without what a process has left beside it that was ended while it wrote, and everything else stays', async () => {
		const file = path.join(folder, 'a.txt');
		const others = ['a.txt', 'a.txt.tmp', 'a.txt.old.tmp', 'b.txt', path.basename(temporaryName('b.txt'))];
		for (const name of [...others, path.basename(temporaryName(file)), path.basename(temporaryName(file))]) {
			await writeFile(path.join(folder, name), '');
		}
		await removeTemporaries(file);
		assert.deepEqual((await readdir(folder)).sort(), others.sort());
		await removeTemporaries(path.join(folder, 'none', 'a.txt'));
	});

	it('is no matter where there is no folder', () => removeOldFiles(path.join(folder, 'none'), 1));
});
