import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isAbortError, UserFacingError } from '../../base/errors.ts';
import { type GitLocation, runGit } from '../../base/git.ts';
import { GitError, unlessGitFails } from '../../base/gitError.ts';
import { findWorktree } from '../../base/gitWorktree.ts';
import { findMissing } from '../../base/partialClone.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { shellWord } from '../../base/shellWord.ts';
import { isBranchName } from './repoUrl.ts';
import { locateSource, sourceSide } from './sourceSide.ts';

/** The part of a repository's state that its list of references shows. */
export interface SourceReferences {
	/** Commits by the full names of their references. */
	commits: Map<string, string>;
	/** The branch that HEAD is on. */
	current: string | undefined;
	/** True for a partial clone, which may lack files of its branches. */
	isPartial: boolean;
}

export interface SourceState {
	branch: string;
	commit: string;
	objectFormat: 'sha1' | 'sha256';
}

export interface ReferencesQuery {
	/** An absolute path. */
	folder: string;
	/** An existing folder of the service's, with the file of `writeGitConfiguration`. */
	scratchFolder: string;
	signal: AbortSignal;
}

export interface SourceQuery extends ReferencesQuery {
	/** The branch, or undefined for the one that HEAD of the source is on. */
	branch: string | undefined;
}

/** The time for a query, which is short because a caller waits for the result. */
const QUERY_TIMEOUT_MS = 20_000;

const REFERENCE = /^([\da-f]{40}|[\da-f]{64})\t(.+)$/;
const SYMBOLIC = /^ref: refs\/heads\/(.+)\tHEAD$/;

/** Returns the only configuration file that the service's git reads for work in a folder of the service's. */
export const gitConfigurationIn = (folder: string): string => path.join(folder, 'gitconfig');

/**
 * Writes that file. It lists the folders of other owners that the user lets git use (`safe.directory`): in containers
 * the workspace often has another owner, and git would refuse it.
 */
export async function writeGitConfiguration(folder: string, signal: AbortSignal): Promise<void> {
	const own = { home: os.homedir(), gitFolder: path.join(folder, 'none'), cwd: folder };
	const ask = ['config', '--type=path', '--null', '--get-all', 'safe.directory'];
	// git exits with 1 if there is none.
	const listed = await runGit(own, ask, { signal }).catch(unlessGitFails(''));
	const folders = listed.split('\0').slice(0, -1);
	// git checks the folder with the objects on the source's side, while users name the one around it.
	const allowed = folders.flatMap(named => (named === '' || named === '*' ? [named] : [named, `${named}/.git`]));
	const lines = allowed.map(folder => `\tdirectory = ${JSON.stringify(folder)}\n`);
	await writeFile(gitConfigurationIn(folder), `[safe]\n${lines.join('')}`, { mode: 0o600 });
}

/**
 * Reads a source repository with `query`, with a temporary folder below `parent`. Any problem with the repository is
 * thrown as a UserFacingError.
 */
export async function queryRepository<T>(
	folder: string,
	parent: string,
	query: (input: ReferencesQuery) => Promise<T>,
	milliseconds = QUERY_TIMEOUT_MS,
): Promise<T> {
	await mkdir(parent, { recursive: true, mode: 0o700 });
	const scratchFolder = await mkdtemp(path.join(parent, 'query-'));
	try {
		const signal = AbortSignal.timeout(milliseconds);
		await writeGitConfiguration(scratchFolder, signal);
		return await query({ folder, scratchFolder, signal });
	} catch (error) {
		if (error instanceof GitError) {
			const words = error.stderr.trim().split('\n')[0]?.slice(0, 300) ?? '';
			throw new UserFacingError(`repoUrl: git cannot read the repository: ${words}`);
		}
		if (isAbortError(error) || (error instanceof Error && error.name === 'TimeoutError')) {
			throw new UserFacingError(`repoUrl: git could not read the repository within ${milliseconds / 1000} s.`);
		}
		throw error;
	} finally {
		await removeFolder(scratchFolder);
	}
}

