import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { NOTHING, useCheckout } from './useCheckout.ts';

describe('Checkout, with special files in the tree', () => {
	const at = useCheckout();

	describe('links', () => {
		async function link(target: string, name: string): Promise<void> {
			const file = path.join(at.repository.path, name);
			await mkdir(path.dirname(file), { recursive: true });
			await symlink(target, file);
		}

		it('that lead out of the tree are not in it, and stay as they are in the commit', async () => {
			await at.repository.write('a/file.txt', 'inside\n');
			await link('a/file.txt', 'inside');
			await link('../a', 'b/also-inside');
			await link('../../state/discovery.json', 'relative');
			await link('/etc/passwd', 'absolute');
			await link('.', 'here');
			await link('here/../../x', 'through-another');
			await link('nowhere', 'dangling');
			await at.repository.commitAll('Links');
			const checkout = await at.checkOut();
			assert.deepEqual(checkout.linksLeftOut.sort(), ['absolute', 'relative', 'through-another']);
			const names = await readdir(checkout.tree);
			assert.deepEqual(names.sort(), ['README.md', 'a', 'b', 'dangling', 'here', 'inside']);
			assert.equal(await readFile(path.join(checkout.tree, 'inside'), 'utf8'), 'inside\n');
			assert.deepEqual(await readdir(path.join(checkout.tree, 'b', 'also-inside')), ['file.txt']);
			assert.equal((await checkout.commit('Nothing')).commit, undefined);

			await writeFile(path.join(checkout.tree, 'new.txt'), 'new\n');
			await writeFile(path.join(checkout.tree, 'absolute'), 'a file now\n');
			const { commit } = await checkout.commit('New');
			assert.ok(commit);
			await checkout.push(commit, 'errand/links');
			const changes = await at.repository.git('diff', '--name-status', 'main', 'errand/links');
			assert.equal(changes, 'T\tabsolute\nA\tnew.txt\n');
		});

		it('of a name in no encoding that is known are taken out like any other', async () => {
			const name = Buffer.concat([Buffer.from(`${at.repository.path}/caf`), Buffer.of(0xe9)]);
			await symlink('../../outside', name);
			await at.repository.commitAll('Latin');
			const checkout = await at.checkOut();
			assert.deepEqual(await readdir(checkout.tree), ['README.md']);
			assert.equal((await checkout.commit('Nothing')).commit, undefined);
		});
	});

	describe('pipes and sockets', () => {
		before(function () {
			if (process.platform === 'win32') {
				this.skip();
			}
		});

		const pipe = (file: string) => execFileSync('mkfifo', [file]);

		it('in the place of a file, or of one that git itself reads, are left out; the commit is made', async () => {
			for (const name of ['.gitignore', '.gitattributes', 'tracked.txt', 'folder/tracked.txt', 'other.txt']) {
				await at.repository.write(name, '# something\n');
			}
			await at.repository.commitAll('Files');
			const checkout = await at.checkOut();
			for (const name of ['.gitignore', '.gitattributes', 'tracked.txt']) {
				await rm(path.join(checkout.tree, name));
				pipe(path.join(checkout.tree, name));
			}
			pipe(path.join(checkout.tree, 'folder', '.gitignore'));
			pipe(path.join(checkout.tree, 'new-pipe'));
			await rm(path.join(checkout.tree, 'other.txt'));
			const server = createServer().listen(path.join(checkout.tree, 'other.txt'));
			await once(server, 'listening');
			try {
				await writeFile(path.join(checkout.tree, 'new.txt'), 'x\n');
				const { commit, specialFiles } = await checkout.commit('New');
				assert.deepEqual(specialFiles.sort(), [
					'.gitattributes',
					'.gitignore',
					'folder/.gitignore',
					'new-pipe',
					'other.txt',
					'tracked.txt',
				]);
				assert.ok(commit);
				await checkout.push(commit, 'errand/pipes');
				assert.equal(await at.repository.git('diff', '--name-status', 'main', 'errand/pipes'), 'A\tnew.txt\n');
			} finally {
				server.close();
			}
		});

		it('alone are no change', async () => {
			const checkout = await at.checkOut();
			pipe(path.join(checkout.tree, 'pipe'));
			assert.deepEqual(await checkout.commit('Nothing'), { ...NOTHING, specialFiles: ['pipe'] });
		});

		it('in the place of a file or a folder change nothing of it, however often and by whom the tree is looked at', async () => {
			await at.repository.write('folder/a.txt', 'a\n');
			await at.repository.write('folder/b/c.txt', 'c\n');
			await symlink('/etc/passwd', path.join(at.repository.path, 'outward'));
			await at.repository.commitAll('Files');
			const replace = async (tree: string) => {
				for (const name of ['README.md', 'folder', 'outward']) {
					await rm(path.join(tree, name), { recursive: true, force: true });
					pipe(path.join(tree, name));
				}
			};
			const first = await at.checkOut();
			await replace(first.tree);
			assert.equal(await first.isChanged(), false);
			assert.deepEqual(await first.commit('Nothing'), NOTHING);
			await replace(first.tree);
			await writeFile(path.join(first.tree, 'new.txt'), 'new\n');
			assert.equal(await first.isChanged(), true);
			const again = await at.reopen();
			const { commit } = await again.commit('New');
			assert.ok(commit);
			assert.deepEqual(await again.changedFiles(await again.start(), commit), ['new.txt']);
			assert.equal(await readFile(path.join(again.tree, 'folder/b/c.txt'), 'utf8'), 'c\n');
			await assert.rejects(lstat(path.join(again.tree, 'outward')), { code: 'ENOENT' });
		});
	});

	describe('sparse files', () => {
		before(function () {
			// On Windows, a file that is made longer takes up the space.
			if (process.platform === 'win32') {
				this.skip();
			}
		});

		const hole = (file: string, gigabytes: number) => truncate(file, gigabytes * 1e9);

		it('that git would read as lists are left out at once, and those of the branch stay in it', async () => {
			await at.repository.write('.gitignore', 'ignored\n');
			await at.repository.commitAll('List');
			const checkout = await at.checkOut();
			await mkdir(path.join(checkout.tree, 'folder'));
			const names = ['.gitattributes', '.gitignore', 'folder/.gitignore'];
			for (const name of names) {
				await writeFile(path.join(checkout.tree, name), '');
				await hole(path.join(checkout.tree, name), 3);
			}
			await writeFile(path.join(checkout.tree, 'ignored'), '');
			assert.equal(await checkout.isChanged(), false);
			for (const name of names) {
				await writeFile(path.join(checkout.tree, name), '');
				await hole(path.join(checkout.tree, name), 3);
			}
			await writeFile(path.join(checkout.tree, 'new.txt'), 'x\n');
			const { commit, oversizedLists } = await checkout.commit('New');
			assert.deepEqual(oversizedLists.sort(), names);
			assert.ok(commit);
			assert.deepEqual(await checkout.changedFiles(await checkout.start(), commit), ['new.txt']);
			assert.equal(await readFile(path.join(checkout.tree, '.gitignore'), 'utf8'), 'ignored\n');
		});

		it('make a commit fail with a sentence where git would read for very long', async () => {
			const checkout = await at.checkOut();
			for (const name of ['a', 'b', 'c', 'd']) {
				await writeFile(path.join(checkout.tree, name), '');
				await hole(path.join(checkout.tree, name), 3);
			}
			assert.equal(await checkout.isChanged(), true);
			await assert.rejects(checkout.commit('Large'), {
				message:
					'The files that the agent has changed or made are larger than 10 GB together, which is too much for a commit. Ask it to remove what it need not keep.',
			});
		});
	});
});
