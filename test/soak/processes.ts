import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process as the system lists it. */
export interface ProcessEntry {
	pid: number;
	commandLine: string;
	environment: string;
	folder: string;
}

/** Lists the processes that belong to a folder by their command line, their environment or where they work. */
export function processesOf(folder: string): ProcessEntry[] {
	const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name) && Number(name) !== process.pid);
	return pids
		.map(pid => ({
			pid: Number(pid),
			commandLine: read(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).replaceAll('\0', ' '),
			environment: read(() => readFileSync(`/proc/${pid}/environ`, 'latin1')),
			folder: read(() => readlinkSync(`/proc/${pid}/cwd`)),
		}))
		.filter(one => [one.commandLine, one.environment, one.folder].some(text => text.includes(folder)));
}

/** Returns the resident memory of a process in megabytes, or undefined if it is gone. */
export function residentMegabytes(pid: number): number | undefined {
	const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(() => readFileSync(`/proc/${pid}/status`, 'latin1')))?.[1];
	return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Reads of a process that may be gone. */
function read(get: () => string): string {
	try {
		return get();
	} catch {
		return '';
	}
}
