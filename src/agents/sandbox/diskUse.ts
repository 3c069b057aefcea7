import { statfs } from 'node:fs/promises';
import type { Clock } from '../../base/async.ts';
import { FolderTooDeepError, folderSize } from './folderSize.ts';
import { GIGABYTE, inGigabytes } from './limits.ts';

/** The pause between two measurements, in durations of the first. Thus measuring takes at most a tenth of the time. */
export const PAUSE_FACTOR = 9;

/** What stays free on the disk whatever an agent does. A disk with less than twice that keeps half of it. */
const FREE_RESERVE = GIGABYTE;

/** Measures folders often while the disk fills, and seldom when there are many files and nothing happens. */
export class DiskUse {
	private readonly folders: readonly string[];
	private readonly limit: number;
	private readonly clock: Clock;
	private readonly freeBytes: (folder: string) => Promise<number>;
	private freeAtStart: number | undefined;
	private measured = { bytes: 0, free: 0, next: 0 };

	constructor(folders: readonly string[], limit: number, clock: Clock, freeBytes = freeBytesOf) {
		this.folders = folders;
		this.limit = limit;
		this.clock = clock;
		this.freeBytes = freeBytes;
	}

	/** Returns a sentence if the disk must not be written any further. */
	async problem(signal: AbortSignal): Promise<string | undefined> {
		const free = Math.min(...(await Promise.all(this.folders.map(this.freeBytes))));
		this.freeAtStart ??= free;
		// This also holds files that have no name any more and folders that only the agent may read.
		if (free < Math.min(FREE_RESERVE, this.freeAtStart / 2)) {
			return 'The agent was stopped because the disk is nearly full. Make room on it before you start the agent again.';
		}
		const lost = this.measured.free - free;
		if (this.clock.now() < this.measured.next && lost < Math.max(this.limit - this.measured.bytes, this.limit / 10)) {
			return undefined;
		}
		const started = this.clock.now();
		try {
			const bytes = await folderSize(this.folders, this.limit, signal);
			this.measured = { bytes, free, next: this.clock.now() + PAUSE_FACTOR * (this.clock.now() - started) };
			return bytes <= this.limit
				? undefined
				: `The agent was stopped because its files took more than ${inGigabytes(this.limit)} of disk space. Ask it for less, or remove what it need not copy.`;
		} catch (error) {
			if (error instanceof FolderTooDeepError) {
				return 'The agent was stopped because it made folders inside one another, too deep for their size to be measured. Ask it not to.';
			}
			throw error;
		}
	}
}

async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}
