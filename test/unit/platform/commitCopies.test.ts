import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CommitOptions, commitChanges, TooMuchChanged } from '../../../src/platform/commitChanges.ts';
import { gitPrograms } from '../../support/gitPrograms.ts';
import { declined, useHostileRepository } from './useHostileRepository.ts';

for (const program of gitPrograms()) {
	describe(`a commit of the files of another folder, with ${program.label}`, () => {
		const hostile = useHostileRepository(program);
		let copy: string;
		let parent: string;
		const inCopy = (name: string) => path.join(copy, name);

		/** Commits everything, and makes the other folder with the same files. */
		async function makeCopy(): Promise<void> {
			const { repository } = hostile.trap;
			parent = await repository.commitAll('Before');
			await repository.git('checkout-index', '--all', `--prefix=${copy}/`);
		}

		const commit = (options: Partial<CommitOptions> = {}) =>
			commitChanges(hostile.place, { parent, message: 'After', confirm: declined, copy, ...options });

		/** The changes of a commit as git lists them: a letter and a name in each. */
		async function changesOf(made: string): Promise<string[]> {
			const listed = await hostile.trap.repository.git('diff-tree', '-r', '-z', '--name-status', parent, made);
			const fields = listed.split('\0').slice(0, -1);
			return fields.flatMap((field, index) => (index % 2 === 0 ? [`${field} ${fields[index + 1]}`] : [])).sort();
		}

		const show = (made: string, name: string) => hostile.trap.repository.git('show', `${made}:${name}`);
		const modeOf = async (made: string, name: string) =>
			(await hostile.trap.repository.git('ls-tree', made, '--', name)).slice(0, 6);
		const objects = () => hostile.trap.repository.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');

		beforeEach(async () => {
			const { repository } = hostile.trap;
			copy = path.join(repository.folder, 'copy');
			await repository.write('kept.txt', 'kept\n');
			await repository.write('gone.txt', 'gone\n');
			await repository.write('folder/a.txt', 'a\n');
			await repository.write('folder/b.txt', 'b\n');
			await repository.write('.gitignore', 'ignored.txt\n');
		});

		it('has what is new, changed, deleted, executable or a link there, and what is the same as in the parent', async () => {
			await makeCopy();
			await writeFile(inCopy('README.md'), 'changed\n');
			await writeFile(inCopy('new.txt'), 'new\n');
			await writeFile(inCopy('-rf'), 'a hostile name\n');
			await writeFile(inCopy('with\nline.txt'), 'another\n');
			await writeFile(inCopy('ignored.txt'), 'left out\n');
			await rm(inCopy('gone.txt'));
			await chmod(inCopy('folder/a.txt'), 0o755);
			await rm(inCopy('folder/b.txt'));
			await symlink('../kept.txt', inCopy('folder/b.txt'));
			const made = await commit();
			assert.deepEqual(await changesOf(made), [
				'A -rf',
				'A new.txt',
				'A with\nline.txt',
				'D gone.txt',
				'M README.md',
				'M folder/a.txt',
				'T folder/b.txt',
			]);
			assert.equal(await show(made, 'README.md'), 'changed\n');
			assert.equal(await modeOf(made, 'folder/a.txt'), '100755');
			assert.equal(await modeOf(made, 'folder/b.txt'), '120000');
			assert.equal(await show(made, 'folder/b.txt'), '../kept.txt');
			assert.equal(await hostile.trap.repository.head(`${made}^`), parent);
		});

		it('is the state of the parent where nothing has changed there', async () => {
			await makeCopy();
			assert.deepEqual(await changesOf(await commit()), []);
		});

		it('has nothing of the repository’s own files, and leaves them, the index and the other folder as they are', async () => {
			await makeCopy();
			const { repository } = hostile.trap;
			await repository.write('README.md', 'the user goes on\n');
			await repository.write('mine.txt', 'mine\n');
			await repository.git('add', 'mine.txt');
			await writeFile(inCopy('kept.txt'), 'changed\n');
			const index = path.join(hostile.directory, '.git', 'index');
			const before = [await readFile(index), await repository.git('status', '--porcelain')];
			assert.deepEqual(await changesOf(await commit()), ['M kept.txt']);
			assert.deepEqual([await readFile(index), await repository.git('status', '--porcelain')], before);
			assert.ok(!(await readdir(copy)).includes('.git'));
		});

		it('takes a file for a folder, and a folder for a file', async () => {
			await makeCopy();
			await rm(inCopy('folder'), { recursive: true });
			await writeFile(inCopy('folder'), 'a file now\n');
			await rm(inCopy('gone.txt'));
			await mkdir(inCopy('gone.txt'));
			await writeFile(inCopy('gone.txt/inside.txt'), 'inside\n');
			assert.deepEqual(await changesOf(await commit()), [
				'A folder',
				'A gone.txt/inside.txt',
				'D folder/a.txt',
				'D folder/b.txt',
				'D gone.txt',
			]);
		});

		it('keeps names and contents that are not UTF-8, byte by byte', async function () {
			if (process.platform !== 'linux') {
				this.skip();
			}
			const name = Buffer.from([0x6e, 0xe4, 0xff, 0x2e, 0x74]);
			const fileIn = (folder: string) => Buffer.concat([Buffer.from(`${folder}/`), name]);
			await writeFile(fileIn(hostile.directory), Buffer.from([1, 0xff]));
			await makeCopy();
			await rm(fileIn(copy), { force: true });
			await writeFile(fileIn(copy), Buffer.from([0, 0xfe, 0x0d, 0x0a]));
			await writeFile(Buffer.concat([Buffer.from(`${copy}/`), Buffer.from([0xc3])]), 'new');
			const made = await commit({ maximumBytes: 1_000 });
			const list = (args: string[]) =>
				execFileSync('git', args, { cwd: hostile.directory, encoding: 'latin1' }).split('\0').slice(0, -1);
			assert.deepEqual(list(['diff-tree', '-r', '-z', '--name-status', parent, made]), [
				...['M', name.toString('latin1')],
				...['A', '\u00c3'],
			]);
			const [object = ''] = /[\da-f]{40}(?=\tn)/.exec(list(['ls-tree', '-z', made]).join('\n')) ?? [];
			const content = execFileSync('git', ['cat-file', 'blob', object], { cwd: hostile.directory });
			assert.deepEqual([...content], [0, 0xfe, 0x0d, 0x0a]);
		});

		it('stores a link that leads out of the folder as a link, and nothing of what it leads to', async () => {
			const outside = path.join(hostile.trap.repository.folder, 'outside');
			await mkdir(outside);
			await writeFile(path.join(outside, 'a.txt'), 'a secret of the user\n');
			await makeCopy();
			await rm(inCopy('folder'), { recursive: true });
			await symlink(outside, inCopy('folder'));
			await rm(inCopy('kept.txt'));
			await symlink(path.join(outside, 'a.txt'), inCopy('kept.txt'));
			await symlink(outside, inCopy('new'));
			const made = await commit();
			assert.deepEqual(await changesOf(made), ['A folder', 'A new', 'D folder/a.txt', 'D folder/b.txt', 'T kept.txt']);
			for (const name of ['folder', 'new', 'kept.txt']) {
				assert.equal(await modeOf(made, name), '120000', name);
				assert.ok((await show(made, name)).startsWith(outside));
			}
			const stored = await hostile.trap.repository.git('cat-file', '--batch-all-objects', '--batch');
			assert.doesNotMatch(stored, /a secret of the user/);
		});

		it('leaves repositories out that were made in there, and obeys none of their configurations', async () => {
			await makeCopy();
			const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, stdio: 'ignore' });
			git('init', '--quiet');
			git('init', '--quiet', 'nested');
			for (const repository of ['.git', 'nested/.git']) {
				const config = path.join(copy, repository, 'config');
				const command = hostile.trap.command('evil');
				const fsmonitor = await hostile.trap.script(
					path.join(hostile.trap.repository.folder, 'fsmonitor'),
					'fsmonitor',
				);
				await appendFile(
					config,
					`[core]\n\tfsmonitor = ${fsmonitor}\n[filter "evil"]\n\tclean = "${command}"\n\trequired = true\n`,
				);
				await hostile.trap.plantHooks(path.join(copy, repository, 'hooks'));
			}
			await writeFile(inCopy('nested/theirs.txt'), 'theirs\n');
			await writeFile(inCopy('.gitattributes'), '* filter=evil\n');
			await writeFile(inCopy('new.txt'), 'new\n');
			assert.deepEqual(await changesOf(await commit()), ['A .gitattributes', 'A new.txt']);
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('does not look into a module, whatever repository was put in its place', async () => {
			const { repository } = hostile.trap;
			const tip = await repository.head();
			await repository.git('update-index', '--add', '--cacheinfo', `160000,${tip},module`);
			await mkdir(path.join(hostile.directory, 'module'));
			await makeCopy();
			execFileSync('git', ['init', '--quiet', inCopy('module')]);
			const fsmonitor = await hostile.trap.script(path.join(repository.folder, 'fsmonitor'), 'fsmonitor');
			await appendFile(inCopy('module/.git/config'), `[core]\n\tfsmonitor = ${fsmonitor}\n`);
			await hostile.trap.plantHooks(inCopy('module/.git/hooks'));
			await writeFile(inCopy('module/theirs.txt'), 'theirs\n');
			const made = await commit();
			assert.doesNotMatch(await repository.git('ls-tree', '-r', '--name-only', made), /theirs/);
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		describe('where the files there name a filter', () => {
			const attributes = '*.txt filter=evil\n*.md filter=evil-process\n';

			it('of the repository’s own configuration, runs nothing of it and stores nothing unless somebody agrees', async () => {
				await makeCopy();
				const { repository } = hostile.trap;
				await repository.git('config', 'filter.evil.clean', hostile.trap.command('clean'));
				await repository.git('config', 'filter.evil.smudge', hostile.trap.command('smudge'));
				await repository.git('config', 'filter.evil-process.process', hostile.trap.command('process'));
				await writeFile(inCopy('.gitattributes'), attributes);
				await writeFile(inCopy('kept.txt'), 'changed by an agent\n');
				await writeFile(inCopy('README.md'), 'changed by an agent\n');
				await writeFile(inCopy('new.txt'), 'made by an agent\n');
				const before = await objects();
				await assert.rejects(commit(), /^Error: declined$/);
				assert.deepEqual(await hostile.trap.sprung(), []);
				assert.equal(await objects(), before);
			});

			it('of the repository’s own configuration, says which programs it would run', async () => {
				await makeCopy();
				const { repository } = hostile.trap;
				await repository.git('config', 'filter.evil.clean', 'tr a-z A-Z');
				await writeFile(inCopy('.gitattributes'), attributes);
				await writeFile(inCopy('new.txt'), 'new\n');
				const shown: string[] = [];
				const made = await commit({
					confirm: async programs => void shown.push(...programs.map(({ key, value }) => `${key}=${value}`)),
				});
				assert.deepEqual(shown, ['filter.evil.clean=tr a-z A-Z']);
				assert.equal(await show(made, 'new.txt'), 'NEW\n');
			});

			it('by a macro, a folder’s own attributes or a name that is not configured, runs nothing either', async () => {
				await makeCopy();
				const { repository } = hostile.trap;
				await repository.git('config', 'filter.evil.clean', hostile.trap.command('clean'));
				for (const [name, text] of [
					['.gitattributes', '[attr]harmless filter=evil\nnew.txt harmless\n'],
					['folder/.gitattributes', '* filter=evil\n'],
				] as const) {
					await writeFile(inCopy(name), text);
					await writeFile(inCopy(path.join(path.dirname(name), 'new.txt')), 'new\n');
					await assert.rejects(commit(), /^Error: declined$/, name);
					await rm(inCopy(name));
				}
				await writeFile(inCopy('.gitattributes'), '* filter=nobodys diff=evil merge=evil\n');
				assert.equal(await show(await commit(), 'new.txt'), 'new\n');
				assert.deepEqual(await hostile.trap.sprung(), []);
			});

			it('of the user’s own configuration, runs it as for any file that is staged', async () => {
				await makeCopy();
				await writeFile(path.join(hostile.home, '.gitconfig'), '[filter "evil"]\n\tclean = tr a-z A-Z\n');
				await writeFile(inCopy('.gitattributes'), attributes);
				await writeFile(inCopy('new.txt'), 'new\n');
				assert.equal(await show(await commit(), 'new.txt'), 'NEW\n');
			});
		});

		it('runs no hook, no file system monitor and no signature that the repository’s own files name', async () => {
			await makeCopy();
			await hostile.trap.plantSettings();
			await hostile.trap.plantHooks(path.join(hostile.directory, '.git', 'hooks'));
			await writeFile(inCopy('new.txt'), 'new\n');
			await hostile.trap.sprung();
			const made = await commit();
			assert.deepEqual(await hostile.trap.sprung(), []);
			assert.deepEqual(await changesOf(made), ['A new.txt']);
		});

		it('may be as large as the parent, because only what differs from it counts', async () => {
			await hostile.trap.repository.write('large.txt', 'x'.repeat(100_000));
			await makeCopy();
			await writeFile(inCopy('new.txt'), 'new\n');
			assert.deepEqual(await changesOf(await commit({ maximumBytes: 1_000 })), ['A new.txt']);
			await writeFile(inCopy('large.txt'), 'y'.repeat(2_000));
			const before = await objects();
			await assert.rejects(commit({ maximumBytes: 1_000 }), TooMuchChanged);
			assert.equal(await objects(), before);
		});

		it('does not count what a link leads to', async () => {
			const outside = path.join(hostile.trap.repository.folder, 'outside');
			await mkdir(outside);
			await writeFile(path.join(outside, 'large.txt'), 'x'.repeat(100_000));
			await makeCopy();
			await symlink(path.join(outside, 'large.txt'), inCopy('link'));
			await rename(inCopy('folder'), inCopy('moved'));
			await symlink(outside, inCopy('folder'));
			assert.ok(await commit({ maximumBytes: 1_000 }));
		});

		it('fails at a tracked file that has become a pipe, and does not wait for it', async function () {
			if (process.platform === 'win32') {
				this.skip();
			}
			await makeCopy();
			await rm(inCopy('kept.txt'));
			execFileSync('mkfifo', [inCopy('kept.txt'), inCopy('new-pipe')]);
			await assert.rejects(commit(), /kept\.txt/);
		});

		it('holds all of the folder where the repository has no commit', async () => {
			await makeCopy();
			const made = await commit({ parent: undefined });
			const names = await hostile.trap.repository.git('ls-tree', '-r', '--name-only', made);
			assert.deepEqual(names.trim().split('\n'), [
				'.gitignore',
				'README.md',
				'folder/a.txt',
				'folder/b.txt',
				'gone.txt',
				'kept.txt',
			]);
			assert.equal(await hostile.trap.repository.git('rev-list', '--count', made), '1\n');
		});
	});
}
