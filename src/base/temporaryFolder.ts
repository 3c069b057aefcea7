import type { Stats } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { onFirstUse } from './async.ts';
import { isProcessGone } from './processFamily.ts';

/** The name of a folder that `newTemporaryFolder` has made, with its process. */
const FOLDER = /^errand-[a-z]+-(\d+)-\w{6}$/;

/**
 * In a container that shares the folder for temporary files, a process that is not seen from here may well be running,
 * but none uses such a folder for so long.
 */
const LEFT_AFTER_MS = 24 * 60 * 60_000;

const sweep = onFirstUse(removeLeftFolders);

/**
 * Makes a folder below the system's temporary one, which only the user can open and which the caller removes
 * afterwards. `use` is a lower-case word for its name. Rejects with the system's error. The first call of a process also
 * removes what killed programs of the user have left there.
 */
export function newTemporaryFolder(use: string): Promise<string> {
	void sweep();
	return mkdtemp(path.join(os.tmpdir(), `errand-${use}-${process.pid}-`));
}

/** Runs `work` with a folder as `newTemporaryFolder` makes one, and removes it in the end. */
export async function withTemporaryFolder<T>(use: string, work: (folder: string) => Promise<T>): Promise<T> {
	const folder = await newTemporaryFolder(use);
	try {
		return await work(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Removes the folders of processes that are gone, once they are a day old. Never rejects. */
export function removeLeftFolders(): Promise<void> {
	return forLeftFolders(FOLDER, async (folder, { mtimeMs }) => {
		if (Date.now() - mtimeMs > LEFT_AFTER_MS) {
			await rm(folder, { recursive: true });
		}
	});
}

/**
 * Runs `remove` for each folder of this user below the system's temporary one whose process is gone. `pattern` matches
 * their names, with the process as its first group. Never rejects: a folder that cannot be removed, or that another
 * program is just removing, does no harm.
 */
export async function forLeftFolders(
	pattern: RegExp,
	remove: (folder: string, stats: Stats) => Promise<void>,
): Promise<void> {
	const temporary = os.tmpdir();
	const names = await readdir(temporary).catch(() => []);
	const left = names.filter(name => {
		const owner = Number(pattern.exec(name)?.[1]);
		return owner > 0 && isProcessGone(owner);
	});
	await Promise.allSettled(
		left.map(async name => {
			const folder = path.join(temporary, name);
			const stats = await lstat(folder);
			if (stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid())) {
				await remove(folder, stats);
			}
		}),
	);
}
