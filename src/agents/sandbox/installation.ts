// Which folders of the host hold an installed program, and which must never be shown to an agent.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isSameOrWithin } from '../../base/filePlace.ts';

const BESIDE_BIN = ['lib', 'share', 'include', 'libexec'];

/** Returns whether showing the folder would show one of the private ones. */
export function holdsPrivate(folder: string, privateFolders: readonly string[]): boolean {
	return privateFolders.some(candidate => isSameOrWithin(folder, candidate));
}

/**
 * Returns what has to be shown of the folder that a program lies in, which has no links in its path: the installation
 * around it if it is a `bin` with such folders beside it, or else the folder alone. A repository's own `bin` and `lib`
 * are no installation. Returns undefined if that would show one of the private folders.
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

/**
 * The folders below the home folder that installers share with credentials and other programs' data. None of them is
 * shown as a whole.
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

/** Returns all private folders: the home folder, what must not be shown of it, and the given ones. */
export function privateFoldersOf(home: string, further: readonly string[]): string[] {
	return [home, ...SHARED_FOLDERS.map(name => path.join(home, name)), ...further].map(folder => path.resolve(folder));
}
