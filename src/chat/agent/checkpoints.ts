// The state of the user's files before and after a turn, as Errand's own commits in the user's repository. References
// outside all branches keep them there.

import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { byteString, readable } from '../../base/gitNames.ts';
import { readIgnoreRules, writeExcludes } from '../../base/ignoreRules.ts';
import { commitChanges, TooMuchChanged } from '../../platform/commitChanges.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { FIND_RENAMES, LONG_TIMEOUT_MS, prepareGit, runGit, runWorkTreeGit } from '../../platform/gitCommand.ts';
import { gitOfIndex, withScratchIndex } from '../../platform/scratchIndex.ts';
import type { LeftOutFolder } from '../model/agentWork.ts';
import { gitFailureText } from './messages.ts';

/**
 * The limit for changed and untracked files in a repository, in bytes. All of them are stored for each turn that finds
 * them changed.
 */
const MAXIMUM_BYTES = 200_000_000;
const MEGABYTE = 1_000_000;

const REFERENCES = 'refs/errand/turns';
const AUTHOR = { name: 'Errand', email: 'errand@localhost' };
const IDENTITY = ['-c', `user.name=${AUTHOR.name}`, '-c', `user.email=${AUTHOR.email}`];

/** A repository that a turn works in, with the states of its files, as commits. */
export interface TurnRepository {
	readonly place: GitPlace;
	/** The folder in the copy. Absent if the copy has only one repository. */
	readonly at?: string;
	readonly before: string;
	/** `before` with all allowed changes that the user's files have. */
	taken: string;
	/** The state of the copy at the end. Absent until it is stored. */
	after?: string;
	/** The state that the copy was made from, and whether git ignores case. Absent until the copy is there. */
	start?: { commit: string; ignoresCase: boolean };
}

/**
 * Returns the repositories of the folders, each once, and the folders without a repository or with an unreadable one.
 * Throws a UserFacingError if there is no repository at all.
 */
export async function repositoriesOf(
	folders: readonly string[],
): Promise<{ places: GitPlace[]; leftOut: LeftOutFolder[] }> {
	const git = await getGitApi();
	const tops = new Set<string>();
	const leftOut: LeftOutFolder[] = [];
	for (const folder of folders) {
		await topOf(git.git.path, folder).then(
			top => tops.add(top),
			error => leftOut.push({ folder, ...unreadable(error) }),
		);
	}
	if (tops.size === 0) {
		const [reason] = leftOut.flatMap(({ reason: told }) => told ?? []);
		throw new UserFacingError(
			reason ??
				vscode.l10n.t(
					'An agent needs a Git repository so that everything it does can be undone. Run “Git: Initialize Repository” for this folder, then try again.',
				),
		);
	}
	return { places: Array.from(tops, top => placeOf(git, top)), leftOut };
}

/**
 * Returns the top folder of a folder's repository. Rejects when git fails, and with a UserFacingError if the
 * repository's own configuration says that its files lie elsewhere: an agent must not get files of a folder that is not
 * open.
 */
async function topOf(gitPath: string, folder: string): Promise<string> {
	const ask = async (directory: string, what: string) =>
		(await runGit(gitPath, directory, ['rev-parse', what])).replace(/\n$/, '');
	const [top, own] = await Promise.all([ask(folder, '--show-toplevel'), ask(folder, '--absolute-git-dir')]);
	if ((await ask(top, '--absolute-git-dir').catch(() => '')) !== own) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The repository’s configuration says that its files are in {0}, so agents aren’t given this folder. Remove “core.worktree” from {1}, or open the other folder.',
				top,
				path.join(own, 'config'),
			),
		);
	}
	return top;
}

/** Says why git could not read a folder, unless it has no repository. */
function unreadable(error: unknown): { reason?: string } {
	return /not a git repository/i.test(describeError(error)) ? {} : { reason: gitFailureText(error) };
}

/** Resolves to the commit of HEAD, or to undefined if there is none. */
export async function headOf({ gitPath, directory }: GitPlace): Promise<string | undefined> {
	const head = await runGit(gitPath, directory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '');
	return head.trim() || undefined;
}

