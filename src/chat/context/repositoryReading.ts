import { readable, split } from '../../base/gitNames.ts';
import { GitRefusal, readFilters, runGit } from '../../platform/gitCommand.ts';
import { type ComparedFile, findFiltered, findUnchanged } from '../../platform/gitFilters.ts';

/** The number of paths that one git command gets, because command lines are limited in length. */
const PATHS_AT_ONCE = 100;

/**
 * Keeps git out of submodules, whatever `diff.submodule` says: it would run programs that a submodule's configuration
 * names.
 */
const HOW = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty', '--submodule=short'];

/** Resolves to whether git ignores a file. Rejects with a GitRefusal if git could not be asked. */
export async function isIgnored(gitPath: string, directory: string, file: string): Promise<boolean> {
	try {
		await runGit(gitPath, directory, ['check-ignore', '-q', '--', file]);
		return true;
	} catch (error) {
		if (error instanceof GitRefusal) {
			throw error;
		}
		// git exits with an error code for a file that is not ignored.
		return false;
	}
}

/**
 * Resolves to the files below a folder that git does not ignore, relative to the repository. Rejects as `runGit` does.
 */
export async function listNotIgnored(gitPath: string, directory: string, folder: string): Promise<string[]> {
	const which = ['--cached', '--others', '--exclude-standard'];
	return split(await runGit(gitPath, directory, ['ls-files', '-z', ...which, '--', folder]));
}

export interface UncommittedChanges {
	/** A unified diff. */
	diff: string;
	/** Untracked files. */
	added: string[];
	/** Files that seem to be changed but whose content git stores through a filter. The diff leaves them out. */
	filtered: string[];
}

/** Resolves to the uncommitted changes as text. Rejects as `runGit` does. */
export async function readUncommitted(gitPath: string, directory: string): Promise<UncommittedChanges> {
	const git = (...commandLine: string[]) => runGit(gitPath, directory, commandLine);
	const hasCommit = await git('rev-parse', '--verify', '-q', 'HEAD').then(
		() => true,
		error => {
			if (error instanceof GitRefusal) {
				throw error;
			}
			return false;
		},
	);
	const diff = (...rest: string[]) =>
		// A repository without a commit can be compared only with its index.
		git('diff', ...HOW, hasCommit ? 'HEAD' : '--cached', '--', ...rest);
	const [added, { others, filtered }] = await Promise.all([
		git('ls-files', '--others', '--exclude-standard', '-z'),
		hasCommit ? listFiltered(gitPath, directory) : { others: [], filtered: undefined },
	]);
	const result = { added: split(added), filtered: filtered ?? [] };
	if (filtered === undefined) {
		return { ...result, diff: await diff() };
	}
	const parts: string[] = [];
	for (let index = 0; index < others.length; index += PATHS_AT_ONCE) {
		const paths = others.slice(index, index + PATHS_AT_ONCE).map(name => `:(top,literal)${name}`);
		parts.push(await diff(...paths));
	}
	return { ...result, diff: parts.join('') };
}

/**
 * Splits changed files into those that git stores through a filter and the others: compared without its filter, such a
 * file would seem to be entirely new. `filtered` is undefined if there are none.
 */
async function listFiltered(
	gitPath: string,
	directory: string,
): Promise<{ others: string[]; filtered: string[] | undefined }> {
	if ((await readFilters(gitPath, directory)).length === 0) {
		return { others: [], filtered: undefined };
	}
	const compare = ['diff-index', '-z', '--no-renames', '--ignore-submodules=dirty', 'HEAD', '--'];
	const fields = (await runGit(gitPath, directory, compare, { encoding: 'latin1' })).split('\0');
	const changed: ComparedFile[] = [];
	for (let index = 0; index + 1 < fields.length; index += 2) {
		// The line is `:<mode> <mode> <object> <object> <kind>`, followed by the name.
		changed.push({ object: fields[index]?.split(' ')[2] ?? '', name: fields[index + 1] ?? '' });
	}
	const names = changed.map(({ name }) => name);
	const through = await findFiltered(gitPath, directory, names);
	if (through.size === 0) {
		return { others: [], filtered: undefined };
	}
	const unchanged = await findUnchanged(
		gitPath,
		directory,
		changed.filter(({ name }) => through.has(name)),
	);
	return {
		others: names.filter(name => !through.has(name)).map(readable),
		filtered: names.filter(name => through.has(name) && !unchanged.has(name)).map(readable),
	};
}
