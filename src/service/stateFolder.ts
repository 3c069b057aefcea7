import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeError, UserFacingError } from '../base/errors.ts';
import { removeFolder } from '../base/removeFolder.ts';

const OTHERS = 0o077;

/** Entries that a file system or a file manager puts into any folder. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['lost+found', '.DS_Store']);

export const LOCK_FILE = 'lock.sqlite';
export const DATABASE_FILE = 'state.sqlite';

/** The file that marks a folder as the work folder. */
export const WORK_MARKER = 'made-by-errand.txt';
const WORK_MARKER_TEXT =
	'Errand’s local service made this folder for the agents of its tasks. It removes what is in it, after a while.\n';

/**
 * Returns the folder in which the agents of tasks work. It lies beside the state folder, because that one holds a token
 * and the content of a repository is not trusted.
 */
export function workFolderOf(stateFolder: string): string {
	return `${stateFolder}-work`;
}

/** Creates the state folder or checks the existing one. Throws a UserFacingError if it cannot be used. */
export function prepareStateFolder(folder: string): void {
	// The lock is created before anything else; the database alone is there if somebody has moved it.
	prepareFolder(folder, [LOCK_FILE, DATABASE_FILE]);
}

/** Creates the work folder or checks the existing one. Throws a UserFacingError if it cannot be used. */
export function prepareWorkFolder(folder: string): void {
	if (prepareFolder(folder, [WORK_MARKER]) === 'empty') {
		writeFileSync(path.join(folder, WORK_MARKER), WORK_MARKER_TEXT, { flag: 'wx', mode: 0o600 });
	}
}

/**
 * Removes the work folder with everything in it except the folders to keep; if there are any, the work folder stays
 * too. Anything that somebody has put in its place stays.
 */
export async function removeWorkFolder(folder: string, isKept: (inside: string) => Promise<boolean>): Promise<void> {
	const marker = path.join(folder, WORK_MARKER);
	if (!existsSync(marker)) {
		return;
	}
	let hasKept = false;
	// The marker is removed last, so that a folder that a kill leaves half removed is still recognised.
	for (const name of readdirSync(folder).filter(other => other !== WORK_MARKER)) {
		if (await isKept(path.join(folder, name))) {
			hasKept = true;
		} else {
			await removeFolder(path.join(folder, name));
		}
	}
	if (hasKept) {
		return;
	}
	rmSync(marker);
	rmdirSync(folder);
}

/**
 * Creates a folder or checks the existing one: it must be a real folder of this OS user, closed to all others, and be
 * empty or contain one of the files that mark it as ours. It will hold a token and prompts, and things in it are
 * removed, so any other folder is refused with a UserFacingError.
 */
function prepareFolder(folder: string, markers: readonly string[]): 'empty' | 'marked' {
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
	} catch (error) {
		throw new UserFacingError(
			`The data folder ${folder} cannot be made (${describeError(error)}). Choose another with --data.`,
		);
	}
	// Behind a link, the folder that is checked here and the one that is used later could differ, hence lstat.
	const status = lstatSync(folder);
	if (status.isSymbolicLink()) {
		throw new UserFacingError(`The data folder ${folder} is a symbolic link. Give the folder itself with --data.`);
	}
	if (!status.isDirectory()) {
		throw new UserFacingError(`${folder} is not a folder. Choose another with --data.`);
	}
	if (process.getuid !== undefined && status.uid !== process.getuid()) {
		throw new UserFacingError(
			`The data folder ${folder} belongs to another user. Choose one of your own with --data, or take this one over.`,
		);
	}
	const names = readdirSync(folder).filter(name => !OF_THE_SYSTEM.has(name));
	if (names.length > 0 && !names.some(name => markers.includes(name))) {
		throw new UserFacingError(
			`The folder ${folder} holds files that the local service did not make, so it is left as it is. Choose another data folder with --data, or move it elsewhere.`,
		);
	}
	// On Windows, the access control list of the user's profile protects the folder.
	if (process.getuid !== undefined && (status.mode & OTHERS) !== 0) {
		chmodSync(folder, 0o700);
		if ((lstatSync(folder).mode & OTHERS) !== 0) {
			throw new UserFacingError(
				`The data folder ${folder} is open to other users and its file system keeps it so. Choose another with --data.`,
			);
		}
	}
	return names.length === 0 ? 'empty' : 'marked';
}
