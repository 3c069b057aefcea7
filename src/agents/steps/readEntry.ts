import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { placeOf } from '../../base/gitNames.ts';

/** Windows knows neither links that are followed here nor pipes in a folder. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const TRIES = 3;

/** The file or link that a tree has under a name. */
export interface FoundEntry {
	mode: '100644' | '100755' | '120000';
	content: Buffer;
}

/**
 * Reads a file or a link of a tree in which an agent is at work. Whatever that puts in the place of the name or of one of
 * its folders meanwhile, nothing outside of the tree is read, and nothing is waited for. `tree` is a path without links.
 * Returns undefined for anything else, or for what is never the same long enough to be read.
 */
export async function readEntry(tree: string, name: string, maximumBytes: number): Promise<FoundEntry | undefined> {
	const place = placeOf(tree, name);
	for (let tries = 0; tries < TRIES; tries++) {
		const status = await lstat(place).catch(() => undefined);
		if (status === undefined) {
			return undefined;
		}
		if (status.isSymbolicLink()) {
			const target = await readlink(place, { encoding: 'buffer' }).catch(() => undefined);
			if (target !== undefined && (await hasPlainFolders(tree, name))) {
				return { mode: '120000', content: target };
			}
			continue;
		}
		const content = status.isFile() ? await readPlainFile(tree, name, maximumBytes) : undefined;
		if (content !== undefined) {
			return { mode: (status.mode & 0o100) === 0 ? '100644' : '100755', content };
		}
		if (!status.isFile()) {
			return undefined;
		}
	}
	return undefined;
}

async function readPlainFile(tree: string, name: string, maximumBytes: number): Promise<Buffer | undefined> {
	const place = placeOf(tree, name);
	const handle = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
	try {
		const status = await handle?.stat();
		if (handle === undefined || !status?.isFile() || status.size > maximumBytes) {
			return undefined;
		}
		// On Linux the system itself says what was opened. Elsewhere a folder may in theory be a link for a moment.
		const isInside =
			process.platform === 'linux'
				? (await readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' })).equals(place)
				: (await lstat(place)).ino === status.ino && (await hasPlainFolders(tree, name));
		if (!isInside) {
			return undefined;
		}
		const content = Buffer.alloc(status.size);
		let length = 0;
		while (length < content.length) {
			const { bytesRead } = await handle.read(content, length, content.length - length, length);
			if (bytesRead === 0) {
				break;
			}
			length += bytesRead;
		}
		return content.subarray(0, length);
	} catch {
		return undefined;
	} finally {
		await handle?.close();
	}
}

async function hasPlainFolders(tree: string, name: string): Promise<boolean> {
	for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
		if (!(await lstat(placeOf(tree, folder)).catch(() => undefined))?.isDirectory()) {
			return false;
		}
	}
	return true;
}

/** Identifies a state of a file: a program can set the other times of a file, but not the one of its last change. */
export const stampOf = ({ ctimeNs, size, ino, mode }: BigIntStats): string => `${ctimeNs} ${size} ${ino} ${mode}`;
