export const GIGABYTE = 1_000_000_000;

/** The limits of a sandbox, which all of its processes share. */
export const DEFAULT_LIMITS = {
	/** The memory in bytes. */
	memory: 8 * GIGABYTE,
	/** The bytes in the tree and the home folder. */
	disk: 10 * GIGABYTE,
	processes: 900,
};
export type SandboxLimits = typeof DEFAULT_LIMITS;

/** Formats an amount of memory or disk, such as "8 GB" or "1.5 GB". */
export function inGigabytes(bytes: number): string {
	return `${Number((bytes / GIGABYTE).toFixed(bytes < GIGABYTE ? 2 : 1))} GB`;
}

/** Threads count as processes here. The kernel's limit is reached only if the watch has not ended the run before. */
const FURTHER_THREADS = 124;

/**
 * Returns the limits of each process in a sandbox, each with the option of `prlimit` and with the name in
 * /proc/self/limits. The address space is not limited, as JavaScript engines reserve far more of it than they use.
 */
export function processLimits({ memory, disk, processes }: SandboxLimits) {
	return [
		{ option: 'nproc', name: 'Max processes', value: processes + FURTHER_THREADS },
		{ option: 'data', name: 'Max data size', value: Math.min(memory, 6 * GIGABYTE) },
		{ option: 'fsize', name: 'Max file size', value: Math.min(disk, 4 * GIGABYTE) },
		{ option: 'nofile', name: 'Max open files', value: 65_536 },
		// A system that pipes core dumps to a program starts it even at a limit of 0, outside the sandbox; a limit of 1 byte
		// prevents that.
		{ option: 'core', name: 'Max core file size', value: 1 },
	];
}
