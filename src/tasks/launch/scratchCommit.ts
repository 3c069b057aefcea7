import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runGit, runGitWithIndex, runRemoteGit } from '../../platform/gitCommand.ts';

/** How git is run in one repository. */
export interface GitPlace {
	gitPath: string;
	/** The repository's top folder. */
	directory: string;
	/** The environment by which the editor answers for credentials. */
	credentials: Readonly<Record<string, string | undefined>>;
}

/** A branch that holds what a task starts from and nothing else needs. */
export interface ScratchBranch {
	name: string;
	commit: string;
	/** Undefined for a branch of the working repository itself. */
	remote: string | undefined;
}

const PREFIX = 'errand-scratch-';
/** No reference may be there before: whatever it is, it is not ours. */
const NOTHING = '';

/**
 * Commits what is changed and untracked in the working tree on top of `parent`, without a branch. Working tree, index,
 * HEAD and stash stay as they are: all happens in an index of its own. Rejects when git fails.
 */
export async function commitChanges(
	{ gitPath, directory }: GitPlace,
	parent: string,
	message: string,
): Promise<string> {
	const scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-index-'));
	try {
		const index = path.join(scratch, 'index');
		const own = (await runGit(gitPath, directory, ['rev-parse', '--git-path', 'index'])).replace(/\n$/, '');
		// A copy knows which files are unchanged; without one git reads them all.
		await copyFile(path.resolve(directory, own), index).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'ENOENT') {
				throw error;
			}
		});
		const git = (...commandLine: string[]) => runGitWithIndex(gitPath, directory, index, commandLine);
		const untracked = await git('ls-files', '-z', '--others', '--exclude-standard', '--', ':/');
		// A repository inside this one would become a link to a commit that nobody else has.
		const nested = untracked.split('\0').filter(name => name.endsWith('/'));
		const exclusions = nested.map(name => `:(top,exclude,literal)${name.slice(0, -1)}`);
		// Line ends are made as they are for any commit, but without the questions that only a person can answer.
		await git('-c', 'core.safecrlf=false', 'add', '--all', '--sparse', '--', ':/', ...exclusions);
		const tree = (await git('write-tree')).trim();
		return (await git('commit-tree', '--no-gpg-sign', '-p', parent, '-m', message, tree)).trim();
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/** A branch of a name that nothing has, yet to be made. */
export function nameScratchBranch(commit: string, remote: string | undefined): ScratchBranch {
	return { name: PREFIX + randomBytes(6).toString('hex'), commit, remote };
}

/** Makes the branch, here or on its remote, without hooks. Rejects when git fails. */
export function makeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, branch.commit, NOTHING);
}

/** Removes the branch, unless it has moved on: then it holds somebody's work. Rejects when git fails, also for that. */
export function removeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, NOTHING, branch.commit);
}

async function moveScratchBranch(
	{ gitPath, directory, credentials }: GitPlace,
	{ name, remote }: ScratchBranch,
	to: string,
	from: string,
): Promise<void> {
	const reference = `refs/heads/${name}`;
	if (remote === undefined) {
		const change = to === NOTHING ? ['-d', '--', reference, from] : ['--', reference, to, '0'.repeat(to.length)];
		await runGit(gitPath, directory, ['update-ref', ...change]);
		return;
	}
	const lease = `--force-with-lease=${reference}:${from}`;
	// What the user has set for pushes of their own is no part of this one, and some of it would make it fail.
	const settings = ['-c', 'push.pushOption=', '-c', `remote.${remote}.mirror=false`];
	const options = ['--quiet', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', lease];
	const push = [...settings, 'push', ...options, '--', remote, `${to}:${reference}`];
	await runRemoteGit(gitPath, directory, push, credentials);
}
