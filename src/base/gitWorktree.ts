// Finds the folder in which a branch is in use, so that nothing moves or removes the branch under its files.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Runs a git command that only reads, in the repository. */
type Git = (commandLine: readonly string[]) => Promise<string>;

/**
 * Files in which git keeps what a rebase or a bisection will do to branches. HEAD is on none of these branches
 * meanwhile, so git does not list them as checked out.
 */
const UNFINISHED = ['rebase-merge/head-name', 'rebase-merge/update-refs', 'rebase-apply/head-name', 'BISECT_START'];

/**
 * Returns the folder in which a branch is checked out or is being rebased or bisected, among all worktrees of the
 * repository, whatever its configuration says about them. For a bare repository this is its own folder, if HEAD is on
 * the branch. Rejects if git fails.
 */
export async function findWorktree(git: Git, branch: string): Promise<string | undefined> {
	const reference = `refs/heads/${branch}`;
	const output = await git(['for-each-ref', '--format=%(refname) %(worktreepath)', '--', reference]);
	// git takes the name for a pattern, which also matches references below it.
	const line = output.split('\n').find(candidate => candidate.startsWith(`${reference} `));
	return line?.slice(reference.length + 1) || findUnfinished(git, branch);
}

/** Returns the folder in which a rebase or a bisection of a branch is under way. Rejects if git fails. */
export async function findUnfinished(git: Git, branch: string): Promise<string | undefined> {
	const common = (await git(['rev-parse', '--path-format=absolute', '--git-common-dir'])).replace(/\n$/, '');
	const linked = path.join(common, 'worktrees');
	const names = await readdir(linked).catch((): string[] => []);
	if (await isAtWork(common, branch)) {
		const [first = ''] = (await git(['worktree', 'list', '--porcelain'])).split('\n');
		return first.replace(/^worktree /, '');
	}
	for (const folder of names.map(name => path.join(linked, name))) {
		if (await isAtWork(folder, branch)) {
			return path.dirname((await readFile(path.join(folder, 'gitdir'), 'utf8')).trim());
		}
	}
	return undefined;
}

/** Returns whether one of git's own folders records a rebase or a bisection of a branch. */
async function isAtWork(folder: string, branch: string): Promise<boolean> {
	const texts = await Promise.all(
		UNFINISHED.map(name => readFile(path.join(folder, name), 'utf8').catch((): string => '')),
	);
	return texts.some(text => text.split('\n').some(line => line === branch || line === `refs/heads/${branch}`));
}