/** Commits the state of the files on top of HEAD, and stores it for a conversation. Throws a UserFacingError. */
export async function keepState(place: GitPlace, conversation: string): Promise<string> {
	return keep(place, conversation, { parent: await headOf(place), message: 'Before a turn of an agent' });
}

/** Commits the files of an agent's copy on top of the state before the turn, and stores that in the same way. */
export function keepEnd(place: GitPlace, conversation: string, before: string, copy: string): Promise<string> {
	return keep(place, conversation, { parent: before, message: 'After a turn of an agent', copy });
}

async function keep(
	place: GitPlace,
	conversation: string,
	options: { parent: string | undefined; message: string; copy?: string },
): Promise<string> {
	let commit: string;
	try {
		commit = await commitChanges(place, {
			...options,
			author: AUTHOR,
			maximumBytes: MAXIMUM_BYTES,
			confirm: async () => {
				throw new UserFacingError(
					vscode.l10n.t(
						'Couldn’t save the state of your files: the repository’s configuration specifies a program that Git would have to run. Remove that filter from .git/config, then try again.',
					),
				);
			},
		});
	} catch (error) {
		if (error instanceof TooMuchChanged) {
			throw new UserFacingError(
				vscode.l10n.t(
					'More than {0} MB of files are changed or untracked, which is too much to save for each turn. Commit what belongs in the repository, and add the rest to .gitignore.',
					MAXIMUM_BYTES / MEGABYTE,
				),
			);
		}
		throw error;
	}
	await holdStates(place, conversation, [commit]);
	return commit;
}

/** Keeps git from removing commits as long as the conversation exists. Rejects when git fails. */
export async function holdStates(place: GitPlace, conversation: string, commits: readonly string[]): Promise<void> {
	const updates = [...new Set(commits)].map(commit => `update ${REFERENCES}/${conversation}/${commit} ${commit}\n`);
	await runGit(place.gitPath, place.directory, ['update-ref', '--stdin'], { input: updates.join('') });
}

/** The maximum size of a file to read, in bytes. */
const MAXIMUM_TEXT = 4 * MEGABYTE;

/** A text file of a commit. */
export interface StateFile {
	/** Git's mode of a file. */
	mode: '100644' | '100755';
	text: string;
}

/**
 * Resolves to a text file of a commit; to null if nothing is at the path, and to undefined for anything else or a file
 * that is too large. Rejects when git fails.
 */
export async function readStateFile(
	{ gitPath, directory }: GitPlace,
	commit: string,
	name: string,
): Promise<StateFile | null | undefined> {
	const listing = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', commit, '--', name];
	const git = await prepareGit(gitPath, directory);
	const entry = await git(listing);
	if (entry === '') {
		return null;
	}
	const [, mode, object, size] = /^(100644|100755) blob ([\da-f]+) +(\d+)\t/.exec(entry) ?? [];
	if (object === undefined || Number(size) > MAXIMUM_TEXT) {
		return undefined;
	}
	const bytes = Buffer.from(await git(['cat-file', 'blob', object], { encoding: 'latin1' }), 'latin1');
	const text = bytes.toString();
	return Buffer.from(text).equals(bytes) ? { mode: mode as StateFile['mode'], text } : undefined;
}

/** Resolves to whether git ignores an untracked file, so that no state has it. */
export function isIgnored({ gitPath, directory }: GitPlace, name: string): Promise<boolean> {
	return runGit(gitPath, directory, ['check-ignore', '--quiet', '--', `./${name}`]).then(
		() => true,
		() => false,
	);
}

/**
 * Stores a state that differs from another one in a single file. Resolves to its commit. Rejects when git fails, for
 * example because something else is in the place of the file or of one of its folders.
 */
export async function keepStateWith(
	place: GitPlace,
	conversation: string,
	base: string,
	name: string,
	{ mode, text }: StateFile,
): Promise<string> {
	const object = await runGit(place.gitPath, place.directory, ['hash-object', '-w', '--stdin'], { input: text });
	return keepEntries(place, conversation, base, [], `${mode} ${object.trim()}\t${byteString(name)}\0`);
}

/**
 * Stores a state that equals `base`, except that these files are as in `source`, or are missing if they are missing
 * there. A moved file may be given by either name. Resolves to its commit. Rejects when git fails.
 */
