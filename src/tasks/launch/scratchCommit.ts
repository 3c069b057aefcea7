import { randomBytes } from 'node:crypto';
import type { GitPlace } from '../../platform/git.ts';
import { runDirectoryGit, runGit, runRemoteGit } from '../../platform/gitCommand.ts';
import { readRemoteAddress, remoteDirectory } from './repositoryFacts.ts';

/** A branch that holds what a task starts from and that nothing else needs. */
export interface ScratchBranch {
	name: string;
	commit: string;
	/** Undefined for a branch of the working repository itself. */
	remote: string | undefined;
}

const PREFIX = 'errand-scratch-';
/** The expected value of a reference that must not exist yet, because an existing one is not Errand's. */
const NOTHING = '';

/** Returns a branch with a unique name, which is yet to be made. */
export function nameScratchBranch(commit: string, remote: string | undefined): ScratchBranch {
	return { name: PREFIX + randomBytes(6).toString('hex'), commit, remote };
}

/** Makes the branch, here or on its remote, without hooks. Rejects when git fails. */
export function makeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, branch.commit, NOTHING);
}

/** Removes the branch. Rejects when git fails, and when the branch has moved on and so holds somebody's work. */
export function removeScratchBranch(place: GitPlace, branch: ScratchBranch): Promise<void> {
	return moveScratchBranch(place, branch, NOTHING, branch.commit);
}

async function moveScratchBranch(
	place: GitPlace,
	{ name, remote }: ScratchBranch,
	to: string,
	from: string,
): Promise<void> {
	const { gitPath, directory, credentials } = place;
	const reference = `refs/heads/${name}`;
	if (remote === undefined) {
		const change = to === NOTHING ? ['-d', '--', reference, from] : ['--', reference, to, '0'.repeat(to.length)];
		await runGit(gitPath, directory, ['update-ref', ...change]);
		return;
	}
	const lease = `--force-with-lease=${reference}:${from}`;
	// The user's settings for their own pushes do not apply to this one, and some would make it fail.
	const settings = ['-c', 'push.pushOption=', '-c', `remote.${remote}.mirror=false`];
	const options = ['--quiet', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', lease];
	const push = (...started: string[]) => [
		...settings,
		'push',
		...options,
		...started,
		'--',
		remote,
		`${to}:${reference}`,
	];
	const folder = await directoryOf(place, remote, 'push');
	await (folder === undefined
		? runRemoteGit(gitPath, directory, remote, push(), credentials)
		: runDirectoryGit(gitPath, directory, folder, 'receive-pack', push));
}

/** Returns the branch's current commit, or undefined where it is gone. Rejects when that cannot be found out. */
export async function findScratchBranch(place: GitPlace, { name, remote }: ScratchBranch): Promise<string | undefined> {
	const { gitPath, directory, credentials } = place;
	const reference = `refs/heads/${name}`;
	let output: string;
	if (remote === undefined) {
		output = await runGit(gitPath, directory, ['for-each-ref', '--format=%(objectname)', '--', reference]);
	} else {
		const list = (...started: string[]) => ['ls-remote', ...started, '--', remote, reference];
		const folder = await directoryOf(place, remote, 'fetch');
		output = await (folder === undefined
			? runRemoteGit(gitPath, directory, remote, list(), credentials)
			: runDirectoryGit(gitPath, directory, folder, 'upload-pack', list));
	}
	return /^[\da-f]+/.exec(output)?.[0];
}

/** Returns the directory of this machine that a remote is, if it is one. */
async function directoryOf(
	{ gitPath, directory }: GitPlace,
	remote: string,
	use: 'fetch' | 'push',
): Promise<string | undefined> {
	const address = await readRemoteAddress(gitPath, directory, remote, use);
	return address === undefined ? undefined : remoteDirectory(address, directory);
}
