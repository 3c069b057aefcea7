import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fastForward, findWorktree, isBehind } from '../../../src/tasks/fastForward.ts';
import type { GitPlace } from '../../../src/tasks/launch/scratchCommit.ts';
import { gitPrograms } from '../../support/gitPrograms.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

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
			assert.equal(await findWorktree(program.path, repository.path, 'other'), linked);
			await fastForward(place, 'other', 'done');
			assert.equal(await repository.head('other'), await repository.head('done'));
			assert.equal(await readFile(path.join(linked, 'new.txt'), 'utf8'), 'new\n');
			assert.equal(await status(linked), '');
		});

		it('moves a branch that is not checked out, and no file with it', async () => {
			await repository.git('checkout', '--quiet', 'main');
			assert.equal(await findWorktree(program.path, repository.path, 'work'), undefined);
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
				await assert.rejects(fastForward(place, 'work', 'done'), /would be overwritten/);
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
