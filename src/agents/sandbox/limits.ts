/** The resources that all processes of a sandbox may use together. */
export interface SandboxLimits {
	/** The memory in bytes. */
	memory: number;
	/** The bytes in the tree and the home folder. */
	disk: number;
	processes: number;
}

export const GIGABYTE = 1_000_000_000;

export const DEFAULT_LIMITS: SandboxLimits = { memory: 8 * GIGABYTE, disk: 10 * GIGABYTE, processes: 900 };

/** Formats an amount of memory or disk, such as "8 GB" or "1.5 GB". */
export function inGigabytes(bytes: number): string {
	return `${Number((bytes / GIGABYTE).toFixed(bytes < GIGABYTE ? 2 : 1))} GB`;
}

/** Limits of a single process as the options of `prlimit`. */
export interface ProcessLimits {
	nproc: number;
	data: number;
	fsize: number;
	nofile: number;
	core: number;
}

/** Threads count as processes here. The kernel's limit is reached only if the watch has not ended the run before. */
const FURTHER_THREADS = 124;

/**
 * Returns the limits of each process in a sandbox. The address space is not limited, as JavaScript engines reserve far
 * more of it than they use.
 */
export function processLimits({ memory, disk, processes }: SandboxLimits): ProcessLimits {
	return {
		nproc: processes + FURTHER_THREADS,
		data: Math.min(memory, 6 * GIGABYTE),
		fsize: Math.min(disk, 4 * GIGABYTE),
		nofile: 65_536,
		// A system that pipes core dumps to a program starts it even at a limit of 0, outside the sandbox; a limit of 1 byte
		// prevents that.
		core: 1,
	};
}
