// Where a file really lies. Links of the file system make a path say one place and mean another.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';

export interface FilePlace {
	/** It lies in a folder of the workspace. */
	isInside: boolean;
	/** It is one of git's own files: what they say can make git run programs, wherever they are. */
	isGits: boolean;
	/** Without links; undefined where nobody can tell, because a link leads nowhere or in a circle. */
	path: string | undefined;
}

/** Judges a file by where it is, or would be, once its links are followed. `folders` are those of the workspace. */
export async function placeOf(file: string, folders: readonly string[]): Promise<FilePlace> {
	const real = await realPathOf(file);
	const roots = await Promise.all(folders.map(realPathOf));
	return {
		isInside: real !== undefined && roots.some(root => root !== undefined && isWithin(root, real)),
		isGits: isGitsOwn(file) || (real !== undefined && isGitsOwn(real)),
		path: real,
	};
}

/**
 * The path without links, also of a file that is not there yet: its nearest folder that is there says where it would be.
 * Undefined where that cannot be told.
 */
export async function realPathOf(file: string): Promise<string | undefined> {
	const missing: string[] = [];
	for (let current = path.resolve(file); ; current = path.dirname(current)) {
		try {
			return path.join(await realpath(current), ...missing);
		} catch (error) {
			// A link without a target is there, and whoever writes to it writes to what it names.
			const isThere = await lstat(current).then(
				() => true,
				() => false,
			);
			if (isThere || !isMissing(error) || path.dirname(current) === current) {
				return undefined;
			}
		}
		missing.unshift(path.basename(current));
	}
}

/** Whether `file` lies in `folder`. Both without links. */
export function isWithin(folder: string, file: string): boolean {
	const relative = path.relative(folder, file);
	return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** Whether a part of the path is git's folder, by any of the names under which a file system finds it. */
export function isGitsOwn(file: string): boolean {
	return file.split(/[\\/]/).some(part => {
		// Windows leaves out dots and blanks at the end and what follows a colon, macOS what has no width.
		const [name = ''] = part.replace(/\p{Cf}/gu, '').split(':');
		return /^(?:\.git|git~\d+)[. ]*$/i.test(name);
	});
}

function isMissing(error: unknown): boolean {
	const { code } = error as NodeJS.ErrnoException;
	return code === 'ENOENT' || code === 'ENOTDIR';
}