/** Lists the branches without running anything that the repository's configuration names. Throws a UserFacingError. */
export async function readReferences({ folder, ...query }: ReferencesQuery): Promise<SourceReferences> {
	const status = await stat(folder).catch(() => undefined);
	if (!status?.isDirectory()) {
		throw new UserFacingError(`repoUrl: there is no folder ${folder} on this machine. Check the path.`);
	}
	const { listing, isPartial } = await listReferences(ownPlace(query), folder, query.signal).catch(error => {
		throw sourceFailure(error, folder);
	});
	const commits = new Map<string, string>();
	let current: string | undefined;
	for (const line of listing.split('\n')) {
		current ??= SYMBOLIC.exec(line)?.[1];
		const [, commit, reference] = REFERENCE.exec(line) ?? [];
		if (commit !== undefined && reference !== undefined) {
			commits.set(reference, commit);
		}
	}
	return { commits, current, isPartial };
}

/** Returns a location of the service's own, from which git reads a repository of somebody else. */
export function ownPlace({ scratchFolder }: Pick<ReferencesQuery, 'scratchFolder'>): GitLocation {
	const home = path.join(scratchFolder, 'none');
	return { home, gitFolder: home, cwd: scratchFolder, configuration: gitConfigurationIn(scratchFolder) };
}

async function listReferences(
	own: GitLocation,
	folder: string,
	signal: AbortSignal,
): Promise<{ listing: string; isPartial: boolean }> {
	const side = await sourceSide('upload-pack', own, folder, signal);
	const args = ['ls-remote', '--symref', side.option, '--', folder, 'HEAD', 'refs/heads/*'];
	return { listing: await runGit(own, args, { signal, env: side.env }), isPartial: side.isPartial };
}

/** Looks up the branch that a task starts from. Throws a UserFacingError. */
export async function readSource(query: SourceQuery): Promise<SourceState> {
	const { folder, branch } = query;
	if (branch !== undefined && !isBranchName(branch)) {
		throw new UserFacingError(`selectedBranch: ${JSON.stringify(branch.slice(0, 100))} is no name of a branch.`);
	}
	const references = await readReferences(query);
	const source = choose(references, folder, branch);
	await (references.isPartial && checkComplete(query, source));
	return source;
}

function choose({ commits, current }: SourceReferences, folder: string, branch: string | undefined): SourceState {
	if (commits.size === 0) {
		throw new UserFacingError(
			`repoUrl: the repository ${folder} has no commit yet. Make a first commit, then start again.`,
		);
	}
	const name = branch ?? current;
	if (name === undefined) {
		// A repository lists its HEAD only if that is on a commit.
		const where = commits.has('HEAD') ? 'is not on a branch (detached HEAD)' : 'is on a branch that has no commit yet';
		throw new UserFacingError(`selectedBranch: ${folder} ${where}. Name the branch to start from.`);
	}
	const commit = commits.get(`refs/heads/${name}`);
	if (commit === undefined) {
		throw new UserFacingError(`selectedBranch: there is no branch "${name}" in ${folder}. Choose one that is there.`);
	}
	if (commits.has('refs/heads/errand')) {
		throw new UserFacingError(
			`repoUrl: a branch named "errand" in ${folder} stands in the way of branches named "errand/…". Rename it, then start again.`,
		);
	}
	return { branch: name, commit, objectFormat: commit.length === 64 ? 'sha256' : 'sha1' };
}

/** Throws a UserFacingError if a partial clone lacks files of the branch. Only the user may have them fetched. */
async function checkComplete(query: ReferencesQuery, { branch, commit }: SourceState): Promise<void> {
	const { folder, signal } = query;
	const source = await locateSource(ownPlace(query), folder, signal);
	const missing = await findMissing(args => runGit(source, args, { signal }), commit);
	if (missing.length > 0) {
		throw new UserFacingError(
			`repoUrl: ${folder} is a partial clone without all files of the branch "${branch}": ${missing.length} objects are missing. Start the task from Errand's window, which can get them, or run "git fetch --refetch --no-filter" there.`,
		);
	}
}

