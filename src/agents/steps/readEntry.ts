import {
	type BigIntStats,
	closeSync,
	constants,
	fstatSync,
	lstatSync,
	openSync,
	readlinkSync,
	readSync,
	type Stats,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { attempt } from '../../base/attempt.ts';
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
 * Returns undefined for anything else, or for what is never the same long enough to be read. It is not asynchronous,
 * because handing each call to another thread takes longer than the calls, and the agent waits.
 */
export function readEntry(tree: string, name: string, maximumBytes: number): FoundEntry | undefined {
	const place = placeOf(tree, name);
	for (let tries = 0; tries < TRIES; tries++) {
		const status = statusOf(place);
		if (status?.isSymbolicLink()) {
			const target = attempt(() => readlinkSync(place, { encoding: 'buffer' }));
			if (target !== undefined && hasPlainFolders(tree, name)) {
				return { mode: '120000', content: target };
			}
			continue;
		}
		if (!status?.isFile()) {
			return undefined;
		}
		const content = attempt(() => readPlainFile(tree, name, maximumBytes));
		if (content !== undefined) {
			return { mode: (status.mode & 0o100) === 0 ? '100644' : '100755', content };
		}
	}
	return undefined;
}

function readPlainFile(tree: string, name: string, maximumBytes: number): Buffer | undefined {
	const place = placeOf(tree, name);
	const file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		const status = fstatSync(file);
		if (!status.isFile() || status.size > maximumBytes) {
			return undefined;
		}
		// On Linux the system itself says what was opened. Elsewhere a folder may in theory be a link for a moment.
		const isInside =
			process.platform === 'linux'
				? readlinkSync(`/proc/self/fd/${file}`, { encoding: 'buffer' }).equals(place)
				: statusOf(place)?.ino === status.ino && hasPlainFolders(tree, name);
		if (!isInside) {
			return undefined;
		}
		const content = Buffer.alloc(status.size);
		let length = 0;
		while (length < content.length) {
			const bytesRead = readSync(file, content, length, content.length - length, length);
			if (bytesRead === 0) {
				break;
			}
			length += bytesRead;
		}
		return content.subarray(0, length);
	} finally {
		closeSync(file);
	}
}

function hasPlainFolders(tree: string, name: string): boolean {
	for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
		if (!statusOf(placeOf(tree, folder))?.isDirectory()) {
			return false;
		}
	}
	return true;
}

/** Returns undefined for what is not there, or below something that is no folder or cannot be read. */
const statusOf = (place: Buffer): Stats | undefined => attempt(() => lstatSync(place));

/** Identifies a state of a file: a program can set the other times of a file, but not the one of its last change. */
export const stampOf = ({ ctimeNs, size, ino, mode }: BigIntStats): string => `${ctimeNs} ${size} ${ino} ${mode}`;
