import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositories } from '../../../../src/service/sources/sourceRoutes.ts';

describe('findRepositories', () => {
	let folder: string;

	beforeEach(async () => {
		folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'errand-sources-')));
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	/** Makes as much of a repository as is looked at. */
	async function repository(name: string, bare = false): Promise<string> {
		const top = path.join(folder, name);
		const own = bare ? top : path.join(top, '.git');
		await mkdir(path.join(own, 'objects'), { recursive: true });
		await writeFile(path.join(own, 'HEAD'), 'ref: refs/heads/main\n');
		return top;
	}

	const names = async (repoUrls: string[]) =>
		(await findRepositories(repoUrls)).map(({ owner, name }) => `${owner}/${name}`);

	it('names a repository by its folder and its owner by the folder above, each once, sorted', async () => {
		const [b, a, bare] = [
			await repository('projects/b'),
			await repository('projects/a'),
			await repository('other/c.git', true),
		];
		const repoUrls = [b, pathToFileURL(b).href, `${b}/`, `${b}/../b`, a, bare];
		assert.deepEqual(await names(repoUrls), ['other/c.git', 'projects/a', 'projects/b']);
		assert.equal((await findRepositories([b]))[0]?.folder, b);
	});

	it('leaves out what is gone, is no repository, or is no address of this machine', async () => {
		const empty = path.join(folder, 'projects', 'empty');
		await mkdir(empty, { recursive: true });
		const halfGit = path.join(folder, 'projects', 'half');
		await mkdir(path.join(halfGit, '.git'), { recursive: true });
		const repoUrls = [empty, halfGit, path.join(folder, 'gone'), 'https://example.com/a/b', '//host/share', 'relative'];
		assert.deepEqual(await findRepositories(repoUrls), []);
	});

	it('knows a linked worktree', async () => {
		const linked = path.join(folder, 'projects', 'linked');
		await mkdir(linked, { recursive: true });
		await writeFile(path.join(linked, '.git'), 'gitdir: /elsewhere\n');
		assert.deepEqual(await names([linked]), ['projects/linked']);
	});

	it('tells two owners of one name apart, whatever the order, and the same at every look', async () => {
		const [a, b] = [await repository('x/projects/app'), await repository('y/projects/app')];
		const found = await names([a, b]);
		assert.equal(new Set(found).size, 2);
		assert.ok(found.every(name => /^projects~[\da-f]{6}\/app$/.test(name)));
		assert.deepEqual(await names([b, a]), found);
		// Even while one of them is not there, a name that was learnt never comes to mean the other repository.
		await rm(a, { recursive: true });
		const [left, ...others] = await names([a, b]);
		assert.deepEqual(others, []);
		assert.ok(found.includes(left ?? ''));
	});

	it('was updated when its branches were last moved', async () => {
		const top = await repository('projects/a');
		await mkdir(path.join(top, '.git', 'logs'));
		await writeFile(path.join(top, '.git', 'logs', 'HEAD'), '');
		await utimes(path.join(top, '.git', 'HEAD'), 1_000, 1_000);
		await utimes(path.join(top, '.git', 'logs', 'HEAD'), 2_000, 2_000);
		assert.equal((await findRepositories([top]))[0]?.updatedAt.getTime(), 2_000_000);
	});
});
