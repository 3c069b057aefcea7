import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGit } from '../../platform/gitCommand.ts';
import { BRANCH_FORMAT, type Branch, readBranches, refName } from './model/branches.ts';
import { readRemoteUrl } from './model/cloneUrl.ts';

/** The branches of a repository and those that it knows of its remotes. Rejects when git fails. */
export async function listBranches(gitPath: string, directory: string, remotes: readonly string[]): Promise<Branch[]> {
	const format = `--format=${BRANCH_FORMAT}`;
	return readBranches(
		await runGit(gitPath, directory, ['for-each-ref', format, 'refs/heads', 'refs/remotes']),
		remotes,
	);
}

/** The commit of a branch; undefined where there is no such branch, or no repository. */
export async function readBranchCommit(
	gitPath: string,
	directory: string,
	branch: Pick<Branch, 'name' | 'remote'>,
	stopAt?: string,
): Promise<string | undefined> {
	const reference = refName(branch);
	try {
		const output = await runGit(
			gitPath,
			directory,
			['for-each-ref', '--format=%(refname)%00%(objectname)', '--', reference],
			stopAt,
		);
		// A pattern also matches what lies below it: the line has to name the branch itself.
		const line = output.split('\n').find(candidate => candidate.startsWith(`${reference}\0`));
		return line?.slice(reference.length + 1);
	} catch {
		return undefined;
	}
}

/** The directory that a remote's URL names, if it is one on this machine. */
export async function remoteDirectory(remoteUrl: string, repositoryPath: string): Promise<string | undefined> {
	const place = readRemoteUrl(remoteUrl);
	if (place.kind !== 'directory') {
		return undefined;
	}
	try {
		const directory = /^file:/i.test(place.path) ? fileURLToPath(place.path) : path.resolve(repositoryPath, place.path);
		return (await stat(directory)).isDirectory() ? directory : undefined;
	} catch {
		return undefined;
	}
}

/** How many commits only `here` has, and only `there`; undefined when git cannot tell. */
export async function countCommits(
	gitPath: string,
	directory: string,
	here: string,
	there: string,
): Promise<{ ahead: number; behind: number } | undefined> {
	try {
		const range = `${here}...${there}`;
		const output = await runGit(gitPath, directory, ['rev-list', '--left-right', '--count', range, '--']);
		const [ahead = Number.NaN, behind = Number.NaN] = output.trim().split('\t').map(Number);
		return Number.isSafeInteger(ahead) && Number.isSafeInteger(behind) ? { ahead, behind } : undefined;
	} catch {
		return undefined;
	}
}

const CONFLICT = /^(?:DD|AU|UD|UA|DU|AA|UU)$/;

/** The paths that differ from HEAD or are untracked, sorted, and whether a merge has left conflicts. Rejects when git fails. */
export async function listChanges(
	gitPath: string,
	directory: string,
): Promise<{ files: string[]; hasConflicts: boolean }> {
	const options = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
	const output = await runGit(gitPath, directory, ['status', ...options]);
	const entries = output.split('\0').filter(entry => entry !== '');
	return {
		files: entries.map(entry => entry.slice(3)).sort(),
		hasConflicts: entries.some(entry => CONFLICT.test(entry.slice(0, 2))),
	};
}

/** Whether the directory is the top of a worktree beside the main one, or of a submodule. */
export async function readRepositoryKind(
	gitPath: string,
	directory: string,
): Promise<'plain' | 'worktree' | 'submodule'> {
	const ask = (...question: string[]) => runGit(gitPath, directory, ['rev-parse', ...question]).catch(() => '');
	const [superproject, own, common] = await Promise.all([
		ask('--show-superproject-working-tree'),
		ask('--absolute-git-dir'),
		ask('--path-format=absolute', '--git-common-dir'),
	]);
	if (superproject.trim() !== '') {
		return 'submodule';
	}
	return own !== '' && common !== '' && own !== common ? 'worktree' : 'plain';
}
