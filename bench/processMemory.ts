import { readFile } from 'node:fs/promises';

/** Returns the ids of the descendants of a process whose command line matches. */
export async function descendants(pid: number, commandLine: RegExp): Promise<number[]> {
	const found: number[] = [];
	const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
	for (const child of children.split(' ').filter(Boolean).map(Number)) {
		const words = await readFile(`/proc/${child}/cmdline`, 'latin1').catch(() => '');
		if (commandLine.test(words.replaceAll('\0', ' '))) {
			found.push(child);
		}
		found.push(...(await descendants(child, commandLine)));
	}
	return found;
}

/** Reads the memory of a process in megabytes, with its proportion of shared memory. */
export async function proportionalMegabytes(pid: number): Promise<number> {
	const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
	return Number(kilobytes) / 1024;
}

/** Reads the peak memory of a process in megabytes, including shared parts. */
export async function peakMegabytes(pid: number): Promise<number> {
	const [, kilobytes] =
		/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')) ?? [];
	return Number(kilobytes ?? 0) / 1024;
}
