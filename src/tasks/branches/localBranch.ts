// The local branch that corresponds to the branch of a task.

import { realpath } from 'node:fs/promises';
import { findWorktree } from '../../base/gitWorktree.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { countCommits, readBranchCommit } from '../launch/repositoryFacts.ts';

/** The relation of a branch to a commit. */
export type Standing =
	| { kind: 'missing' }
	| { kind: 'same' }
	/** The commit has this many commits more. */
	| { kind: 'behind'; commits: number }
	/** The branch has this many commits more. */
	| { kind: 'ahead'; commits: number }
	/** Each has commits that the other lacks. */
	| { kind: 'diverged'; ahead: number; behind: number };

/** A local branch, compared with the commit of the task's branch. */
export interface LocalBranch {
	name: string;
	/** Undefined if there is no such branch. */
	commit: string | undefined;
	standing: Standing;
	/** The folder in which it is checked out. */
	worktree: string | undefined;
}

/** Returns whether a name can be passed to git commands that take branches: it is valid and not an option. */
export async function isUsableName({ gitPath, directory }: GitPlace, name: string): Promise<boolean> {
	if (name.startsWith('-') || name === 'HEAD' || name === '@') {
		return false;
	}
	return runGit(gitPath, directory, ['check-ref-format', `refs/heads/${name}`]).then(
		() => true,
		() => false,
	);
}

/** Reads the relation of a local branch to a commit. Rejects when git fails. */
export async function readLocalBranch(place: GitPlace, name: string, tip: string): Promise<LocalBranch> {
	const { gitPath, directory } = place;
	const commit = await readBranchCommit(gitPath, directory, { name, remote: undefined });
	return {
		name,
		commit,
		standing: await standingOf(place, commit, tip),
		worktree: await findWorktree(commandLine => runGit(gitPath, directory, commandLine), name),
	};
}

/** Compares a commit, if there is one, with another one that the repository has. Rejects when git cannot tell. */
export async function standingOf(
	{ gitPath, directory }: GitPlace,
	commit: string | undefined,
	tip: string,
): Promise<Standing> {
	if (commit === undefined) {
		return { kind: 'missing' };
	}
	if (commit === tip) {
		return { kind: 'same' };
	}
	const counts = await countCommits(gitPath, directory, commit, tip);
	if (!counts) {
		throw new Error(`git cannot compare ${commit} with ${tip}`);
	}
	const { ahead, behind } = counts;
	if (ahead > 0 && behind > 0) {
		return { kind: 'diverged', ahead, behind };
	}
	return ahead > 0 ? { kind: 'ahead', commits: ahead } : { kind: 'behind', commits: behind };
}

/** Returns whether two paths lead to the same folder, even through a link. */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
	const [first, second] = await Promise.all([one, other].map(folder => realpath(folder).catch(() => folder)));
	return first === second;
}

/**
 * Moves a branch that is not checked out anywhere, if it is still at `from`. If `from` is undefined, the branch is
 * created without an upstream; if `to` is undefined, it is deleted. Rejects if the branch is not at `from`.
 */
export async function moveBranch(
	{ gitPath, directory }: GitPlace,
	name: string,
	to: string | undefined,
	from: string | undefined,
): Promise<void> {
	const none = '0'.repeat((to ?? from ?? '').length);
	const change = ['--', `refs/heads/${name}`, to ?? none, from ?? none];
	await runGit(gitPath, directory, ['update-ref', '-m', 'moved by Errand', ...change]);
}

/**
 * Makes a local branch follow the branch of that name on a remote, which is at the commit `tip`, as after a fetch.
 * Rejects when git fails.
 */
export async function followRemote(
	{ gitPath, directory }: GitPlace,
	local: string,
	remote: string,
	branch: string,
	tip: string,
): Promise<void> {
	await runGit(gitPath, directory, ['config', `branch.${local}.remote`, remote]);
	await runGit(gitPath, directory, ['config', `branch.${local}.merge`, `refs/heads/${branch}`]);
	const ask = ['for-each-ref', '--format=%(upstream)', '--', `refs/heads/${local}`];
	const upstream = (await runGit(gitPath, directory, ask)).trim();
	// Without this reference, git would call the remote's branch gone until the next fetch.
	if (upstream.startsWith(`refs/remotes/${remote}/`)) {
		await runGit(gitPath, directory, ['update-ref', '-m', 'fetched by Errand', '--', upstream, tip]);
	}
}
