import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { FilesInTheWay, FilterRefused } from '../../../../src/tasks/branches/blockingFiles.ts';
import { fastForwardFiles } from '../../../../src/tasks/branches/mergeBranch.ts';
import { gitPrograms } from '../../../support/gitPrograms.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

for (const program of gitPrograms()) {
	describe(`fast-forwarding a task’s branch, with ${program.label},`, () => {
		let repository: TemporaryRepository;
		let place: GitPlace;

		/** `work` is checked out in the repository, `done` is one commit on, with a changed and a new file. */
		beforeEach(async () => {
			repository = await TemporaryRepository.create();
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

		const status = () => repository.git('status', '--porcelain');
		const fastForward = async (branch: string) => fastForwardFiles(place, await repository.head(branch));

		it('moves the branch and its files where it is checked out', async () => {
			await fastForward('done');
			assert.equal(await repository.head('work'), await repository.head('done'));
			assert.equal(await readFile(path.join(repository.path, 'new.txt'), 'utf8'), 'new\n');
			assert.equal(await status(), '');
		});

		it('moves branch and files alike, whatever the repository’s configuration says of merges', async () => {
			await repository.git('config', 'branch.work.mergeOptions', '--squash');
			await repository.git('config', 'merge.ff', 'false');
			await fastForward('done');
			assert.equal(await repository.head('work'), await repository.head('done'));
			assert.equal(await status(), '');
		});

		it('refuses where the user has changed a file, also where git is set to stash that away', async () => {
			await repository.git('config', 'merge.autoStash', 'true');
			await repository.write('README.md', 'mine\n');
			const before = await repository.head('work');
			await assert.rejects(fastForward('done'));
			assert.equal(await readFile(path.join(repository.path, 'README.md'), 'utf8'), 'mine\n');
			assert.equal(await repository.head('work'), before);
		});

		it('runs no hook and no filter of the repository, and changes nothing where a file needs one', async () => {
			const proof = path.join(repository.folder, 'ran');
			const hook = path.join(repository.path, '.git', 'hooks', 'post-merge');
			await writeFile(hook, `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
			await fastForward('done');
			await repository.git('config', 'filter.planted.smudge', `touch '${proof}'; cat`);
			await repository.git('checkout', '--quiet', '-b', 'filtered');
			await repository.write('.gitattributes', 'a.txt filter=planted\n');
			await repository.write('a.txt', 'a\n');
			await repository.commitAll('Needs a filter');
			await repository.git('checkout', '--quiet', 'work');
			await assert.rejects(fastForward('filtered'), FilterRefused);
			assert.equal(await status(), '');
			assert.ok(!(await readdir(repository.folder)).includes('ran'));
		});

		for (const [what, file] of [
			['has changed', 'README.md'],
			['has added', 'new.txt'],
			['has, and git ignores', 'ignored.txt'],
		] as const) {
			it(`refuses where it would overwrite a file that the user ${what}`, async () => {
				await repository.write(file, 'mine\n');
				const before = [await repository.head('work'), await status()];
				await assert.rejects(fastForward('done'), new FilesInTheWay([file]));
				assert.deepEqual([await repository.head('work'), await status()], before);
				assert.equal(await readFile(path.join(repository.path, file), 'utf8'), 'mine\n');
			});
		}

		it('keeps what the user has changed elsewhere', async () => {
			await repository.write('.gitignore', 'ignored.txt\nmine\n');
			await writeFile(path.join(repository.path, 'own.txt'), 'own\n');
			await fastForward('done');
			assert.equal(await status(), ' M .gitignore\n?? own.txt\n');
		});
	});
}
