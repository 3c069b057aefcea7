import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { waitFor } from '../../../support/waitFor.ts';
import { useTaskRunner } from './useTaskRunner.ts';

describe('a follow-up', () => {
	const local = useTaskRunner();
	const { shell, runnerOf, task, final, logOf, completed } = local;

	describe('a follow-up', () => {
		const followUp = { prompt: 'And more', agent: 'shell', model: 'none' };

		it('goes on with the branch and the log; the statistics are of the whole branch', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task('Begin'), [shell('echo 1 > one.txt')]).id);
			const before = logOf(first);
			const tip = await local.repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('cat >> one.txt; echo 2 > two.txt'));
			assert.equal(local.store.get(first.id)?.status, 'pending');
			const second = await completed(first.id);
			assert.equal(second.branchName, first.branchName);
			assert.equal(await local.repository.head(`${second.branchName}^`), tip);
			assert.equal(await local.repository.git('cat-file', 'blob', `${second.branchName}:one.txt`), '1\nAnd more');
			assert.equal((await local.repository.git('log', '-1', '--format=%s', second.branchName)).trim(), 'And more');
			assert.deepEqual([second.linesAdded, second.linesRemoved, second.filesChanged], [3, 0, 2]);
			const log = logOf(second);
			assert.deepEqual(log.slice(0, before.length), before);
			assert.equal(log[before.length], 'Asked to go on: And more');
			assert.match(log[before.length + 1] ?? '', /^Cloning errand\/begin-/);
		});

		it('keeps the branch and its statistics when the agent fails, and can be asked again', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await local.repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt; exit 3'));
			const failed = await final(first.id);
			assert.equal(failed.status, 'error');
			assert.match(failed.error ?? '', /exit code 3.*The branch is as it was/);
			assert.equal(failed.branchName, first.branchName);
			assert.equal(failed.filesChanged, 1);
			assert.equal(await local.repository.head(first.branchName), tip);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			assert.equal((await completed(first.id)).filesChanged, 2);
		});

		it('that changes nothing leaves the branch and its statistics', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await local.repository.head(first.branchName);
			runner.continue(first.id, followUp, shell('true'));
			const second = await completed(first.id);
			assert.match(logOf(second).at(-1) ?? '', /there is no new commit/);
			assert.equal(second.filesChanged, 1);
			assert.equal(await local.repository.head(first.branchName), tip);
		});

		it('takes up what the user has added to the branch, and never overwrites what they add meanwhile', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await local.repository.git('checkout', '--quiet', first.branchName);
			await local.repository.write('mine.txt', 'mine\n');
			await local.repository.commitAll('Mine');
			await local.repository.git('checkout', '--quiet', 'main');
			runner.continue(first.id, followUp, shell('cat mine.txt; echo 2 > two.txt'));
			const second = await completed(first.id);
			assert.equal(second.filesChanged, 3);

			const gate = path.join(local.folder, 'gate');
			runner.continue(first.id, followUp, shell(`echo 3 > three.txt; while [ ! -e ${gate} ]; do sleep 0.02; done`));
			await waitFor('the agent', () => local.store.get(first.id)?.progress === 20);
			await local.repository.git('update-ref', `refs/heads/${first.branchName}`, 'main');
			await local.repository.git('update-ref', 'refs/heads/gone', 'main');
			await writeFile(gate, '');
			const third = await final(first.id);
			assert.equal(third.status, 'error');
			assert.match(third.error ?? '', /moved by somebody else meanwhile/);
			assert.equal(await local.repository.head(first.branchName), await local.repository.head('main'));
		});

		it('counts from itself on where the user has rewritten the branch, and says so', async () => {
			const runner = runnerOf();
			await local.repository.write('more.txt', 'more\n');
			await local.repository.commitAll('More');
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await local.repository.git('update-ref', `refs/heads/${first.branchName}`, 'main^');
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			const second = await completed(first.id);
			assert.equal(second.filesChanged, 1);
			assert.ok(logOf(second).some(message => /count from this follow-up on/.test(message)));
		});

		it('says before an agent works that the branch is checked out, or is gone', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			await local.repository.git('checkout', '--quiet', first.branchName);
			runner.continue(first.id, followUp, shell('echo worked'));
			const held = await final(first.id);
			assert.match(held.error ?? '', /is checked out in .* Switch to another branch/);
			assert.ok(!logOf(held).includes('worked'));
			await local.repository.git('checkout', '--quiet', 'main');
			await local.repository.git('branch', '-D', first.branchName);
			runner.continue(first.id, followUp, shell('echo worked'));
			const gone = await final(first.id);
			assert.match(gone.error ?? '', /is no longer in .* Start a new task/);
			assert.ok(!logOf(gone).includes('worked'));
		});

		it('is not lost to a linked worktree that has the branch: git refuses, and that is said', async () => {
			const runner = runnerOf();
			const first = await completed(runner.create(task(), [shell('echo 1 > one.txt')]).id);
			const tip = await local.repository.head(first.branchName);
			await local.repository.git(
				'worktree',
				'add',
				'--quiet',
				path.join(local.repository.folder, 'linked'),
				first.branchName,
			);
			runner.continue(first.id, followUp, shell('echo 2 > two.txt'));
			const held = await final(first.id);
			assert.match(held.error ?? '', /is checked out in/);
			assert.equal(await local.repository.head(first.branchName), tip);
		});
	});

	describe('a follow-up to a branch that is checked out while its agent works', () => {
		const followUp = { prompt: 'And more', agent: 'shell', model: 'none' };

		/** Goes on with a task; `meanwhile` happens while the agent works. */
		async function goOn(meanwhile: (branch: string) => Promise<unknown>) {
			const runner = runnerOf();
			const first = await completed(runner.create(task('Begin'), [shell('echo 1 > one.txt')]).id);
			const gate = path.join(local.folder, 'gate');
			runner.continue(first.id, followUp, shell(`echo 2 > two.txt; while [ ! -e ${gate} ]; do sleep 0.02; done`));
			await waitFor('the agent', () => local.store.get(first.id)?.progress === 20);
			const tip = await local.repository.head(first.branchName);
			await meanwhile(first.branchName);
			await writeFile(gate, '');
			return { first, tip, second: await completed(first.id) };
		}

		/** Another branch has the work, and the log says so. */
		async function assertElsewhere({ first, tip, second }: Awaited<ReturnType<typeof goOn>>): Promise<void> {
			assert.equal(await local.repository.head(first.branchName), tip, 'the branch was moved');
			assert.equal(second.branchName, `${first.branchName}-2`);
			assert.equal(await local.repository.head(`${second.branchName}^`), tip);
			assert.equal(await local.repository.git('show', `${second.branchName}:two.txt`), '2\n');
			assert.equal(second.filesChanged, 2);
			const log = logOf(second);
			assert.ok(log.some(message => message.includes(`${first.branchName} has been checked out meanwhile`)));
			assert.match(log.at(-1) ?? '', new RegExp(`^The branch ${second.branchName} is in `));
		}

		const linked = () => path.join(local.repository.folder, 'linked');
		const places: Record<string, (branch: string) => Promise<string>> = {
			'the repository itself': async branch => {
				await local.repository.git('checkout', '--quiet', branch);
				return local.repository.path;
			},
			'a linked worktree': async branch => {
				await local.repository.git('worktree', 'add', '--quiet', linked(), branch);
				return linked();
			},
		};
		for (const [where, checkOut] of Object.entries(places)) {
			for (const value of ['updateInstead', 'ignore', 'warn', 'false']) {
				it(`is made on a new branch: in ${where}, where receive.denyCurrentBranch is ${value}`, async () => {
					await local.repository.git('config', 'receive.denyCurrentBranch', value);
					let place = '';
					const outcome = await goOn(async branch => {
						place = await checkOut(branch);
						await writeFile(path.join(place, 'mine.txt'), 'mine\n');
					});
					await assertElsewhere(outcome);
					assert.equal(await local.repository.git('-C', place, 'status', '--porcelain'), '?? mine.txt\n');
					assert.ok(!(await readdir(place)).includes('two.txt'));
				});
			}
		}

		it('is made on a new branch where a worktree’s own configuration says otherwise', async () => {
			await local.repository.git('config', 'extensions.worktreeConfig', 'true');
			const outcome = await goOn(async branch => {
				await local.repository.git('checkout', '--quiet', branch);
				await local.repository.git('config', '--worktree', 'receive.denyCurrentBranch', 'updateInstead');
			});
			await assertElsewhere(outcome);
			assert.equal(await local.repository.git('status', '--porcelain'), '');
		});

		it('is made on a new branch where the repository says of itself that it has no files', async () => {
			const outcome = await goOn(async branch => {
				await local.repository.git('checkout', '--quiet', branch);
				await local.repository.git('config', 'core.bare', 'true');
			});
			await assertElsewhere(outcome);
			await local.repository.git('config', 'core.bare', 'false');
			assert.equal(await local.repository.git('status', '--porcelain'), '');
		});

		it('is made on a new branch while the branch is being rebased', async () => {
			const outcome = await goOn(async branch => {
				await local.repository.git('checkout', '--quiet', branch);
				await local.repository.git('rebase', '--quiet', '--force-rebase', '--exec', 'false', 'main').catch(() => {});
			});
			await assertElsewhere(outcome);
		});

		it('goes on with the new branch the next time', async () => {
			const { first, second } = await goOn(branch => local.repository.git('checkout', '--quiet', branch));
			const runner = runnerOf();
			runner.continue(first.id, followUp, shell('echo 3 > three.txt'));
			const third = await completed(first.id);
			assert.equal(third.branchName, second.branchName);
			assert.equal(third.filesChanged, 3);
		});
	});
});
