import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Package managers can install from this file if there is no lockfile. */
export const MANIFEST = 'package.json';

/** The files from which package managers install, in order of precedence within a folder. */
export const LOCKFILES = [
	'npm-shrinkwrap.json',
	'package-lock.json',
	'pnpm-lock.yaml',
	'yarn.lock',
	'bun.lock',
	'bun.lockb',
	MANIFEST,
	'uv.lock',
	'poetry.lock',
	'Pipfile.lock',
	'requirements.txt',
	'Cargo.lock',
	'go.sum',
	'Gemfile.lock',
	'composer.lock',
] as const;
export type LockfileName = (typeof LOCKFILES)[number];

/** Below the top, files with these names often list the packages of a tool, an example or the documentation. */
const TOP_ONLY: ReadonlySet<LockfileName> = new Set([MANIFEST, 'requirements.txt']);
/** Folders that hold installed packages or history, and no sources. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** The maximum depth of a lockfile's folder below the top. */
const MAXIMUM_DEPTH = 3;
const MAXIMUM_LOCKFILES = 20;
const MAXIMUM_FOLDERS = 2_000;

/** Returns the kind of a file by its path, or undefined if no package manager installs from it. */
export function lockfileNameOf(file: string): LockfileName | undefined {
	const name = LOCKFILES.find(known => known === path.posix.basename(file));
	return name !== undefined && TOP_ONLY.has(name) && file !== name ? undefined : name;
}

/** Finds the lockfiles of a tree, by their relative paths, those nearest to the top first. Links are not followed. */
export async function findLockfiles(tree: string): Promise<string[]> {
	const found: string[] = [];
	const folders = [''];
	for (let looked = 0; looked < Math.min(folders.length, MAXIMUM_FOLDERS); looked++) {
		const folder = folders[looked] ?? '';
		const entries = await readdir(path.join(tree, folder), { withFileTypes: true }).catch(() => []);
		for (const entry of entries) {
			const name = path.posix.join(folder, entry.name);
			if (entry.isFile()) {
				found.push(name);
			} else if (entry.isDirectory() && depthOf(name) < MAXIMUM_DEPTH) {
				folders.push(name);
			}
		}
	}
	return lockfilesAmong(found);
}

/** Selects the lockfiles among the relative paths of a tree's files, with slashes, those nearest to the top first. */
export function lockfilesAmong(files: readonly string[]): string[] {
	return files
		.filter(file => lockfileNameOf(file) !== undefined && depthOf(file) <= MAXIMUM_DEPTH)
		.filter(file => !file.split('/').some(folder => SKIPPED.has(folder)))
		.sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1))
		.slice(0, MAXIMUM_LOCKFILES);
}

const depthOf = (file: string): number => file.split('/').length - 1;
