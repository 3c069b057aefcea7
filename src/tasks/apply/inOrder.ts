import path from 'node:path';
import type { Change } from './change.ts';

/** The name of the files in which git keeps the attributes of paths. */
export const ATTRIBUTES = '.gitattributes';

/**
 * Sorts changes into the order in which they are applied. A file is removed before anything takes its place or that of
 * its folder. Attributes come last, so that all others are compared with the user's files by the present ones.
 */
export function inOrder<T extends Change>(changes: readonly T[]): T[] {
	const makingRoom = findMakingRoom(changes);
	const seen = new Set<T>();
	const ordered: T[] = [];
	const visit = (change: T) => {
		if (!seen.has(change)) {
			seen.add(change);
			makingRoom(change).forEach(visit);
			ordered.push(change);
		}
	};
	const rank = (change: T) => (hasAttributes(change) ? 2 : change.after ? 1 : 0);
	changes.toSorted((one, other) => rank(one) - rank(other)).forEach(visit);
	return ordered;
}

/** Returns whether a change is to an attributes file. */
export function hasAttributes({ before, after }: Change): boolean {
	return [before, after].some(version => version && path.posix.basename(version.path) === ATTRIBUTES);
}

/**
 * Returns a function that finds the changes to be applied before another one, because the files that they remove are in
 * its way.
 */
export function findMakingRoom<T extends Change>(changes: readonly T[]): (change: T) => T[] {
	const leaving = new Map<string, T>();
	/** The changes that remove a file from a folder, at any depth. */
	const within = new Map<string, T[]>();
	for (const change of changes) {
		const { before, after } = change;
		if (before && before.path !== after?.path) {
			leaving.set(before.path, change);
			for (const folder of foldersOf(before.path)) {
				const known = within.get(folder);
				known?.push(change);
				within.set(folder, known ?? [change]);
			}
		}
	}
	return change => {
		const place = change.after?.path ?? '';
		const above = foldersOf(place).flatMap(folder => leaving.get(folder) ?? []);
		return [...above, ...(within.get(place) ?? [])].filter(other => other !== change);
	};
}

/** Returns the folders that a path lies in, the innermost first, without the top folder. */
export function foldersOf(name: string): string[] {
	const folders: string[] = [];
	for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
		folders.push(name.slice(0, end));
	}
	return folders;
}
