import { lstat, readdir, unlink } from 'node:fs/promises';
import { placeOf } from '../../base/gitNames.ts';

/** All names are byte strings (`latin1`), relative to the tree. */
export interface SpecialFiles {
	/** Pipes, sockets and devices. */
	removed: string[];
	/** Ignore and attributes files that were far larger than any real one. */
	removedLists: string[];
	/** Folders that cannot be read: closed, or nested more deeply than a path can be long. git skips them. */
	unreadable: string[];
}

/** The files that git reads in every folder of a tree, whole and before anything else. */
const LISTS = new Set(['.gitignore', '.gitattributes']);
export const MAXIMUM_LIST_BYTES = 10_000_000;

/**
 * Removes from a tree the files that git would read without end. It opens ignore and attributes files without checking
 * their type, and would wait for a pipe for ever; it holds each in memory as a whole, even a sparse file of gigabytes
 * that takes no space on the disk.
 */
export async function removeSpecialFiles(tree: string): Promise<SpecialFiles> {
	const found: SpecialFiles = { removed: [], removedLists: [], unreadable: [] };
	const folders: string[] = [''];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		const entries = await readdir(placeOf(tree, folder), { encoding: 'buffer', withFileTypes: true }).catch(() => {
			found.unreadable.push(folder);
			return [];
		});
		for (const entry of entries) {
			const base = entry.name.toString('latin1');
			const name = `${folder}${base}`;
			if (entry.isDirectory()) {
				folders.push(`${name}/`);
			} else if (!entry.isFile() && !entry.isSymbolicLink()) {
				await unlink(placeOf(tree, name));
				found.removed.push(name);
			} else if (LISTS.has(base) && (await lstat(placeOf(tree, name))).size > MAXIMUM_LIST_BYTES) {
				await unlink(placeOf(tree, name));
				found.removedLists.push(name);
			}
		}
	}
	return found;
}

/** Returns the number of bytes to read in the files, holes included. Names are byte strings; missing files count 0. */
export async function bytesToRead(tree: string, names: readonly string[]): Promise<number> {
	let bytes = 0;
	for (const name of names) {
		bytes += (await lstat(placeOf(tree, name)).catch(() => undefined))?.size ?? 0;
	}
	return bytes;
}

/** Returns whether a name is among the others, or lies below one of them. */
export function isOrLiesIn(others: ReadonlySet<string>, name: string): boolean {
	for (let end = name.length; end > 0; end = name.lastIndexOf('/', end - 1)) {
		if (others.has(name.slice(0, end))) {
			return true;
		}
	}
	return false;
}
