import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isGitsOwn } from '../../../src/base/decisiveFiles.ts';
import { isSameOrWithin, isWithin, linkedPlace, pathWithin, placeOf, realPathOf } from '../../../src/base/filePlace.ts';

describe('the real place of a file', () => {
	let scratch: string;
	let workspace: string;
	let home: string;

	before(function () {
		if (process.platform === 'win32') {
			// Making links takes a right there that tests rarely have.
			this.skip();
		}
	});

	beforeEach(async () => {
		scratch = await realpath(await mkdtemp(path.join(os.tmpdir(), 'errand-place-')));
		workspace = path.join(scratch, 'workspace');
		home = path.join(scratch, 'home');
		await mkdir(path.join(workspace, 'src'), { recursive: true });
		await mkdir(home);
		await writeFile(path.join(workspace, 'src', 'a.ts'), '');
	});

	afterEach(() => rm(scratch, { recursive: true, force: true }));

	const kindOf = async (name: string, folders = [workspace]) => {
		const { isInside, isGits } = await placeOf(path.join(workspace, name), folders);
		return `${isInside ? 'inside' : 'outside'}${isGits ? ', of git' : ''}`;
	};

	it('is the workspace for its own files, even those that do not exist yet', async () => {
		for (const name of ['src/a.ts', 'src/b.ts', 'new/deep/b.ts', 'src/a.ts/below-a-file.ts', '..a/b.ts']) {
			assert.equal(await kindOf(name), 'inside', name);
		}
	});

	it('is told by its path below a folder, and not told where a link leads out of that or nowhere', async () => {
		await symlink('src', path.join(workspace, 'lib'));
		await symlink(home, path.join(workspace, 'assets'));
		await symlink('Makefile', path.join(workspace, 'nowhere'));
		await symlink('circle', path.join(workspace, 'circle'));
		for (const [name, place] of [
			['', ''],
			['src/a.ts', 'src/a.ts'],
			['lib/a.ts', 'src/a.ts'],
			['lib/new/b.ts', 'src/new/b.ts'],
			['assets/a', undefined],
			['assets/new/b', undefined],
			['nowhere', undefined],
			['circle/a', undefined],
		] as const) {
			assert.equal(linkedPlace(workspace, name), place, name);
		}
	});

	it('is not the workspace behind a folder that leads out of it, whether the file is there or not', async () => {
		await symlink(home, path.join(workspace, 'assets'));
		await symlink('assets', path.join(workspace, 'again'));
		await mkdir(path.join(home, '.config'));
		for (const name of ['assets/.config/autostart/x', 'assets/x', 'again/x', 'assets']) {
			assert.equal(await kindOf(name), 'outside', name);
		}
		assert.equal(
			await realPathOf(path.join(workspace, 'again/.config/autostart/x')),
			path.join(home, '.config/autostart/x'),
		);
	});

	it('is not the workspace if a link leads nowhere, in a circle, or to a folder beside it whose name begins alike', async () => {
		await symlink(path.join(home, 'not-there'), path.join(workspace, 'dangling'));
		await symlink('round', path.join(workspace, 'round'));
		await mkdir(`${workspace}-other`);
		await symlink(`${workspace}-other`, path.join(workspace, 'beside'));
		for (const name of ['dangling', 'dangling/x', 'round', 'round/x', 'beside/x']) {
			assert.equal(await kindOf(name), 'outside', name);
		}
		assert.equal(await kindOf('../home/x'), 'outside');
		assert.equal(await kindOf('.'), 'outside');
	});

	it('is the workspace through a link that stays in it, in any of its folders, and where a folder is a link itself', async () => {
		const other = path.join(scratch, 'other');
		await mkdir(other);
		await symlink(workspace, path.join(scratch, 'linked'));
		await symlink(path.join(workspace, 'src'), path.join(workspace, 'inner'));
		await symlink(other, path.join(workspace, 'across'));
		assert.equal(await kindOf('inner/new.ts'), 'inside');
		assert.equal(await kindOf('across/new.ts'), 'outside');
		assert.equal(await kindOf('across/new.ts', [workspace, other]), 'inside');
		const linked = path.join(scratch, 'linked');
		assert.equal((await placeOf(path.join(linked, 'src/new.ts'), [linked])).isInside, true);
	});

	it('is git’s own in its folder, named as it is or behind a link, and in that of a repository further down', async () => {
		await mkdir(path.join(workspace, '.git'));
		await symlink(path.join(workspace, '.git'), path.join(workspace, 'assets'));
		await symlink(path.join(workspace, 'src'), path.join(workspace, 'src', '.git'));
		for (const name of ['.git/hooks/pre-push', '.git', 'assets/hooks/x', 'sub/.git/config', 'src/.git/a.ts']) {
			assert.equal(await kindOf(name), 'inside, of git', name);
		}
		await mkdir(path.join(home, '.git'));
		await symlink(path.join(home, '.git'), path.join(workspace, 'theirs'));
		assert.equal(await kindOf('theirs/config'), 'outside, of git');
	});

	it('is git’s own by every name that a file system takes for it, and by no other', () => {
		for (const name of [
			'.GIT/config',
			'.Git',
			'a/git~1/config',
			'GIT~2\\hooks\\x',
			'.git./config',
			'.git . /config',
			'.git::$INDEX_ALLOCATION/config',
			'.git:stream',
			'.g\u200cit/config',
			'C:\\work\\.git\\config',
		]) {
			assert.equal(isGitsOwn(name), true, name);
		}
		for (const name of [
			'.gitignore',
			'.github/workflows/a.yml',
			'src/git/a.ts',
			'a.git/x',
			'git~a',
			'.git-x/a',
			'git',
		]) {
			assert.equal(isGitsOwn(name), false, name);
		}
	});
});

describe('a file in a folder', () => {
	it('or the folder itself is found by comparing folders, not texts', () => {
		assert.ok(isSameOrWithin('/a/b', '/a/b'));
		assert.ok(isSameOrWithin('/a/b', '/a/b/c'));
		assert.ok(isSameOrWithin('/a/b', '/a/b/..c'));
		assert.ok(!isSameOrWithin('/a/b', '/a/bc'));
		assert.ok(!isSameOrWithin('/a/b', '/a'));
		assert.ok(!isSameOrWithin('/a/b', '/a/b/../c'));
	});

	it('has a path from there, which is empty for the folder itself', () => {
		assert.equal(pathWithin('/a/b', '/a/b/c/d'), path.join('c', 'd'));
		assert.equal(pathWithin('/a/b', '/a/b'), '');
		assert.equal(pathWithin('/a/b', '/a/bc'), undefined);
		assert.equal(isWithin('/a/b', '/a/b/c'), true);
		assert.equal(isWithin('/a/b', '/a/b'), false);
	});
});
