import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { FilesInTheWay, FilterRefused, stashFiles } from '../../../../src/tasks/branches/blockingFiles.ts';
import { addWorktree, checkOut, headBranch } from '../../../../src/tasks/branches/checkOut.ts';
import { isUsableName, readLocalBranch } from '../../../../src/tasks/branches/localBranch.ts';
import { fetchTip } from '../../../../src/tasks/results/taskBranch.ts';
import { gitPrograms } from '../../../support/gitPrograms.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { useHostileRepository } from '../../platform/useHostileRepository.ts';

const RESULT = { key: 'task-1', branch: 'errand/work' };

for (const program of gitPrograms()) {
	describe(`checking out the branch of a task, with ${program.label},`, () => {
		let source: TemporaryRepository;
		let clone: string;
		let place: GitPlace;

		/** `errand/work` changes one file, adds two and removes one. The clone is of a remote that has it. */
		beforeEach(async () => {
			source = await TemporaryRepository.create();
			await source.write('old.txt', 'old\n');
			await source.write('.gitignore', 'ignored.txt\n');
			await source.commitAll('Base');
			clone = path.join(source.folder, 'clone');
			await source.git('clone', '-q', source.path, clone);
			await source.git('switch', '-q', '-c', RESULT.branch);
			await source.write('README.md', 'done\n');
			await source.write('dir/new.txt', 'new\n');
			await source.write('ignored.txt', 'tracked by now\n');
			await source.git('rm', '-q', 'old.txt');
			await source.git('add', '-f', 'ignored.txt');
			await source.commitAll('Work');
			await source.git('switch', '-q', 'main');
			place = { gitPath: program.path, directory: clone, credentials: {} };
		});
		afterEach(() => source.remove());

		const inClone = async (...args: string[]) => (await source.git('-C', clone, ...args)).trim();
		const read = (name: string) => readFile(path.join(clone, name), 'utf8');
		const write = (name: string, text: string) => source.write(path.join('..', 'clone', name), text);
		async function prepare(name = RESULT.branch) {
			const tip = await fetchTip(place, 'origin', RESULT);
			const local = await readLocalBranch(place, name, tip);
			return { tip, local, follows: { remote: 'origin', branch: RESULT.branch } };
		}

		it('makes a local branch that follows its remote’s, which is known as after a fetch', async () => {
			const chosen = await prepare();
			assert.deepEqual(chosen.local.standing, { kind: 'missing' });
			await checkOut(place, chosen);
			assert.equal(await headBranch(place), RESULT.branch);
			assert.equal(await read('dir/new.txt'), 'new\n');
			assert.ok(!existsSync(path.join(clone, 'old.txt')));
			assert.equal(await inClone('status', '--porcelain'), '');
			assert.equal(await inClone('rev-parse', '--abbrev-ref', '@{upstream}'), 'origin/errand/work');
			assert.equal(await inClone('rev-parse', '@{upstream}'), chosen.tip);
		});

		it('takes the branch of the repository itself as it is, with the user’s changes to other files', async () => {
			place = { ...place, directory: source.path };
			await source.write('mine.txt', 'mine\n');
			await source.git('config', 'checkout.guess', 'false');
			const tip = await fetchTip(place, undefined, RESULT);
			const local = await readLocalBranch(place, RESULT.branch, tip);
			assert.deepEqual(local.standing, { kind: 'same' });
			await checkOut(place, { local, tip, follows: undefined });
			assert.equal(await headBranch(place), RESULT.branch);
			assert.equal((await source.git('status', '--porcelain')).trim(), '?? mine.txt');
		});

		it('fast-forwards a local branch that is behind, and leaves one that has more', async () => {
			await checkOut(place, await prepare());
			await inClone('switch', '-q', 'main');
			await source.git('switch', '-q', RESULT.branch);
			await source.write('more.txt', 'more\n');
			const more = await source.commitAll('More');
			const behind = await prepare();
			assert.deepEqual(behind.local.standing, { kind: 'behind', commits: 1 });
			await checkOut(place, behind);
			assert.equal(await inClone('rev-parse', 'HEAD'), more);
			await write('own.txt', 'own\n');
			await inClone('add', '.');
			await inClone('commit', '-q', '-m', 'Own');
			const own = await inClone('rev-parse', 'HEAD');
			await inClone('switch', '-q', 'main');
			const ahead = await prepare();
			assert.deepEqual(ahead.local.standing, { kind: 'ahead', commits: 1 });
			await checkOut(place, ahead);
			assert.equal(await inClone('rev-parse', 'HEAD'), own);
		});

		it('tells a local branch that is something else, and one that is checked out elsewhere', async () => {
			await inClone('switch', '-q', '-c', RESULT.branch);
			await write('own.txt', 'own\n');
			await inClone('add', '.');
			await inClone('commit', '-q', '-m', 'Own');
			const { local } = await prepare();
			assert.deepEqual(local.standing, { kind: 'diverged', ahead: 1, behind: 1 });
			assert.equal(local.worktree, clone);
		});

		/** What stands in the way, as the user has it. */
		async function block(): Promise<void> {
			await write('README.md', 'mine\n');
			await write('dir/new.txt', 'mine, untracked\n');
			await write('ignored.txt', 'mine, ignored\n');
			await write('other.txt', 'mine, not in the way\n');
			await write('.gitignore', 'ignored.txt\nalso-ignored.txt\n');
			await write('also-ignored.txt', 'mine, not in the way\n');
		}

		for (const isBehind of [false, true]) {
			it(`names the files in the way and changes nothing, ${isBehind ? 'of a branch that is behind' : 'of a new branch'}`, async () => {
				if (isBehind) {
					await inClone('branch', RESULT.branch, 'main');
				}
				await block();
				const before = [await inClone('status', '--porcelain', '--ignored'), await inClone('rev-parse', 'HEAD')];
				const branches = await inClone('for-each-ref', 'refs/heads');
				const refused: unknown = await checkOut(place, await prepare()).catch((error: unknown) => error);
				assert.ok(refused instanceof FilesInTheWay, String(refused));
				assert.deepEqual([...refused.files].sort(), ['README.md', 'dir/new.txt', 'ignored.txt']);
				assert.deepEqual(before, [
					await inClone('status', '--porcelain', '--ignored'),
					await inClone('rev-parse', 'HEAD'),
				]);
				assert.equal(await inClone('for-each-ref', 'refs/heads'), branches);
				assert.equal(await read('README.md'), 'mine\n');
			});
		}

		it('goes on once exactly those files are stashed, which come back as they were', async () => {
			await block();
			const chosen = await prepare();
			const refused: unknown = await checkOut(place, chosen).catch((error: unknown) => error);
			assert.ok(refused instanceof FilesInTheWay, String(refused));
			await stashFiles(place, refused.files, 'Before errand/work');
			assert.match(await inClone('stash', 'list'), /^stash@\{0\}: On main: Before errand\/work$/);
			assert.equal(await read('other.txt'), 'mine, not in the way\n');
			assert.equal(await read('also-ignored.txt'), 'mine, not in the way\n');
			assert.equal(await read('.gitignore'), 'ignored.txt\nalso-ignored.txt\n');
			await checkOut(place, chosen);
			assert.equal(await read('ignored.txt'), 'tracked by now\n');
			await inClone('switch', '-q', 'main');
			await inClone('stash', 'pop', '-q');
			assert.deepEqual(
				[await read('README.md'), await read('dir/new.txt'), await read('ignored.txt')],
				['mine\n', 'mine, untracked\n', 'mine, ignored\n'],
			);
		});

		it('stashes names that git could take for patterns or options as the files that they are', async () => {
			for (const name of ['*', '--all', ':(top)x', '[a]', 'with\nline']) {
				await write(name, 'mine\n');
			}
			await write('README.md', 'mine, not in the way\n');
			await stashFiles(place, ['*', '--all', ':(top)x', '[a]', 'with\nline'], '--index');
			assert.equal(await inClone('status', '--porcelain'), 'M README.md');
		});

		it('makes a worktree in a new folder, which git then knows as the place of the branch', async () => {
			const folder = path.join(source.folder, 'clone-errand-work');
			await write('README.md', 'mine\n');
			const chosen = await prepare();
			await addWorktree(place, chosen, folder);
			assert.equal(await readFile(path.join(folder, 'README.md'), 'utf8'), 'done\n');
			assert.equal(await read('README.md'), 'mine\n');
			assert.equal((await prepare()).local.worktree, folder);
			assert.equal(
				(await source.git('-C', folder, 'rev-parse', '--abbrev-ref', '@{upstream}')).trim(),
				'origin/errand/work',
			);
		});

		it('makes a worktree of a bare repository too', async () => {
			const bare = path.join(source.folder, 'bare.git');
			await source.git('clone', '-q', '--bare', source.path, bare);
			place = { ...place, directory: bare };
			const tip = await fetchTip(place, undefined, RESULT);
			const local = await readLocalBranch(place, RESULT.branch, tip);
			const folder = path.join(source.folder, 'of-bare');
			await addWorktree(place, { local, tip, follows: undefined }, folder);
			assert.equal(await readFile(path.join(folder, 'README.md'), 'utf8'), 'done\n');
		});

		it('leaves no branch and no folder behind where the worktree cannot be made', async () => {
			const folder = path.join(source.folder, 'there');
			await source.write('../there/file', 'there\n');
			const branches = await inClone('for-each-ref', 'refs/heads');
			await assert.rejects(async () => addWorktree(place, await prepare(), folder), /already exists/);
			assert.equal(await inClone('for-each-ref', 'refs/heads'), branches);
		});

		it('does not take a name that git could take for something else', async () => {
			for (const name of ['-d', '--detach', 'HEAD', '@', 'a..b', 'a b', 'x.lock', 'a~1', '@{-1}', '']) {
				assert.equal(await isUsableName(place, name), false, name);
			}
			for (const name of ['errand/work', 'grün', '#12', '50%', 'a$(b)', "it's", 'a;b']) {
				assert.equal(await isUsableName(place, name), true, name);
			}
		});
	});

	describe(`checking out the branch of a task in a hostile repository, with ${program.label},`, () => {
		const hostile = useHostileRepository(program);

		/** A branch with files that have filters, which is not checked out. */
		async function prepare() {
			const { repository } = hostile.trap;
			await repository.git('switch', '-q', '-c', RESULT.branch);
			await repository.write('README.md', 'done\n');
			const plain = await repository.commitAll('Plain');
			await hostile.fill();
			const filtered = await repository.commitAll('More');
			await repository.git('switch', '-q', 'main');
			await hostile.trap.plantSettings();
			await hostile.trap.plantHooks(path.join(repository.path, '.git', 'hooks'));
			await hostile.trap.sprung();
			return { plain, filtered };
		}
		const chosen = async (name: string, tip: string) => ({
			local: await readLocalBranch(hostile.place, name, tip),
			tip,
			follows: undefined,
		});

		it('runs nothing that the repository names', async () => {
			const { plain } = await prepare();
			await hostile.trap.repository.write('README.md', 'mine\n');
			await assert.rejects(async () => checkOut(hostile.place, await chosen('plain', plain)), FilesInTheWay);
			await stashFiles(hostile.place, ['README.md'], 'Before');
			await checkOut(hostile.place, await chosen('plain', plain));
			await addWorktree(hostile.place, await chosen('other', plain), path.join(hostile.trap.repository.folder, 'tree'));
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('refuses a branch whose files need a filter of the repository’s own, before anything is changed', async () => {
			const { filtered } = await prepare();
			const folder = path.join(hostile.trap.repository.folder, 'tree');
			await assert.rejects(async () => checkOut(hostile.place, await chosen('new', filtered)), FilterRefused);
			await assert.rejects(
				async () => addWorktree(hostile.place, await chosen('new', filtered), folder),
				FilterRefused,
			);
			assert.equal(await headBranch(hostile.place), 'main');
			assert.equal(await readFile(path.join(hostile.directory, 'README.md'), 'utf8'), '# Sample\n');
			assert.ok(!existsSync(folder));
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('runs no filter that only stages, where a file has to be compared', async () => {
			const { repository } = hostile.trap;
			await repository.write('.gitattributes', '*.txt filter=planted\n');
			await repository.write('a.txt', 'a\n');
			await repository.commitAll('Filtered');
			await repository.git('switch', '-q', '-c', 'other');
			await repository.write('README.md', 'other\n');
			const tip = await repository.commitAll('Other');
			await repository.git('switch', '-q', 'main');
			await repository.git('config', 'filter.planted.clean', hostile.trap.command('clean-only'));
			await repository.write('a.txt', 'b\n');
			await checkOut(hostile.place, await chosen('other', tip)).catch(() => {});
			await stashFiles(hostile.place, ['a.txt'], 'Before').catch(() => {});
			assert.deepEqual(await hostile.trap.sprung(), []);
		});
	});
}
