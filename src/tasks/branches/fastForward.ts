import { stat } from 'node:fs/promises';
import { findWorktree } from '../../base/gitWorktree.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { countCommits } from '../launch/repositoryFacts.ts';
import { commitOf } from '../results/taskBranch.ts';
import { headBranch } from './checkOut.ts';
import { moveBranch } from './localBranch.ts';
import { fastForwardFiles } from './mergeBranch.ts';

/** Returns the folder among the repository's worktrees in which a branch is checked out. Rejects when git fails. */
export function worktreeOf(gitPath: string, directory: string, branch: string): Promise<string | undefined> {
	return findWorktree(commandLine => runGit(gitPath, directory, commandLine), branch);
}

/** Returns whether `to` has all commits of `branch`, and more. */
export async function isBehind(gitPath: string, directory: string, branch: string, to: string): Promise<boolean> {
	const counts = await countCommits(gitPath, directory, referenceOf(branch), referenceOf(to));
	return counts !== undefined && counts.ahead === 0 && counts.behind > 0;
}

/**
 * Fast-forwards a branch to another one. If the branch is checked out, its files are updated without hooks and without
 * filters from the repository's own configuration, and no file that the user has changed, added or ignores is
 * overwritten. Rejects with FilesInTheWay or a FilterRefused, and when git fails; then nothing has changed.
 */
export async function fastForward(place: GitPlace, branch: string, to: string): Promise<void> {
	const { gitPath, directory } = place;
	const [from, next] = await Promise.all([branch, to].map(name => commitOf(place, referenceOf(name))));
	if (from === undefined || next === undefined || !(await isBehind(gitPath, directory, branch, to))) {
		throw new Error(`${branch} is not behind ${to}.`);
	}
	const worktree = await worktreeOf(gitPath, directory, branch);
	if (worktree === undefined || !(await hasFiles(gitPath, worktree))) {
		await moveBranch(place, branch, next, from);
		return;
	}
	const there = { ...place, directory: worktree };
	// A merge would move the branch that is checked out in that folder by now, whichever it is.
	if ((await headBranch(there)) !== branch) {
		throw new Error(`${worktree} is not on ${branch} any more.`);
	}
	await fastForwardFiles(there, next);
}

/** Returns whether a folder has the files of its branch. A deleted folder or a bare repository has none. */
async function hasFiles(gitPath: string, worktree: string): Promise<boolean> {
	const isThere = await stat(worktree).then(
		() => true,
		(error: NodeJS.ErrnoException) => {
			if (error.code === 'ENOENT') {
				return false;
			}
			throw error;
		},
	);
	return isThere && (await runGit(gitPath, worktree, ['rev-parse', '--is-bare-repository'])).trim() !== 'true';
}

const referenceOf = (branch: string): string => `refs/heads/${branch}`;
