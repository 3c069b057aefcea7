import { copyFile, lstat } from 'node:fs/promises';
import path from 'node:path';
import { append } from '../base/append.ts';
import { describeError, systemErrorCode } from '../base/errors.ts';
import type { FoundSetting } from '../base/gitConfiguration.ts';
import { placeOf, split, splitStatus } from '../base/gitNames.ts';
import type { GitPlace } from './git.ts';
import { readOwnFilter, runGit } from './gitCommand.ts';
import { type IndexGit, withScratchIndex } from './scratchIndex.ts';

/** Asks whether these programs of the repository's own configuration may run. Throws if they may not. */
export type ConfirmPrograms = (programs: readonly FoundSetting[]) => Promise<void>;

/** Thrown if the changed and untracked files are larger than may be committed. */
export class TooMuchChanged extends Error {
	override readonly name = 'TooMuchChanged';
	readonly bytes: number;

	constructor(bytes: number) {
		super('too much is changed or untracked');
		this.bytes = bytes;
	}
}

export interface CommitOptions {
	/** Undefined if the repository has no commit yet. */
	parent: string | undefined;
	message: string;
	confirm: ConfirmPrograms;
	/** The author of the commit. The default is the user, who must have configured an identity in git. */
	author?: { name: string; email: string };
	/** Another folder with the files of `parent`, which is committed instead of the working tree. */
	copy?: string;
	/** The limit for changed and untracked files, in bytes. */
	maximumBytes?: number;
}

/**
 * Commits the changed and untracked files of the working tree on top of `parent`, without a branch. Working tree,
 * index, HEAD and stash stay as they are, because a temporary index is used. Filters run as they do for staging, those
 * of the repository's own configuration only after `confirm`. Resolves with the commit. Rejects if git fails, and with
 * a TooMuchChanged.
 */
export async function commitChanges(
	{ gitPath, directory }: Pick<GitPlace, 'gitPath' | 'directory'>,
	{ parent, message, confirm, author, copy, maximumBytes }: CommitOptions,
): Promise<string> {
	const agreed = new Set<string>();
	const place = copy === undefined ? [] : [`--work-tree=${copy}`];
	const makeScratchTree = async (git: IndexGit, index: string): Promise<string> => {
		if (copy === undefined) {
			const own = (await runGit(gitPath, directory, ['rev-parse', '--git-path', 'index'])).replace(/\n$/, '');
			// A copy of the index knows which files are unchanged; without it, git would read them all.
			await copyFile(path.resolve(directory, own), index).catch((error: unknown) => {
				if (systemErrorCode(error) !== 'ENOENT') {
					throw error;
				}
			});
		} else if (parent !== undefined) {
			await git(['read-tree', parent]);
		}
		for (;;) {
			try {
				return await makeTree(git, copy ?? directory, maximumBytes);
			} catch (error) {
				// git stops at the first file that needs a filter nobody has agreed to.
				const filter = refusedFilter(error);
				const programs = filter === undefined ? [] : await readOwnFilter(gitPath, directory, filter);
				if (filter === undefined || agreed.has(filter) || programs.length === 0) {
					throw error;
				}
				await confirm(programs);
				agreed.add(filter);
			}
		}
	};
	const tree = await withScratchIndex(
		{ gitPath, directory },
		(git, _, index) => makeScratchTree((commandLine, input) => git([...place, ...commandLine], input), index),
		agreed,
	);
	const parents = parent === undefined ? [] : ['-p', parent];
	const identity = author ? identityOptions(author) : [];
	const commit = [...identity, 'commit-tree', '--no-gpg-sign', ...parents, '-m', message, tree];
	return (await runGit(gitPath, directory, commit)).trim();
}

/** The settings for these two roles override `user.name` and `user.email`, of which neither may remain in effect. */
function identityOptions({ name, email }: { name: string; email: string }): string[] {
	return ['author', 'committer'].flatMap(role => ['-c', `${role}.name=${name}`, '-c', `${role}.email=${email}`]);
}

/**
 * Adds everything changed or untracked to the index, and returns its tree. Only plumbing commands are used, because
 * they do not look into other repositories.
 */
async function makeTree(git: IndexGit, folder: string, maximumBytes: number | undefined): Promise<string> {
	// Otherwise `diff-files` also lists files with another time, such as all files of a copy, new to the index.
	await git(['update-index', '-q', '--unmerged', '--refresh']);
	const compare = ['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=dirty'];
	const { removed, present } = splitStatus(await git(compare));
	const untracked = split(await git(['ls-files', '-z', '--others', '--exclude-standard']));
	// A repository inside this one would become a link to a commit that nobody else has.
	append(
		present,
		untracked.filter(name => !name.endsWith('/')),
	);
	if (maximumBytes !== undefined) {
		await checkSize(folder, present, maximumBytes);
	}
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

/** Throws a TooMuchChanged once the total size of the files exceeds the limit. Names are byte strings. */
async function checkSize(folder: string, names: readonly string[], maximumBytes: number): Promise<void> {
	let bytes = 0;
	for (const name of names) {
		bytes += await lstat(placeOf(folder, name)).then(
			({ size }) => size,
			() => 0,
		);
		if (bytes > maximumBytes) {
			throw new TooMuchChanged(bytes);
		}
	}
}

/** Returns the name of a filter that a file needs but that was not run. */
function refusedFilter(error: unknown): string | undefined {
	return /: clean filter '(.*)' failed/.exec(describeError(error))?.[1];
}
