import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { removeFolder } from '../../../src/base/removeFolder.ts';

/** What a program can do that goes from folder to folder. */
const NEST = `for (let level = 0; level < Number(process.argv[1]); level++) {
	require('node:fs').mkdirSync('nested'); process.chdir('nested');
}
require('node:fs').writeFileSync('file', 'x');`;

describe('a folder that is removed', () => {
	let parent: string;
	let folder: string;

	beforeEach(async () => {
		parent = await mkdtemp(path.join(os.tmpdir(), 'errand-remove-'));
		folder = path.join(parent, 'folder');
		await mkdir(folder);
	});
	// This also removes what a failure of these tests has left.
	afterEach(() => removeFolder(parent));

	const nest = (levels: number, cwd: string) =>
		execFileSync(process.execPath, ['-e', NEST, '--', String(levels)], { cwd });

	it('is gone with folders nested deeper than a path can be long', async () => {
		nest(1_200, folder);
		await mkdir(path.join(folder, '1', '2', '3'), { recursive: true });
		nest(700, path.join(folder, '1', '2', '3'));
		await writeFile(path.join(folder, '2'), 'a file of a name that is wanted');
		await removeFolder(folder);
		assert.deepEqual(await readdir(parent), []);
	});

	it('is gone also where another removal is at work in it, such as one that has failed and not ended yet', async () => {
		nest(800, folder);
		for (let count = 0; count < 50; count++) {
			await mkdir(path.join(folder, `many-${count}`, 'inner'), { recursive: true });
		}
		await Promise.all([removeFolder(folder), removeFolder(folder)]);
		assert.deepEqual(await readdir(parent), []);
	});

	it('takes nothing with it that a link in it leads to', async () => {
		const precious = path.join(parent, 'precious');
		await mkdir(path.join(precious, 'inner'), { recursive: true });
		await chmod(path.join(precious, 'inner'), 0o500);
		await writeFile(path.join(precious, 'file'), 'x');
		nest(800, folder);
		await symlink(precious, path.join(folder, 'link'));
		await symlink(precious, path.join(folder, 'nested', 'link'));
		await removeFolder(folder);
		assert.deepEqual(await readdir(parent), ['precious']);
		assert.deepEqual((await readdir(precious)).sort(), ['file', 'inner']);
		assert.equal((await lstat(path.join(precious, 'inner'))).mode & 0o777, 0o500);
	});

	it('is gone with folders that are closed to their owner', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const closed = path.join(folder, 'a', 'closed');
		await mkdir(path.join(closed, 'inner'), { recursive: true });
		await writeFile(path.join(closed, 'inner', 'file'), 'x');
		await chmod(path.join(closed, 'inner'), 0o000);
		await chmod(closed, 0o000);
		if (process.getuid?.() !== 0) {
			await removeFolder(folder);
		} else {
			// No folder is closed to root.
			const other = 12_345;
			await chmod(parent, 0o777);
			for (const place of [folder, path.dirname(closed), closed, path.join(closed, 'inner')]) {
				await chown(place, other, other);
			}
			const module = pathToFileURL(path.resolve('src/base/removeFolder.ts')).href;
			const script = `process.setgid(${other}); process.setuid(${other});
				await (await import(${JSON.stringify(module)})).removeFolder(${JSON.stringify(folder)});`;
			const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
			assert.equal(status, 0, String(stderr));
		}
		assert.deepEqual(await readdir(parent), []);
	});

	it('may be gone already, and is no reason to fail', async () => {
		await rm(folder, { recursive: true });
		await removeFolder(folder);
	});
});
