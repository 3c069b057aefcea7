import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LentFolder } from '../../agents/sandbox/wrap.ts';
import { defined } from '../../base/defined.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { agentPath } from '../model/checkpoint.ts';

/** Where package managers install what a project depends on. */
const DEPENDENCIES: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv', 'vendor']);

/** The number of folders that are shown, in the order of their paths. */
const MAXIMUM_FOLDERS = 200;

/**
 * Resolves with the folders of installed dependencies, which git ignores, so that a copy has none of them. Programs in the
 * copy can use them and change nothing of them. `at` is the folder of the repository's files in the copy, if they have one of
 * their own. Rejects when git fails.
 */
export async function lentFolders({ gitPath, directory }: GitPlace, copy: string, at?: string): Promise<LentFolder[]> {
	const listed = await runGit(gitPath, directory, [
		'ls-files',
		'-z',
		'--others',
		'--ignored',
		'--exclude-standard',
		'--directory',
	]);
	const folders = listed
		.split('\0')
		.filter(name => name.endsWith('/'))
		.map(name => name.slice(0, -1))
		.filter(name => DEPENDENCIES.has(path.posix.basename(name)))
		.slice(0, MAXIMUM_FOLDERS)
		.map(name => ({ source: path.join(directory, name), at: agentPath({ ...defined({ at }) }, name) }));
	const isSafe = await Promise.all(folders.map(folder => isPlainPlace(copy, folder.at)));
	return folders.filter((_, index) => isSafe[index]);
}

/** Whether no link leads to a place. An agent may have left one, which would be followed out of the copy to show a folder. */
async function isPlainPlace(copy: string, place: string): Promise<boolean> {
	const top = await realpath(copy);
	const folder = path.join(top, path.posix.dirname(place));
	const isFolder = async (name: string) => (await lstat(name)).isDirectory();
	const [real, isThere, isFree] = await Promise.all([
		realpath(folder).catch(() => ''),
		isFolder(folder).catch(() => false),
		isFolder(path.join(top, place)).catch(() => true),
	]);
	return real === folder && isThere && isFree;
}
