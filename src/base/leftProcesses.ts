// Processes that outlive the process that started them, because that one was killed: how a later one finds and ends them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { taskkill } from './childProcess.ts';
import { defined } from './defined.ts';
import { ProcessFamily } from './processFamily.ts';

/** Identifies a process, even among later ones to which the system gives the same id. */
export interface ProcessIdentity {
	pid: number;
	/** When it was started, in the system's own words. */
	start: string;
}

/** A machine under load takes seconds to start a program that tells it. */
const LOOK_TIMEOUT_MS = 20_000;

/** Returns undefined if there is no such process, or if the system does not tell when it was started. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
	try {
		const start = await startOf(pid);
		return start === '' ? undefined : { pid, start };
	} catch {
		return undefined;
	}
}

/**
 * Ends what is left of a child that `startChild` has started in an earlier process: its leader and the leader's group, and
 * on Linux all that carry the marker. Nothing else is ended, even if another process has the leader's id by now. A leader
 * that has ended without leaving anything with the marker proves nothing about its group, which is left alone then.
 */
export async function endLeftProcesses(
	leader: ProcessIdentity | undefined,
	marker: string,
	graceMs: number,
): Promise<void> {
	const isThere = leader !== undefined && (await identify(leader.pid))?.start === leader.start;
	if (process.platform === 'win32') {
		if (isThere) {
			await taskkill(leader.pid);
		}
		return;
	}
	const isOurGroup = leader !== undefined && (isThere || (await new ProcessFamily(undefined, marker).isIn(leader.pid)));
	await new ProcessFamily(isOurGroup ? leader.pid : undefined, marker).end(graceMs);
}

async function startOf(pid: number): Promise<string> {
	switch (process.platform) {
		case 'linux': {
			const status = await readFile(`/proc/${pid}/stat`, 'latin1');
			// Fields follow the name in parentheses, which can contain anything. The start is the 20th of them, counted from boot.
			const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
			const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1');
			return ticks === undefined ? '' : `${boot.trim()} ${ticks}`;
		}
		case 'win32': {
			const system = path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32');
			const program = path.join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe');
			const command = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
			return output(program, ['-NoProfile', '-NonInteractive', '-Command', command]);
		}
		default:
			return output('/bin/ps', ['-o', 'lstart=', '-p', String(pid)]);
	}
}

async function output(program: string, args: string[]): Promise<string> {
	const { SystemRoot } = process.env;
	// The same moment has the same words in every locale and time zone then.
	const env = { LC_ALL: 'C', TZ: 'UTC', ...defined({ SystemRoot }) };
	const { stdout } = await promisify(execFile)(program, args, { env, timeout: LOOK_TIMEOUT_MS, windowsHide: true });
	return stdout.trim();
}
