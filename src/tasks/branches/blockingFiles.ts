import { GitError } from '../../base/gitError.ts';
import type { GitPlace } from '../../platform/git.ts';
import { readOwnFilters, runGit, runWorkTreeGit } from '../../platform/gitCommand.ts';
import { withScratchIndex } from '../../platform/scratchIndex.ts';

/** The user's files are in the way of a checkout or a merge, which has changed nothing. */
export class FilesInTheWay extends Error {
	override readonly name = 'FilesInTheWay';
	/** Paths relative to the repository's top folder. Never empty. */
	readonly files: readonly string[];

	constructor(files: readonly string[]) {
		super('files are in the way');
		this.files = files;
	}
}

/** A branch has files that can only be checked out by a program from the repository's own configuration. */
export class FilterRefused extends Error {
	override readonly name = 'FilterRefused';
	readonly filter: string;
	readonly file: string;

	constructor(filter: string, file: string) {
		super(`the filter ${filter} is not run`);
		this.filter = filter;
		this.file = file;
	}
}

/** The line above the names in git's messages about files that would be lost. */
const REFUSAL = /^error: .*(?:would be overwritten by|would be removed by|would lose untracked files in them).*:$/;

/** Returns git's error as a FilesInTheWay, if it is about such files, and any other error unchanged. */
export function inTheWay(error: unknown): unknown {
	if (!(error instanceof GitError)) {
		return error;
	}
	const files: string[] = [];
	let isList = false;
	for (const line of error.stderr.split('\n')) {
		if (isList && line.startsWith('\t')) {
			files.push(line.slice(1));
		} else {
			isList = REFUSAL.test(line);
		}
	}
	return files.length === 0 ? error : new FilesInTheWay([...new Set(files)]);
}

/**
 * Stashes the user's changes to these files, or the files in place of them, under this name, and nothing else. Rejects
 * when git fails.
 */
export async function stashFiles(
	{ gitPath, directory }: GitPlace,
	files: readonly string[],
	name: string,
): Promise<void> {
	// A file in the way may be one that git ignores.
	const how = ['--quiet', '--all', `--message=${name}`, '--pathspec-from-file=-', '--pathspec-file-nul'];
	const input = files.map(file => `${file}\0`).join('');
	await runWorkTreeGit(gitPath, directory, ['--literal-pathspecs', 'stash', 'push', ...how], { input });
}

/**
 * Throws a FilterRefused if files that differ in `tip`, or all of its files if `from` is undefined, need a filter from
 * the repository's own configuration. Git would only notice in the middle of its work.
 */
export async function refuseFilters(place: GitPlace, from: string | undefined, tip: string): Promise<void> {
	const { gitPath, directory } = place;
	const own = new Set(await readOwnFilters(gitPath, directory));
	if (own.size === 0) {
		return;
	}
	const list =
		from === undefined
			? ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tip]
			: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=d', from, tip, '--'];
	const names = await runGit(gitPath, directory, list, { encoding: 'latin1' });
	// The attributes are those of the branch, which a separate index holds without touching any file.
	const attributes = await withScratchIndex(place, async git => {
		await git(['read-tree', tip]);
		return git(['check-attr', '--cached', '-z', '--stdin', 'filter'], names);
	});
	const fields = attributes.split('\0');
	for (let index = 0; index + 2 < fields.length; index += 3) {
		const filter = fields[index + 2] ?? '';
		if (own.has(filter)) {
			throw new FilterRefused(filter, Buffer.from(fields[index] ?? '', 'latin1').toString());
		}
	}
}
