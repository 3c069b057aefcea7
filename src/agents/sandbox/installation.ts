// Determines which folders of the host hold an installed program, and which must never be shown to an agent.
import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../../base/attempt.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';

const BESIDE_BIN = ['lib', 'share', 'include', 'libexec'];

/** Returns whether showing the folder would show one of the private ones. */
export function holdsPrivate(folder: string, privateFolders: readonly string[]): boolean {
	return privateFolders.some(candidate => isSameOrWithin(folder, candidate));
}

/**
 * Returns the part to show of the folder that contains a program and has no links in its path: the installation around
 * it if it is a `bin` with the usual folders beside it, or else the folder alone. A repository's own `bin` and `lib` do
 * not form an installation. Returns undefined if that would show one of the private folders.
 */
export function installationOf(folder: string, privateFolders: readonly string[]): string | undefined {
	const prefix = path.dirname(folder);
	const isPrefix =
		path.basename(folder) === 'bin' &&
		BESIDE_BIN.some(name => existsSync(path.join(prefix, name))) &&
		!existsSync(path.join(prefix, '.git')) &&
		!holdsPrivate(prefix, privateFolders);
	if (isPrefix) {
		return prefix;
	}
	return holdsPrivate(folder, privateFolders) ? undefined : folder;
}

/** The files in an installation in which programs store login tokens, by the folder from which they read them. */
const TOKEN_FILES = [
	...['.npmrc', 'etc/npmrc', 'lib/node_modules/npm/npmrc', 'share/nodejs/npm/npmrc', '.yarnrc', '.yarnrc.yml'],
	...['etc/yarnrc', 'bunfig.toml', '.condarc', 'condarc', '.mambarc', 'conda-meta/state', 'pip.conf', '.pypirc'],
	...['uv.toml', 'etc/gemrc', '.gemrc', '.gem/credentials', '.bundle/config', 'conf/settings.xml', 'gradle.properties'],
	...['.cargo/credentials', '.cargo/credentials.toml', 'credentials', 'credentials.toml', 'auth.json', '.netrc'],
	...['.git-credentials', '.curlrc', '.wgetrc', 'etc/wgetrc', '.env'],
];
/** conda reads all files in these folders. */
const TOKEN_FOLDERS = ['condarc.d', '.condarc.d'];

/** Folders that belong to an installation or a project itself. They contain no other installation. */
const INNER_FOLDERS: ReadonlySet<string> = new Set([
	...BESIDE_BIN,
	...['bin', 'sbin', 'src', 'pkgs', 'node_modules', 'vendor', '.git'],
]);

/** The maximum depth of a version manager's installations, as in `.volta/tools/image/node/24.1.0`. */
const DEEPEST_INSTALLATION = 4;

/**
 * Returns the files with tokens in a folder with one installation, or with several as a version manager has. They must
 * be hidden when it is shown. Links are followed, so a file may lie elsewhere.
 */
export function tokenFilesIn(folder: string, levels = DEEPEST_INSTALLATION): string[] {
	const entries = entriesOf(folder);
	const names = new Set(entries.map(({ name }) => name));
	const listed = TOKEN_FOLDERS.filter(name => names.has(name)).flatMap(name =>
		entriesOf(path.join(folder, name)).map(entry => `${name}/${entry.name}`),
	);
	const own = [...TOKEN_FILES, ...listed]
		.filter(name => names.has(name.split('/')[0] ?? name))
		.flatMap(name => attempt(() => realpathSync(path.join(folder, name))) ?? []);
	const further =
		levels === 0 || INNER_FOLDERS.has(path.basename(folder))
			? []
			: entries.filter(entry => entry.isDirectory() && !INNER_FOLDERS.has(entry.name));
	return [...own, ...further.flatMap(({ name }) => tokenFilesIn(path.join(folder, name), levels - 1))];
}

const entriesOf = (folder: string): Dirent[] => attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/**
 * The folders below the home folder in which installers mix credentials and other programs' data. None of them is shown
 * as a whole.
 */
const SHARED_FOLDERS = [
	'.cargo',
	'.config',
	'.cache',
	'.gem',
	'.gnupg',
	'.local',
	'.local/share',
	'.ssh',
	'.aws',
	'.kube',
];

/** Returns all private folders: the home folder, its folders that must be hidden, and the given ones. */
export function privateFoldersOf(home: string, further: readonly string[]): string[] {
	return [home, ...SHARED_FOLDERS.map(name => path.join(home, name)), ...further].map(folder => path.resolve(folder));
}
