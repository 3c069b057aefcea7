import type { GitPlace } from '../../platform/git.ts';
import { runGit, runWorkTreeGit } from '../../platform/gitCommand.ts';
import { commitOf } from '../results/taskBranch.ts';
import { inTheWay, refuseFilters } from './blockingFiles.ts';
import { followRemote, type LocalBranch, moveBranch } from './localBranch.ts';

/** The branch to check out. */
export interface CheckOut {
	local: LocalBranch;
	/** The commit of the task's branch. */
	tip: string;
	/** The remote's branch that a new local branch follows; undefined if the branch is the repository's own. */
	follows: { remote: string; branch: string } | undefined;
}

/**
 * These options switch without guessing a remote branch of that name, touching submodules or replacing ignored files.
 */
const SWITCH = ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', '--no-overwrite-ignore'];

/**
 * Checks a branch out. Makes a local branch for it if there is none, and fast-forwards one that is behind. No hook
 * runs. Rejects when git fails, and with FilesInTheWay or a FilterRefused; then nothing has changed.
 */
export async function checkOut(place: GitPlace, chosen: CheckOut): Promise<void> {
	await withBranch(place, chosen, await commitOf(place, 'HEAD'), [...SWITCH, chosen.local.name]);
}

/**
 * Makes a worktree in a new folder and checks the branch out there. Rejects when git fails, and with a FilterRefused;
 * then neither the folder nor a new branch remains.
 */
export async function addWorktree(place: GitPlace, chosen: CheckOut, folder: string): Promise<void> {
	await withBranch(place, chosen, undefined, ['worktree', 'add', '--quiet', '--', folder, chosen.local.name]);
}

/**
 * Makes a worktree in a new folder and checks a commit out there, without a branch. Rejects when git fails, and with a
 * FilterRefused; then the folder does not remain.
 */
export async function addDetachedWorktree(place: GitPlace, commit: string, folder: string): Promise<void> {
	await refuseFilters(place, undefined, commit);
	await runWorkTreeGit(place.gitPath, place.directory, [
		'worktree',
		'add',
		'--quiet',
		'--detach',
		'--',
		folder,
		commit,
	]);
}

/**
 * Makes or moves the local branch and runs a git command that checks it out. `from` is the commit whose files are
 * checked out, if any. On failure, restores the branch.
 */
async function withBranch(
	place: GitPlace,
	{ local: { name, commit, standing }, tip, follows }: CheckOut,
	from: string | undefined,
	commandLine: readonly string[],
): Promise<void> {
	const goal = commit === undefined || standing.kind === 'behind' ? tip : commit;
	await refuseFilters(place, from, goal);
	if (commit !== goal) {
		await moveBranch(place, name, goal, commit);
	}
	try {
		await runWorkTreeGit(place.gitPath, place.directory, commandLine);
	} catch (error) {
		if (commit !== goal) {
			await moveBranch(place, name, commit, goal);
		}
		throw inTheWay(error);
	}
	if (commit === undefined && follows) {
		await followRemote(place, name, follows.remote, follows.branch, tip);
	}
}

/** Returns the name of the branch that is checked out, or undefined if HEAD is detached. */
export async function headBranch({ gitPath, directory }: GitPlace): Promise<string | undefined> {
	const name = await runGit(gitPath, directory, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => '');
	return name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length).replace(/\n$/, '') : undefined;
}
