import { readdirSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { append } from '../../base/append.ts';
import { type Clock, systemClock } from '../../base/async.ts';
import { attempt } from '../../base/attempt.ts';
import type { Disposable } from '../../base/disposable.ts';
import { FolderTooDeepError, folderSize } from './folderSize.ts';
import { GIGABYTE, inGigabytes, type SandboxLimits } from './limits.ts';

const INTERVAL_MS = 1_000;

export interface ResourceWatchOptions {
	/** The id of the process that was started by `wrap`'s command. */
	pid: number;
	/** The host's paths of the tree and the home folder. */
	folders: readonly string[];
	limits: SandboxLimits;
	/** Called once, with a sentence for the user that says which limit was exceeded. The caller ends the sandbox. */
	onOver(sentence: string): void;
	clock?: Clock;
	/** Returns the bytes of memory that programs of this machine could still take. */
	freeMemory?(): number;
}

/**
 * Watches the resources that all processes of a sandbox use together. bubblewrap limits none of them, and the kernel
 * limits only single processes. Memory and processes are known only on Linux; elsewhere only the disk is watched. It
 * starts at once and ends when it is disposed or a limit has been exceeded.
 */
export class ResourceWatch implements Disposable {
	private readonly options: ResourceWatchOptions;
	private readonly clock: Clock;
	private readonly ended = new AbortController();
	private readonly disk: DiskUse;
	private readonly freeMemory: () => number;
	private readonly memoryReserve = new Reserve(MEMORY_RESERVE);

	constructor(options: ResourceWatchOptions) {
		this.options = options;
		this.clock = options.clock ?? systemClock;
		this.disk = new DiskUse(options.folders, options.limits.disk, this.clock);
		this.freeMemory = options.freeMemory ?? os.freemem;
		void this.repeat(() => this.disk.problem(this.ended.signal));
		// On other systems, the use of processes can only be read by starting a program each time.
		if (process.platform === 'linux') {
			void this.repeat(() => this.processProblem());
		}
	}

	dispose(): void {
		this.ended.abort();
	}

	private async repeat(measure: () => Promise<string | undefined>): Promise<void> {
		while (!this.ended.signal.aborted) {
			const started = this.clock.elapsed();
			// A folder that changes while it is measured is simply measured again later.
			const problem = await measure().catch(() => undefined);
			if (problem !== undefined && !this.ended.signal.aborted) {
				this.ended.abort();
				this.options.onOver(problem);
			}
			const pause = Math.max(INTERVAL_MS, PAUSE_FACTOR * (this.clock.elapsed() - started));
			await this.clock.sleep(pause, this.ended.signal).catch(() => {});
		}
	}

	private async processProblem(): Promise<string | undefined> {
		const { limits, pid } = this.options;
		const use = await descendantsUse(pid);
		if (use.processes > limits.processes) {
			return `The agent was stopped because it ran more than ${limits.processes} programs at the same time. Ask it to do less at once.`;
		}
		if (use.memory > limits.memory) {
			return `The agent was stopped because its programs took more than ${inGigabytes(limits.memory)} of memory together. Ask it to do less at once.`;
		}
		// This covers what the kernel holds for programs too, such as the contents of pipes and in-memory file systems.
		if (this.memoryReserve.isTouched(this.freeMemory())) {
			return 'The agent was stopped because the memory of this machine is nearly full. Close other programs before you start the agent again, or ask it to do less at once.';
		}
		return undefined;
	}
}

/** The pause between two measurements, in durations of the first: measuring takes at most a tenth of the time. */
const PAUSE_FACTOR = 9;

/** The bytes that an agent must leave free on the disk and in memory. */
const DISK_RESERVE = GIGABYTE;
const MEMORY_RESERVE = GIGABYTE / 2;

/**
 * The part of a resource that an agent must leave free. If less than twice that amount was free at first, it is half of
 * what was free.
 */
class Reserve {
	private readonly bytes: number;
	private freeAtStart: number | undefined;

	constructor(bytes: number) {
		this.bytes = bytes;
	}

	/** Returns whether less is free now than must stay free. */
	isTouched(free: number): boolean {
		this.freeAtStart ??= free;
		return free < Math.min(this.bytes, this.freeAtStart / 2);
	}
}

/** Measures folders often while the disk fills up, and rarely if there are many files and nothing happens. */
export class DiskUse {
	private readonly folders: readonly string[];
	private readonly limit: number;
	private readonly clock: Clock;
	private readonly freeBytes: (folder: string) => Promise<number>;
	private readonly reserve = new Reserve(DISK_RESERVE);
	private measured = { bytes: 0, free: 0, next: 0 };

	constructor(folders: readonly string[], limit: number, clock: Clock, freeBytes = freeBytesOf) {
		this.folders = folders;
		this.limit = limit;
		this.clock = clock;
		this.freeBytes = freeBytes;
	}

	/** Returns a sentence if nothing more may be written to the disk. */
	async problem(signal: AbortSignal): Promise<string | undefined> {
		const free = Math.min(...(await Promise.all(this.folders.map(this.freeBytes))));
		// This also covers deleted files that are still open, and folders that only the agent may read.
		if (this.reserve.isTouched(free)) {
			return 'The agent was stopped because the disk is nearly full. Make room on it before you start the agent again.';
		}
		const lost = this.measured.free - free;
		if (
			this.clock.elapsed() < this.measured.next &&
			lost < Math.max(this.limit - this.measured.bytes, this.limit / 10)
		) {
			return undefined;
		}
		const started = this.clock.elapsed();
		try {
			const bytes = await folderSize(this.folders, this.limit, signal);
			this.measured = { bytes, free, next: this.clock.elapsed() + PAUSE_FACTOR * (this.clock.elapsed() - started) };
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

/** Reading this many processes takes about a millisecond. */
const PROCESSES_AT_ONCE = 50;

/**
 * Adds up a process's descendants, and the bytes of their memory that do not belong to a file. A process that has left its
 * session or lost its parent counts too if it is in a sandbox: the sandbox's first process becomes its parent. Linux only.
 */
export async function descendantsUse(root: number): Promise<{ processes: number; memory: number }> {
	const children = await childrenByParent();
	const found: number[] = [];
	for (const queue = [root]; queue.length > 0; ) {
		const own = children.get(queue.pop() ?? 0) ?? [];
		append(found, own);
		append(queue, own);
	}
	let memory = 0;
	await inPortions(found, pid => {
		memory += memoryOf(pid);
	});
	return { processes: found.length, memory };
}

async function childrenByParent(): Promise<Map<number, number[]>> {
	const children = new Map<number, number[]>();
	const pids = readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.map(Number);
	await inPortions(pids, pid => {
		// The state and the parent follow the name in parentheses, which can contain anything.
		const status = read(`/proc/${pid}/stat`);
		const parent = Number(status.slice(status.lastIndexOf(')')).split(' ')[2]);
		children.set(parent, [...(children.get(parent) ?? []), pid]);
	});
	return children;
}

function memoryOf(pid: number): number {
	let kilobytes = 0;
	for (const [, amount] of read(`/proc/${pid}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) {
		kilobytes += Number(amount);
	}
	return kilobytes * 1024;
}

async function inPortions(pids: readonly number[], work: (pid: number) => void): Promise<void> {
	for (const [index, pid] of pids.entries()) {
		work(pid);
		if (index % PROCESSES_AT_ONCE === PROCESSES_AT_ONCE - 1) {
			await yieldToOthers();
		}
	}
}

/** Returns an empty text if the process has ended. */
const read = (file: string): string => attempt(() => readFileSync(file, 'latin1')) ?? '';