export async function keepStateOf(
	place: GitPlace,
	conversation: string,
	base: string,
	source: string,
	names: readonly string[],
): Promise<string> {
	const commandLine = ['diff-tree', '-r', '-z', '--raw', ...FIND_RENAMES, base, source];
	const listed = (await runGit(place.gitPath, place.directory, commandLine, { encoding: 'latin1' }))
		.split('\0')
		.values();
	const wanted = new Set(names.map(byteString));
	let entries = '';
	for (const change of listed) {
		const [, mode = '', , object = '', status = ''] = change.split(' ');
		const name = listed.next().value ?? '';
		const moved = status.startsWith('R') ? listed.next().value : undefined;
		if (wanted.has(name) || (moved !== undefined && wanted.has(moved))) {
			entries += moved === undefined ? '' : `0 ${'0'.repeat(object.length)}\t${name}\0`;
			entries += `${mode} ${object}\t${moved ?? name}\0`;
		}
	}
	// A file may replace a folder.
	return keepEntries(place, conversation, base, ['--replace'], entries);
}

/** Names of files as byte strings (`latin1`), and what puts those that are present into an empty folder. */
export interface ChangedNames {
	removed: readonly string[];
	present: readonly string[];
	write(folder: string): Promise<void>;
}

/**
 * Stores a state that equals `base`, except for the files that are named. They are stored as git would add them here.
 * Resolves to its commit. Rejects when git fails.
 */
export async function keepStateFrom(
	place: GitPlace,
	conversation: string,
	base: string,
	{ removed, present, write }: ChangedNames,
): Promise<string> {
	const tree = await withScratchIndex(place, async (git, scratch) => {
		const files = path.join(scratch, 'files');
		await mkdir(files);
		await write(files);
		const update = (how: readonly string[], names: readonly string[]) =>
			git([`--work-tree=${files}`, 'update-index', ...how, '-z', '--stdin'], names.map(name => `${name}\0`).join(''));
		await git(['read-tree', base]);
		// Removals come first, because a new entry may take the place of a removed one.
		await update(['--force-remove'], removed);
		await update(['--add', '--replace'], present);
		return git(['write-tree']);
	});
	return commitTree(place, conversation, base, tree, 'After a step of an agent');
}

/** `entries` is the input of `git update-index -z --index-info`, as a byte string (`latin1`). */
async function keepEntries(
	place: GitPlace,
	conversation: string,
	base: string,
	how: readonly string[],
	entries: string,
): Promise<string> {
	const tree = await withScratchIndex(place, async git => {
		await git(['read-tree', base]);
		await git(['update-index', ...how, '-z', '--index-info'], entries);
		return git(['write-tree']);
	});
	return commitTree(place, conversation, base, tree, 'Taken in a turn of an agent');
}

async function commitTree(
	place: GitPlace,
	conversation: string,
	parent: string,
	tree: string,
	message: string,
): Promise<string> {
	const { gitPath, directory } = place;
	const commandLine = [...IDENTITY, 'commit-tree', '--no-gpg-sign', '-p', parent, '-m', message, tree.trim()];
	const commit = (await runGit(gitPath, directory, commandLine)).trim();
	await holdStates(place, conversation, [commit]);
	return commit;
}

/**
 * Lists the folders of a copy whose files no state has: repositories that the agent has created in it, and submodules,
 * which are empty in a copy. Rejects when git or the file system fails.
 */
export function unrecordedFolders(place: GitPlace, state: string, copy: string): Promise<string[]> {
	return withScratchIndex(place, async git => {
		await git(['read-tree', state]);
		const untracked = await git([`--work-tree=${copy}`, 'ls-files', '-z', '--others', '--exclude-standard']);
		const repositories = untracked.split('\0').flatMap(name => (name.endsWith('/') ? [name.slice(0, -1)] : []));
		const staged = (await git(['ls-files', '-z', '--stage'])).split('\0');
		const submodules = staged.flatMap(entry =>
			entry.startsWith('160000 ') ? [entry.slice(entry.indexOf('\t') + 1)] : [],
		);
		const filled: string[] = [];
		for (const name of [...repositories, ...submodules]) {
			const entries = await readdir(Buffer.concat([Buffer.from(copy + path.sep), Buffer.from(name, 'latin1')]));
			if (entries.some(entry => entry !== '.git')) {
				filled.push(readable(name));
			}
		}
		return filled;
	});
}

