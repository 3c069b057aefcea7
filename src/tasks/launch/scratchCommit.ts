import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describeError } from '../../base/errors.ts';
import type { FoundSetting } from '../../base/gitConfiguration.ts';
import { readOwnFilter, runDirectoryGit, runGit, runGitWithIndex, runRemoteGit } from '../../platform/gitCommand.ts';
import { readRemoteAddress, remoteDirectory } from './repositoryFacts.ts';

/** How git is run in one repository. */
export interface GitPlace {
	gitPath: string;
	/** The repository's top folder. */
	directory: string;
	/** The environment variables by which the editor answers git's questions for credentials. */
	credentials: Readonly<Record<string, string | undefined>>;
}

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

/** Asks whether these programs of the repository's own configuration may run. Throws where they may not. */
export type ConfirmPrograms = (programs: readonly FoundSetting[]) => Promise<void>;

/** Runs git with byte strings (`latin1`) as input and output, because file names can be in any encoding. */
type IndexGit = (commandLine: readonly string[], input?: string) => Promise<string>;

/**
 * Commits what is changed and untracked in the working tree on top of `parent`, without a branch. Working tree, index,
 * HEAD and stash stay as they are, because a temporary index is used. Filters run as they do when files are staged, and
 * those of the repository's own configuration only after `confirm`. Resolves with the commit. Rejects when git fails.
 */
export async function commitChanges(
	{ gitPath, directory }: GitPlace,
	parent: string,
	message: string,
	confirm: ConfirmPrograms,
): Promise<string> {
	const scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-index-'));
	try {
		const index = path.join(scratch, 'index');
		const own = (await runGit(gitPath, directory, ['rev-parse', '--git-path', 'index'])).replace(/\n$/, '');
		// A copy of the index knows which files are unchanged; without it, git would read them all.
		await copyFile(path.resolve(directory, own), index).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'ENOENT') {
				throw error;
			}
		});
		const agreed = new Set<string>();
		const git: IndexGit = (commandLine, input) =>
			runGitWithIndex(gitPath, directory, index, commandLine, { input, agreed, encoding: 'latin1' });
		let tree: string | undefined;
		while (tree === undefined) {
			tree = await makeTree(git).catch(async error => {
				// Git stops at the first file that needs a filter that nobody has agreed to.
				const filter = refusedFilter(error);
				const programs = filter === undefined ? [] : await readOwnFilter(gitPath, directory, filter);
				if (filter === undefined || agreed.has(filter) || programs.length === 0) {
					throw error;
				}
				await confirm(programs);
				agreed.add(filter);
				return undefined;
			});
		}
		const commit = ['commit-tree', '--no-gpg-sign', '-p', parent, '-m', message, tree];
		return (await runGit(gitPath, directory, commit)).trim();
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/**
 * Puts everything that is changed or untracked into the index, and returns its tree. Only plumbing commands are used,
 * because they do not look into other repositories.
 */
async function makeTree(git: IndexGit): Promise<string> {
	const fields = split(await git(['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=dirty']));
	const removed: string[] = [];
	const present: string[] = [];
	for (let index = 0; index + 1 < fields.length; index += 2) {
		(fields[index] === 'D' ? removed : present).push(fields[index + 1] ?? '');
	}
	const untracked = split(await git(['ls-files', '-z', '--others', '--exclude-standard']));
	// A repository inside this one would become a link to a commit that nobody else has.
	present.push(...untracked.filter(name => !name.endsWith('/')));
	const update = (how: readonly string[], names: readonly string[]) =>
		// Line endings are converted as for any commit, but without questions that only a person can answer.
		git(
			['-c', 'core.safecrlf=false', 'update-index', ...how, '-z', '--stdin'],
			names.map(name => `${name}\0`).join(''),
		);
	// Deleted files are removed first, because something else may take their place.
	await (removed.length > 0 && update(['--force-remove'], removed));
	await (present.length > 0 && update(['--add', '--remove', '--replace'], present));
	return (await git(['write-tree'])).trim();
}

function split(output: string): string[] {
	return output.split('\0').slice(0, -1);
}

/** Returns the name of the filter that a file needs and that was not run. */
function refusedFilter(error: unknown): string | undefined {
	return /: clean filter '(.*)' failed/.exec(describeError(error))?.[1];
}

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
