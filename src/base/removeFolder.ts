import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from './errors.ts';

/** The number of attempts at a removal. Another removal may move folders while this one looks for them. */
const ATTEMPTS = 5;

/**
 * Removes a folder and everything in it, whatever a program has left there: folders nested deeper than the longest
 * path, and folders closed to their owner. Resolves even if there is no such folder; rejects with the system's error.
 */
export async function removeFolder(folder: string): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await rm(folder, { recursive: true, force: true, maxRetries: 3 });
		} catch (error) {
			if (attempt === ATTEMPTS) {
				throw error;
			}
			await flatten(folder);
		}
	}
}

/** Moves every nested folder to the top, one level at a time, so that no path to a folder is ever long. */
async function flatten(folder: string): Promise<void> {
	// No program could have chosen these names before.
	const unique = randomUUID();
	let moved = 0;
	for (let folders = await foldersIn(folder); folders.length > 0; folders = await foldersIn(folder)) {
		for (const outer of folders) {
			for (const inner of await foldersIn(outer)) {
				await rename(inner, path.join(folder, `${unique}-${++moved}`)).catch(unlessGone);
			}
			await rm(outer, { recursive: true, force: true, maxRetries: 3 });
		}
	}
}

/**
 * Opens the folders, as their owner may, since closed ones can be neither read nor moved. Names may have any encoding.
 */
async function foldersIn(folder: string | Buffer): Promise<Buffer[]> {
	const folders: Buffer[] = [];
	const entries = await readdir(folder, { encoding: 'buffer', withFileTypes: true }).catch(unlessGone);
	for (const entry of entries ?? []) {
		if (entry.isDirectory()) {
			const place = Buffer.concat([Buffer.from(folder), Buffer.from(path.sep), entry.name]);
			await chmod(place, 0o700).catch(unlessGone);
			folders.push(place);
		}
	}
	return folders;
}

/** A failed removal goes on for a while alongside the next one, and whatever it removes is gone for both. */
function unlessGone(error: unknown): undefined {
	if (systemErrorCode(error) !== 'ENOENT') {
		throw error;
	}
}
