import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { describeError, UserFacingError } from '../base/errors.ts';

const OTHERS = 0o077;

/**
 * Where the agents of tasks work: beside the state folder, as that holds a token, and everything in a repository is
 * somebody else's.
 */
export function workFolderOf(stateFolder: string): string {
	return `${stateFolder}-work`;
}

/**
 * Makes the state folder or the folder to work in, or checks the one there is: a real folder, of this OS user, closed to all others.
 * It will hold a token and prompts, so whatever cannot be made so is refused with a sentence.
 */
export function prepareStateFolder(folder: string): void {
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
	} catch (error) {
		throw new UserFacingError(
			`The data folder ${folder} cannot be made (${describeError(error)}). Choose another with --data.`,
		);
	}
	// lstat: behind a link, what is checked here and what is used later could be two folders.
	const status = lstatSync(folder);
	if (status.isSymbolicLink()) {
		throw new UserFacingError(`The data folder ${folder} is a symbolic link. Give the folder itself with --data.`);
	}
	if (!status.isDirectory()) {
		throw new UserFacingError(`${folder} is not a folder. Choose another with --data.`);
	}
	// On Windows the profile's own access list does this.
	if (typeof process.getuid !== 'function') {
		return;
	}
	if (status.uid !== process.getuid()) {
		throw new UserFacingError(
			`The data folder ${folder} belongs to another user. Choose one of your own with --data, or take this one over.`,
		);
	}
	if ((status.mode & OTHERS) !== 0) {
		chmodSync(folder, 0o700);
		if ((lstatSync(folder).mode & OTHERS) !== 0) {
			throw new UserFacingError(
				`The data folder ${folder} is open to other users and its file system keeps it so. Choose another with --data.`,
			);
		}
	}
}
