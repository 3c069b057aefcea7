import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { isGitsOwn } from '../../base/decisiveFiles.ts';
import { isWithin, realPathOf } from '../../base/filePlace.ts';
import { ToolFailure } from '../failures.ts';

/** A path inside the session's folder. */
export interface Place {
	/** The absolute path, without links. */
	absolute: string;
	/** The path relative to the session’s folder, with forward slashes. */
	relative: string;
}

/**
 * Resolves a path that the model has named. Throws a ToolFailure for one outside the folder, even by way of a link, for
 * git's own files, and for a name that could not be shown.
 */
export async function placeIn(folder: string, named: string): Promise<Place> {
	if (/\p{Cc}/u.test(named)) {
		throw new ToolFailure('The path has a control character, which is not allowed.');
	}
	const wanted = path.resolve(folder, named);
	const absolute = await realPathOf(wanted);
	if (absolute === undefined) {
		throw new ToolFailure(
			`${named} cannot be used: it is a link whose target does not exist, or a name that the system does not take.`,
		);
	}
	if (absolute !== folder && !isWithin(folder, absolute)) {
		throw new ToolFailure(`${named} lies outside of the working folder, which is not allowed.`);
	}
	const relative = path.relative(folder, absolute).split(path.sep).join('/');
	if (isGitsOwn(relative) || isGitsOwn(path.relative(folder, wanted))) {
		throw new ToolFailure(`${named} is one of git's own files, which is not allowed.`);
	}
	return { absolute, relative: relative || '.' };
}

export function isThere({ absolute }: Place): Promise<boolean> {
	return lstat(absolute).then(
		() => true,
		() => false,
	);
}

/** Returns the failure of a call for a file that does not exist. */
export function notThere({ relative }: Place): ToolFailure {
	return new ToolFailure(`${relative} does not exist. List the folder to see what there is.`);
}

/** Returns the size of a file in bytes. Throws a ToolFailure unless the place is a regular file. */
export async function fileSizeOf({ absolute, relative }: Place): Promise<number> {
	const status = await lstat(absolute).catch(() => undefined);
	if (status === undefined) {
		throw notThere({ absolute, relative });
	}
	if (!status.isFile()) {
		throw new ToolFailure(`${relative} is ${status.isDirectory() ? 'a folder' : 'no plain file'}.`);
	}
	return status.size;
}