/**
 * Looks up the branch that a follow-up continues. A checked-out branch is never moved, and the user is told so before
 * an agent works for nothing.
 */
export async function readBranchToMove(query: ReferencesQuery & { branch: string }): Promise<SourceState> {
	const { folder, branch, signal } = query;
	const references = await readReferences(query);
	if (!references.commits.has(`refs/heads/${branch}`)) {
		throw new UserFacingError(
			`The branch "${branch}" is no longer in ${folder}, so there is nothing to go on with. Start a new task.`,
		);
	}
	const source = choose(references, folder, branch);
	await (references.isPartial && checkComplete(query, source));
	const worktree = await worktreeOf(ownPlace(query), folder, branch, signal);
	if (worktree !== undefined) {
		throw new BranchInUseError(branch, worktree);
	}
	return source;
}

/** Returns the folder in which a branch is checked out. Throws a GitError if git fails. */
export async function worktreeOf(
	own: GitLocation,
	folder: string,
	branch: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	const source = await locateSource(own, folder, signal);
	return findWorktree(commandLine => runGit(source, commandLine, { signal }), branch);
}

/** A branch cannot be moved because its files are checked out in somebody's folder. */
export class BranchInUseError extends UserFacingError {
	constructor(branch: string, worktree: string) {
		super(
			`The branch "${branch}" is checked out in ${worktree}, so it cannot be moved on. Switch to another branch there, or start a new task from this one.`,
		);
	}
}

/** Converts git's message about a source repository into a sentence, and returns any other error unchanged. */
export function sourceFailure(error: unknown, folder: string): unknown {
	if (!(error instanceof GitError)) {
		return error;
	}
	const { stderr } = error;
	if (/dubious ownership|unsafe repository/.test(stderr)) {
		return new UserFacingError(`repoUrl: ${folder} belongs to another user. If you trust it, ${howToTrust(folder)}`);
	}
	if (/does not appear to be a git repository|not a git repository|cannot change to/.test(stderr)) {
		return new UserFacingError(`repoUrl: ${folder} is not the top folder of a git repository.`);
	}
	if (/unable to read|missing (?:blob|tree|commit|object)|bad object|corrupt|promisor|could not fetch/i.test(stderr)) {
		return new UserFacingError(
			`repoUrl: objects are missing or damaged in ${folder}. Run "git fsck" there; in a partial clone, "git fetch --refetch --no-filter" gets what it lacks.`,
		);
	}
	return error;
}

/** Converts git's message about a push to a source repository into a sentence. Returns other errors unchanged. */
export function pushFailure(error: unknown, branch: string, folder: string, expected: string | undefined): unknown {
	if (!(error instanceof GitError)) {
		return error;
	}
	if (/branch is currently checked out/.test(error.stderr)) {
		return new BranchInUseError(branch, folder);
	}
	if (expected !== undefined && /stale info|cannot lock ref/.test(error.stderr)) {
		return new UserFacingError(
			`The branch "${branch}" in ${folder} was moved by somebody else meanwhile. It is left as it is; ask again.`,
		);
	}
	if (/stale info|already exists|failed to update ref|cannot lock ref/.test(error.stderr)) {
		return new UserFacingError(`The branch "${branch}" cannot be made in ${folder}: that name is taken there.`);
	}
	if (/rejected|declined/.test(error.stderr)) {
		return new UserFacingError(`${folder} does not accept the new branch "${branch}": its configuration forbids it.`);
	}
	if (/permission denied|insufficient permission|read-only file system/i.test(error.stderr)) {
		return new UserFacingError(`The branch "${branch}" cannot be written to ${folder}: no permission to write there.`);
	}
	return sourceFailure(error, folder);
}

function howToTrust(folder: string): string {
	const word = shellWord(folder);
	// git reads a trailing `*` as every folder beside this one.
	return word === undefined || folder.endsWith('*')
		? 'add the folder to safe.directory in your own git configuration.'
		: `run: git config --global --add safe.directory ${word}`;
}
