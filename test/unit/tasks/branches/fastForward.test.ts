import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { FilesInTheWay, FilterRefused } from '../../../../src/tasks/branches/blockingFiles.ts';
import { fastForward, isBehind, worktreeOf } from '../../../../src/tasks/branches/fastForward.ts';
import { gitPrograms } from '../../../support/gitPrograms.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

for (const program of gitPrograms()) {
	describe(`fast-forwarding a task’s branch, with ${program.label},`, () => {
		let repository: TemporaryRepository;
		let place: GitPlace;
		let linked: string;

		/** `work` is checked out in the repository, `done` is one commit on, with a changed and a new file. */
		beforeEach(async () => {
			repository = await TemporaryRepository.create();
			linked = path.join(repository.folder, 'linked');
			await repository.write('.gitignore', 'ignored.txt\n');
			await repository.commitAll('Ignore');
			await repository.git('checkout', '--quiet', '-b', 'done');
			await repository.write('README.md', 'done\n');
			await repository.write('new.txt', 'new\n');
			await repository.write('ignored.txt', 'tracked by now\n');
			await repository.git('add', '--force', '--all');
			await repository.commitAll('Done');
			await repository.git('checkout', '--quiet', '-b', 'work', 'main');
			place = { gitPath: program.path, directory: repository.path, credentials: {} };
		});
		afterEach(() => repository.remove());

		const status = (folder = repository.path) => repository.git('-C', folder, 'status', '--porcelain');

		it('moves the branch and its files where it is checked out, here or in a linked worktree', async () => {
			await fastForward(place, 'work', 'done');
			assert.equal(await repository.head('work'), await repository.head('done'));
			assert.equal(await readFile(path.join(repository.path, 'new.txt'), 'utf8'), 'new\n');
			assert.equal(await status(), '');

			await repository.git('worktree', 'add', '--quiet', '-b', 'other', linked, 'main');
			assert.equal(await worktreeOf(program.path, repository.path, 'other'), linked);
			await fastForward(place, 'other', 'done');
			assert.equal(await repository.head('other'), await repository.head('done'));
			assert.equal(await readFile(path.join(linked, 'new.txt'), 'utf8'), 'new\n');
			assert.equal(await status(linked), '');
		});

		it('moves branch and files alike, whatever the repository’s configuration says of merges', async () => {
			await repository.git('config', 'branch.work.mergeOptions', '--squash');
			await repository.git('config', 'merge.ff', 'false');
			await fastForward(place, 'work', 'done');
			assert.equal(await repository.head('work'), await repository.head('done'));
			assert.equal(await status(), '');
		});

		it('refuses where the user has changed a file, also where git is set to stash that away', async () => {
			await repository.git('config', 'merge.autoStash', 'true');
			await repository.write('README.md', 'mine\n');
			const before = await repository.head('work');
			await assert.rejects(fastForward(place, 'work', 'done'));
			assert.equal(await readFile(path.join(repository.path, 'README.md'), 'utf8'), 'mine\n');
			assert.equal(await repository.head('work'), before);
		});

		it('runs no hook and no filter of the repository, and changes nothing where a file needs one', async () => {
			const proof = path.join(repository.folder, 'ran');
			const hook = path.join(repository.path, '.git', 'hooks', 'post-merge');
			await writeFile(hook, `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
			await fastForward(place, 'work', 'done');
			await repository.git('config', 'filter.planted.smudge', `touch '${proof}'; cat`);
			await repository.git('checkout', '--quiet', '-b', 'filtered');
			await repository.write('.gitattributes', 'a.txt filter=planted\n');
			await repository.write('a.txt', 'a\n');
			await repository.commitAll('Needs a filter');
			await repository.git('checkout', '--quiet', 'work');
			await assert.rejects(fastForward(place, 'work', 'filtered'), FilterRefused);
			assert.equal(await status(), '');
			assert.ok(!(await readdir(repository.folder)).includes('ran'));
		});

		it('moves a branch whose worktree was deleted, as no file is left of it', async () => {
			await repository.git('worktree', 'add', '--quiet', '-b', 'other', linked, 'main');
			await rm(linked, { recursive: true });
			await fastForward(place, 'other', 'done');
			assert.equal(await repository.head('other'), await repository.head('done'));
		});

		it('moves the branch of a bare repository, which has no files', async () => {
			const bare = path.join(repository.folder, 'bare.git');
			await repository.git('clone', '--quiet', '--bare', repository.path, bare);
			await fastForward({ ...place, directory: bare }, 'work', 'done');
			assert.equal(await repository.git('-C', bare, 'rev-parse', 'work'), await repository.git('rev-parse', 'done'));
		});

		it('moves a branch that is not checked out, and no file with it', async () => {
			await repository.git('checkout', '--quiet', 'main');
			assert.equal(await worktreeOf(program.path, repository.path, 'work'), undefined);
			await fastForward(place, 'work', 'done');
			assert.equal(await repository.head('work'), await repository.head('done'));
			assert.equal(await status(), '');
			assert.ok(!(await readdir(repository.path)).includes('new.txt'));
		});

		for (const [what, file] of [
			['has changed', 'README.md'],
			['has added', 'new.txt'],
			['has, and git ignores', 'ignored.txt'],
		] as const) {
			it(`refuses where it would overwrite a file that the user ${what}`, async () => {
				await repository.write(file, 'mine\n');
				const before = [await repository.head('work'), await status()];
				await assert.rejects(fastForward(place, 'work', 'done'), new FilesInTheWay([file]));
				assert.deepEqual([await repository.head('work'), await status()], before);
				assert.equal(await readFile(path.join(repository.path, file), 'utf8'), 'mine\n');
			});
		}

		it('keeps what the user has changed elsewhere', async () => {
			await repository.write('.gitignore', 'ignored.txt\nmine\n');
			await writeFile(path.join(repository.path, 'own.txt'), 'own\n');
			await fastForward(place, 'work', 'done');
			assert.equal(await status(), ' M .gitignore\n?? own.txt\n');
		});

		it('refuses where the branch has gone on by itself, and where there is nothing to do', async () => {
			await repository.git('commit', '--quiet', '--allow-empty', '-m', 'Mine');
			const mine = await repository.head('work');
			assert.equal(await isBehind(program.path, repository.path, 'work', 'done'), false);
			await assert.rejects(fastForward(place, 'work', 'done'), /not behind/);
			await assert.rejects(fastForward(place, 'work', 'work'), /not behind/);
			await assert.rejects(fastForward(place, 'work', 'gone'), /not behind/);
			assert.equal(await repository.head('work'), mine);
		});
	});
}
