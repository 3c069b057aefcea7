import type { GitPlace } from '../../platform/git.ts';
import { runGit, runWorkTreeGit } from '../../platform/gitCommand.ts';
import { commitOf } from '../changes/taskBranch.ts';
import { inTheWay, refuseFilters } from './blockingFiles.ts';
import { followRemote, type LocalBranch, makeBranch, moveBranch } from './localBranch.ts';

/** The branch to check out. */
export interface CheckOut {
	local: LocalBranch;
	/** The commit that the task's branch has. */
	tip: string;
	/** The remote's branch that a new local branch follows; undefined where the branch is the repository's own. */
	follows: { remote: string; branch: string } | undefined;
}

/** These options switch without guessing a remote branch of that name, touching submodules or replacing ignored files. */
const SWITCH = ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', '--no-overwrite-ignore'];

/**
 * Checks a branch out. A new local branch is made for it where there is none, and one that is behind is fast-forwarded.
 * No hook runs. Rejects when git fails, and with FilesInTheWay or a FilterRefused, after which everything is as it was.
 */
export async function checkOut(place: GitPlace, { local, tip, follows }: CheckOut): Promise<void> {
	const { gitPath, directory } = place;
	const { name, commit } = local;
	const goal = commit === undefined || local.standing.kind === 'behind' ? tip : commit;
	await refuseFilters(place, await commitOf(place, 'HEAD'), goal);
	const isMoved = commit !== undefined && commit !== goal;
	if (isMoved) {
		await moveBranch(place, name, goal, commit);
	}
	const which = commit === undefined ? ['--no-track', '-c', name, tip] : [name];
	try {
		await runWorkTreeGit(gitPath, directory, [...SWITCH, ...which]);
	} catch (error) {
		if (isMoved) {
			await moveBranch(place, name, commit, goal);
		}
		throw inTheWay(error);
	}
	if (commit === undefined && follows) {
		await followRemote(place, name, follows.remote, follows.branch, tip);
	}
}

/**
 * Makes a worktree in a new folder and checks the branch out there. Rejects when git fails, and with a FilterRefused; the
 * folder is not there then, and neither is a new branch.
 */
export async function addWorktree(place: GitPlace, { local, tip, follows }: CheckOut, folder: string): Promise<void> {
	const { gitPath, directory } = place;
	const { name, commit } = local;
	const goal = commit === undefined || local.standing.kind === 'behind' ? tip : commit;
	await refuseFilters(place, undefined, goal);
	if (commit === undefined) {
		await makeBranch(place, name, tip);
	} else if (commit !== goal) {
		await moveBranch(place, name, goal, commit);
	}
	try {
		await runWorkTreeGit(gitPath, directory, ['worktree', 'add', '--quiet', '--', folder, name]);
	} catch (error) {
		if (commit === undefined) {
			await runGit(gitPath, directory, ['update-ref', '-d', '--', `refs/heads/${name}`, tip]);
		} else if (commit !== goal) {
			await moveBranch(place, name, commit, goal);
		}
		throw error;
	}
	if (commit === undefined && follows) {
		await followRemote(place, name, follows.remote, follows.branch, tip);
	}
}

/** Returns the name of the branch that is checked out, or undefined while HEAD is detached. */
export async function headBranch({ gitPath, directory }: GitPlace): Promise<string | undefined> {
	const name = await runGit(gitPath, directory, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => '');
	return name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length).replace(/\n$/, '') : undefined;
}
