import assert from 'node:assert/strict';
import path from 'node:path';
import { findUnfinished, findWorktree } from '../../../src/base/gitWorktree.ts';
import { runGit } from '../../../src/platform/gitCommand.ts';
import { gitPrograms } from '../../support/gitPrograms.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

for (const program of gitPrograms()) {
	describe(`the folder that a branch is in use in, with ${program.label},`, () => {
		let repository: TemporaryRepository;
		let linked: string;

		beforeEach(async () => {
			repository = await TemporaryRepository.create();
			linked = path.join(repository.folder, 'linked');
			await repository.git('switch', '-q', '-c', 'work');
			await repository.write('README.md', 'work\n');
			await repository.commitAll('Work');
			await repository.git('switch', '-q', 'main');
			await repository.write('README.md', 'main\n');
			await repository.commitAll('Main');
		});
		afterEach(() => repository.remove());

		const git = (commandLine: readonly string[]) => runGit(program.path, repository.path, commandLine);
		const rebase = (folder: string, ...how: string[]) =>
			assert.rejects(repository.git('-C', folder, 'rebase', ...how, 'main', 'work'));

		it('is none where nothing has it checked out', async () => {
			assert.equal(await findWorktree(git, 'work'), undefined);
			assert.equal(await findWorktree(git, 'missing'), undefined);
		});

		it('is that of its worktree, and that of no branch whose name only begins like it', async () => {
			await repository.git('branch', 'folder/one');
			await repository.git('worktree', 'add', '-q', '-b', 'folder/two', linked, 'main');
			assert.equal(await findWorktree(git, 'folder/two'), linked);
			assert.equal(await findWorktree(git, 'folder'), undefined);
			assert.equal(await findWorktree(git, 'main'), repository.path);
		});

		it('is that of a rebase which waits for the user, of either kind, here or in another worktree', async () => {
			for (const how of ['--merge', '--apply']) {
				await rebase(repository.path, how);
				assert.equal(await findWorktree(git, 'work'), repository.path, how);
				assert.equal(await findUnfinished(git, 'work'), repository.path, how);
				assert.equal(await findUnfinished(git, 'main'), undefined, how);
				await repository.git('rebase', '--abort');
			}
			await repository.git('switch', '-q', 'main');
			await repository.git('worktree', 'add', '-q', '--detach', linked);
			await rebase(linked);
			assert.equal(await findWorktree(git, 'work'), linked);
		});

		it('is that of a bisection which began on it', async () => {
			await repository.git('switch', '-q', 'work');
			await repository.git('bisect', 'start', 'work', 'main~1');
			await repository.git('checkout', '-q', '--detach', 'main');
			assert.equal(await findWorktree(git, 'work'), repository.path);
		});
	});
}
