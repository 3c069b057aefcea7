import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findLockfiles, lockfilesAmong } from '../../../../../src/service/tasks/dependencies/lockfiles.ts';
import { filesOfFolder } from '../../../../../src/service/tasks/dependencies/treeFiles.ts';

describe('the files of a tree for dependencies', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-tree-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	function write(name: string, text = ''): void {
		mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
		writeFileSync(path.join(folder, name), text);
	}

	it('are found near the top first, and not where packages already are', async () => {
		const names = [
			'package-lock.json',
			'yarn.lock',
			'docs/requirements.txt',
			'requirements.txt',
			'b/Cargo.lock',
			'a/deep/er/go.sum',
			'a/deep/er/still/go.sum',
			'node_modules/x/yarn.lock',
			'.git/go.sum',
			'my-package-lock.json',
		];
		for (const name of names) {
			write(name);
		}
		const expected = ['package-lock.json', 'requirements.txt', 'yarn.lock', 'b/Cargo.lock', 'a/deep/er/go.sum'];
		assert.deepEqual(await findLockfiles(folder), expected);
		assert.deepEqual(lockfilesAmong(names), expected);
	});

	it('are at most twenty lockfiles', () => {
		const names = Array.from({ length: 100 }, (_, index) => `p${index}/go.sum`);
		assert.equal(lockfilesAmong(names).length, 20);
	});

	it('are read up to the end of a line before a limit', async () => {
		write('web/.npmrc', 'registry=x');
		write('large', 'line\n'.repeat(1024 * 1024));
		const read = filesOfFolder(folder);
		assert.equal(await read('web/.npmrc'), 'registry=x');
		const large = (await read('large')) ?? '';
		assert.ok(large.length <= 256 * 1024 && large.length > 255 * 1024);
		assert.ok(large.endsWith('\n'));
		assert.equal(await read('none'), undefined);
	});

	it('are not read through links, nor if they are folders or pipes', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		write('real/file', 'inside');
		symlinkSync('/etc', path.join(folder, 'linked'));
		symlinkSync('/etc/hosts', path.join(folder, '.npmrc'));
		symlinkSync('real', path.join(folder, 'alias'));
		execFileSync('mkfifo', [path.join(folder, 'pipe')]);
		const read = filesOfFolder(folder);
		for (const name of ['linked/hosts', '.npmrc', 'alias/file', 'real', 'pipe']) {
			assert.equal(await read(name), undefined, name);
		}
	});
});
