import { constants } from 'node:fs';
import { chmod, lstat, open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';

/** An empty file takes space too, for its inode and its entry in a folder. */
const LEAST_BYTES = 4_096;
const BLOCK_BYTES = 512;

/** The permissions that the owner of a folder needs to list it and to examine its entries. */
const READABLE = constants.S_IRUSR | constants.S_IXUSR;
/** With this flag, Linux opens a folder whatever its permissions are. Node has no name for it. */
const O_PATH = 0o10_000_000;

/** Thrown if a folder is nested so deeply that its size cannot be measured. */
export class FolderTooDeepError extends Error {
	override readonly name = 'FolderTooDeepError';
}

/**
 * Returns the bytes that the folders and everything in them take on the disk, or the sum so far once it exceeds
 * `enough`. Links are not followed, and a file with several names counts once. On Linux, closed folders of this
 * process's user are opened, as an agent could hide gigabytes in them; folders closed by other users do not count. The
 * folders may be hostile and may change meanwhile. Rejects with a `FolderTooDeepError`, or the signal's reason.
 */
export async function folderSize(folders: readonly string[], enough: number, signal: AbortSignal): Promise<number> {
	const seen = new Set<string>();
	let bytes = 0;
	for (const queue = [...folders]; queue.length > 0 && bytes <= enough; ) {
		const folder = queue.pop() ?? '';
		await makeReadable(folder).catch(ignoreGone);
		const directory = await opendir(folder).catch(ignoreGone);
		if (directory === undefined) {
			continue;
		}
		for await (const entry of directory) {
			signal.throwIfAborted();
			const file = path.join(folder, entry.name);
			const status = await lstat(file, { bigint: false }).catch(ignoreGone);
			if (status === undefined || isRepeated(status, seen)) {
				continue;
			}
			bytes += Math.max(status.blocks * BLOCK_BYTES, LEAST_BYTES);
			if (status.isDirectory()) {
				queue.push(file);
			}
			if (bytes > enough) {
				break;
			}
		}
	}
	return bytes;
}

/** Makes a folder of our own readable for us. A link in its place is not followed, even if it is created meanwhile. */
async function makeReadable(folder: string): Promise<void> {
	const user = process.geteuid?.();
	const isOpen = (mode: number) => (mode & READABLE) === READABLE;
	if (process.platform !== 'linux' || user === 0 || isOpen((await lstat(folder)).mode)) {
		return;
	}
	const handle = await open(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	try {
		const { uid, mode } = await handle.stat();
		if (uid === user && !isOpen(mode)) {
			await chmod(`/proc/self/fd/${handle.fd}`, (mode & 0o7777) | READABLE);
		}
	} finally {
		await handle.close();
	}
}

function isRepeated(status: { dev: number; ino: number; nlink: number; isDirectory(): boolean }, seen: Set<string>) {
	if (status.nlink < 2 || status.isDirectory()) {
		return false;
	}
	const identity = `${status.dev}:${status.ino}`;
	const isKnown = seen.has(identity);
	seen.add(identity);
	return isKnown;
}

function ignoreGone(error: unknown): undefined {
	if (systemErrorCode(error) === 'ENAMETOOLONG') {
		throw new FolderTooDeepError('A folder lies too deep to be measured.', { cause: error });
	}
	return undefined;
}
