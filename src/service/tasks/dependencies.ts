import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The commands by which package managers install from a lockfile, by its name. */
const INSTALLERS: Readonly<Record<string, string>> = {
	'package-lock.json': 'npm ci',
	'npm-shrinkwrap.json': 'npm ci',
	'pnpm-lock.yaml': 'pnpm install --frozen-lockfile',
	'yarn.lock': 'yarn install --immutable',
	'bun.lock': 'bun install --frozen-lockfile',
	'Cargo.lock': 'cargo fetch --locked',
	'go.sum': 'go mod download',
	'poetry.lock': 'poetry install',
	'uv.lock': 'uv sync --locked',
	'Pipfile.lock': 'pipenv sync',
	'Gemfile.lock': 'bundle install',
	'composer.lock': 'composer install',
};
const MAXIMUM_DEPTH = 3;
const MAXIMUM_LOCKFILES = 20;
const MAXIMUM_FOLDERS = 2_000;

export interface Lockfile {
	/** The path relative to the tree. */
	name: string;
	command: string;
}

/** Finds the lockfiles of a tree, those nearest to its top first. Links are not followed. */
export async function findLockfiles(tree: string): Promise<Lockfile[]> {
	const found: Lockfile[] = [];
	const folders = [''];
	for (let looked = 0; looked < Math.min(folders.length, MAXIMUM_FOLDERS); looked++) {
		const folder = folders[looked] ?? '';
		const entries = await readdir(path.join(tree, folder), { withFileTypes: true }).catch(() => []);
		for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const name = path.posix.join(folder, entry.name);
			const command = Object.hasOwn(INSTALLERS, entry.name) ? INSTALLERS[entry.name] : undefined;
			if (entry.isFile() && command !== undefined && found.length < MAXIMUM_LOCKFILES) {
				found.push({ name, command });
			} else if (entry.isDirectory() && entry.name !== 'node_modules' && folder.split('/').length < MAXIMUM_DEPTH) {
				folders.push(name);
			}
		}
	}
	return found;
}
