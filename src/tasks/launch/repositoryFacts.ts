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

/** How many commits `to` has that `from` has not; undefined when git cannot tell. */
export async function countCommits(
	gitPath: string,
	directory: string,
	from: string,
	to: string,
): Promise<number | undefined> {
	try {
		const count = Number(await runGit(gitPath, directory, ['rev-list', '--count', `${from}..${to}`, '--']));
		return Number.isSafeInteger(count) ? count : undefined;
	} catch {
		return undefined;
	}
}
