// Finds where a file really lies: links can make a path name one place and mean another.
import { lstatSync, realpathSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isGitsOwn } from './decisiveFiles.ts';
import { systemErrorCode } from './errors.ts';

export interface FilePlace {
	/** True if the file lies in a folder of the workspace. */
	isInside: boolean;
	/** True if it is one of git's own files. These can make git run programs, wherever they are. */
	isGits: boolean;
	/** The path without links; undefined if it is unknown because a link leads nowhere or in a circle. */
	path: string | undefined;
}

/** Judges a file by its place, existing or not, once its links are followed. `folders` are those of the workspace. */
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
 * Returns the path without links. For a file that does not exist yet, the nearest existing folder determines where it
 * would be. Returns undefined if that is unknown.
 */
export async function realPathOf(file: string): Promise<string | undefined> {
	const missing: string[] = [];
	for (let current = path.resolve(file); ; current = path.dirname(current)) {
		try {
			return path.join(await realpath(current), ...missing);
		} catch (error) {
			// A link whose target is missing does exist, and a write to it would create its target.
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

/**
 * Returns where the file `name` of the folder `top` lies or would lie, relative to `top`, once links are followed. Both
 * names have slashes. Returns undefined if a link leads out of the folder or nowhere.
 */
export function linkedPlace(top: string, name: string): string | undefined {
	const real = realPathNow(path.join(top, name));
	return real && pathWithin(realpathSync(top), real)?.split(path.sep).join('/');
}

function realPathNow(file: string): string | undefined {
	try {
		return realpathSync(file);
	} catch (error) {
		if (!isMissing(error) || lstatSync(file, { throwIfNoEntry: false }) || path.dirname(file) === file) {
			return undefined;
		}
		const folder = realPathNow(path.dirname(file));
		return folder && path.join(folder, path.basename(file));
	}
}

/**
 * Returns whether `name`, which may be any text, is a folder below `top` that is reached without links. The name has
 * slashes; `.` is `top` itself.
 */
export async function isPlainFolder(top: string, name: string): Promise<boolean> {
	const isBelow = name === '.' || name.split('/').every(part => part !== '' && part !== '.' && part !== '..');
	const expected = isBelow
		? await realpath(top).then(
				real => path.join(real, name),
				() => undefined,
			)
		: undefined;
	return (
		expected !== undefined &&
		(await realpath(expected).catch(() => undefined)) === expected &&
		(await stat(expected)).isDirectory()
	);
}

/**
 * Returns the path from `folder` to `file`, which is empty for the folder itself, or undefined if the file does not lie
 * in it. Both are absolute paths; their links are not followed.
 */
export function pathWithin(folder: string, file: string): string | undefined {
	const relative = path.relative(folder, file);
	return relative.split(path.sep)[0] === '..' || path.isAbsolute(relative) ? undefined : relative;
}

/** Returns whether `file` lies in `folder`. Both are paths without links. */
export function isWithin(folder: string, file: string): boolean {
	return Boolean(pathWithin(folder, file));
}

/** Returns whether `file` is `folder` or lies in it. Both are paths without links. */
export function isSameOrWithin(folder: string, file: string): boolean {
	return pathWithin(folder, file) !== undefined;
}

function isMissing(error: unknown): boolean {
	const code = systemErrorCode(error);
	return code === 'ENOENT' || code === 'ENOTDIR';
}