/**
 * Removes the pipes in a copy, which no state has: git would block on reading its own files from one until somebody
 * writes to it. Folders that cannot be listed are skipped, because git does not read them either. Rejects with the
 * system's error.
 */
export async function removePipes(folder: string | Buffer): Promise<void> {
	const entries = await readdir(folder, { encoding: 'buffer', withFileTypes: true }).catch(() => []);
	for (const entry of entries) {
		const name = Buffer.concat([Buffer.from(folder), Buffer.from(path.sep), entry.name]);
		if (entry.isDirectory()) {
			await removePipes(name);
		} else if (entry.isFIFO()) {
			await rm(name);
		}
	}
}

/** Removes a conversation's states from a repository. Rejects when git fails. */
export async function forgetStates(repository: string, conversation: string): Promise<void> {
	const { gitPath, directory } = placeOf(await getGitApi(), repository);
	const listed = await runGit(gitPath, directory, [
		'for-each-ref',
		'--format=delete %(refname)',
		'--',
		`${REFERENCES}/${conversation}/`,
	]);
	await runGit(gitPath, directory, ['update-ref', '--stdin'], { input: listed });
}

/**
 * Checks out the files of a commit into an empty folder. `index` is a new file, which then knows how they were. Rejects
 * when git fails.
 */
export async function checkOutState(place: GitPlace, commit: string, folder: string, index: string): Promise<void> {
	const git = gitOfIndex(place, index);
	await git(['read-tree', commit]);
	await git([`--work-tree=${folder}`, 'checkout-index', '--all', '--force', '--index']);
}

/**
 * Makes a folder a repository with nothing but its files: most agents want one, and none gets the user's. Rejects when
 * git fails.
 */
export async function beginRepository(gitPath: string, folder: string): Promise<void> {
	await runGit(gitPath, folder, ['init', '--quiet', '--template=']);
	const quickly = ['-c', 'core.safecrlf=false', '-c', 'core.compression=0'];
	await runGit(gitPath, folder, [...quickly, 'add', '--all', '--force'], { timeoutMs: LONG_TIMEOUT_MS });
	await runGit(gitPath, folder, [
		...IDENTITY,
		'commit',
		'--quiet',
		'--no-verify',
		'--allow-empty',
		'--message',
		'The files',
	]);
}

/**
 * Makes git ignore the same files in a copy, and in its states, as in the repository. The user's list and the
 * repository's own one are not among the files. Resolves to whether git ignores case. Rejects when git fails.
 */
export async function copyIgnoreRules(
	{ gitPath, directory }: GitPlace,
	folder: string,
	states: string,
): Promise<boolean> {
	const { lines, shown, ignoresCase } = await readIgnoreRules(await prepareGit(gitPath, directory), directory);
	await writeExcludes(path.join(folder, '.git'), shown);
	await writeExcludes(states, lines);
	await runGit(gitPath, folder, ['config', 'core.ignoreCase', String(ignoresCase)]);
	return ignoresCase;
}

/**
 * Resolves to a state with both the user's changes and those that an agent has left in its copy, each since `base`; to
 * undefined if both have changed the same lines, or if git is too old to merge without a working tree.
 */
export async function mergedState(
	place: GitPlace,
	now: string,
	base: string,
	left: string,
): Promise<string | undefined> {
	const { gitPath, directory } = place;
	const run = async (...commandLine: string[]) =>
		(await runGit(gitPath, directory, [...IDENTITY, ...commandLine])).trim();
	try {
		// Git merges two commits by their common parent, so `base` is the parent of both.
		const own = await run('commit-tree', '-p', base, '-m', 'Now', `${now}^{tree}`);
		const other = await run('commit-tree', '-p', base, '-m', 'Left', `${left}^{tree}`);
		const tree = await runWorkTreeGit(gitPath, directory, ['merge-tree', '--write-tree', own, other]);
		return await run('commit-tree', '-p', now, '-m', 'Both', tree.trim());
	} catch {
		return undefined;
	}
}
