// Finds and ends processes that outlive their parent because it was killed.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { taskkill } from './childProcess.ts';
import { defined } from './defined.ts';
import { ProcessFamily } from './processFamily.ts';

/** Identifies a process, even if the system later gives its id to another one. */
export interface ProcessIdentity {
	pid: number;
	/** The start time as the system reports it. */
	start: string;
}

/** Under load, a machine takes seconds to start the program that reports the start time. */
const LOOK_TIMEOUT_MS = 20_000;

/** Returns undefined if there is no such process, or if the system does not report when it was started. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
	const start = await startOf(pid).catch(() => '');
	return start === '' ? undefined : { pid, start };
}

/**
 * Ends the remains of a child that `startChild` started in an earlier process: its leader and the leader's group, and
 * on Linux all processes with the marker. Nothing else is ended, even if another process now has the leader's id. If
 * the leader has ended and no process in its group has the marker, the group may be another's and is left alone.
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
			// The fields follow the name in parentheses, which can contain anything. The 20th is the start in ticks since
			// boot.
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
	// These make the words for a moment the same in every locale and time zone.
	const env = { LC_ALL: 'C', TZ: 'UTC', ...defined({ SystemRoot }) };
	const { stdout } = await promisify(execFile)(program, args, { env, timeout: LOOK_TIMEOUT_MS, windowsHide: true });
	return stdout.trim();
}
