import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { isPlainFolder } from '../../base/filePlace.ts';
import type { LentFolder } from './wrap.ts';

/** The names of the folders in which package managers install a project's dependencies. */
const DEPENDENCIES: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv', 'vendor']);

/** The maximum number of folders that are shown, in the order of their paths. */
const MAXIMUM_FOLDERS = 200;

/**
 * Resolves with the folders of installed dependencies in a user's repository, by their relative paths with slashes. git
 * ignores these folders, so a copy has none of them. `git` runs git there and returns its output.
 */
export async function dependencyFolders(git: (args: readonly string[]) => Promise<string>): Promise<string[]> {
	const listed = await git(['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']);
	return listed
		.split('\0')
		.filter(name => name.endsWith('/'))
		.map(name => name.slice(0, -1))
		.filter(name => DEPENDENCIES.has(path.posix.basename(name)))
		.slice(0, MAXIMUM_FOLDERS);
}

/** Selects the folders that can be shown read-only in a copy, so that programs there can use them. */
export async function lendable(folders: readonly LentFolder[], copy: string): Promise<LentFolder[]> {
	const isSafe = await Promise.all(folders.map(folder => isPlainPlace(copy, folder.at)));
	return folders.filter((_, index) => isSafe[index]);
}

/**
 * Returns whether a place in the copy is reached without links. An agent may have left one, and showing a folder there
 * would follow it out of the copy.
 */
async function isPlainPlace(copy: string, place: string): Promise<boolean> {
	const isFree = await lstat(path.join(copy, place)).then(
		status => status.isDirectory(),
		() => true,
	);
	return isFree && isPlainFolder(copy, path.posix.dirname(place));
}
