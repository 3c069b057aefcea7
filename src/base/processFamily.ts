// Finds the processes that a child process has started, and ends them together with it.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemErrorCode } from './errors.ts';

const POLL_MS = 25;
/** The variable that identifies a descendant that has left the process group. */
const MARKER_NAME = 'ERRAND_TASK';

/** Returns the variables that let `ProcessFamily` find a child's descendants by `marker`. */
export function markedEnvironment(marker: string): Record<string, string> {
	return { [MARKER_NAME]: marker };
}

/**
 * Returns a marker for a family nested in the one that a process with this environment belongs to, if any, so that
 * ending the outer family also ends this one.
 */
export function markerWithin(environment: Readonly<Record<string, string | undefined>>, name: string): string {
	const outer = environment[MARKER_NAME];
	return outer === undefined ? name : `${outer}/${name}`;
}

/** Returns whether a process of this machine has ended. A process of another user counts as running. */
export function isProcessGone(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return false;
	} catch (error) {
		return systemErrorCode(error) === 'ESRCH';
	}
}

interface Member {
	pid: number;
	group: number;
}

/**
 * The processes of a group and, on Linux, also those whose environment has the marker: a program that creates a session
 * of its own leaves the group, but keeps its environment. A process that has left the group and was started with an
 * empty environment is not found; only a sandbox could hold it.
 */
export class ProcessFamily {
	private readonly group: number | undefined;
	private readonly marker: string | undefined;

	/** At least one of the two is required. This class works on POSIX systems only. */
	constructor(group: number | undefined, marker: string | undefined) {
		this.group = group;
		this.marker = marker;
	}

	/** Sends SIGTERM and, after `graceMs`, SIGKILL until no process is left, for at most `graceMs` more. */
	async end(graceMs: number): Promise<void> {
		for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
			const end = performance.now() + graceMs;
			let told = await this.signal(signal, new Set());
			while (told.size > 0 && performance.now() < end) {
				await delay(POLL_MS);
				if ((await this.members()).length === 0) {
					return;
				}
				// Processes started meanwhile have not received the signal yet. SIGKILL may be sent more than once.
				told = new Set([...told, ...(await this.signal(signal, signal === 'SIGTERM' ? told : new Set()))]);
			}
			if (told.size === 0) {
				return;
			}
		}
	}

	/**
	 * Returns whether a process in this group has the marker. This tells whose group it is after its leader has ended.
	 */
	async isIn(group: number): Promise<boolean> {
		return (await this.members()).some(member => member.group === group);
	}

	/** Signals all members except `except`. Returns the ids of the processes signalled; ids of groups are negative. */
	private async signal(signal: NodeJS.Signals, except: ReadonlySet<number>): Promise<Set<number>> {
		const targets = new Set<number>(this.group === undefined ? [] : [-this.group]);
		// Without a marker, only the group counts, which needs no search through all processes of the machine.
		for (const { pid, group } of this.marker === undefined ? [] : await this.members()) {
			if (group !== this.group) {
				targets.add(pid);
			}
		}
		const sent = new Set<number>();
		for (const target of targets) {
			if (!except.has(target) && send(target, signal)) {
				sent.add(target);
			}
		}
		return sent;
	}

	/** Lists the members that have not ended: in a container without an init process, ended ones remain as zombies. */
	private async members(): Promise<Member[]> {
		const names = process.platform === 'linux' ? await readdir('/proc').catch(() => undefined) : undefined;
		if (names === undefined) {
			return this.group !== undefined && send(-this.group, 0) ? [{ pid: this.group, group: this.group }] : [];
		}
		const pids = names.filter(name => /^\d+$/.test(name)).map(Number);
		const found = await Promise.all(pids.map(pid => this.inspect(pid)));
		return found.filter(member => member !== undefined);
	}

	private async inspect(pid: number): Promise<Member | undefined> {
		const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
		// State, parent and group follow the name in parentheses, which can contain anything.
		const [, state = 'X', , groupField] = status.slice(status.lastIndexOf(')')).split(' ');
		if (state === 'Z' || state === 'X' || pid === process.pid) {
			return undefined;
		}
		const group = Number(groupField);
		if (group === this.group) {
			return { pid, group };
		}
		if (this.marker === undefined) {
			return undefined;
		}
		// The environment of another user's process cannot be read, but such a process could not be ended either.
		const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
		const own = `${MARKER_NAME}=${this.marker}`;
		const isMarked = environment.split('\0').some(entry => entry === own || entry.startsWith(`${own}/`));
		return isMarked ? { pid, group } : undefined;
	}
}

/** Returns false if there is no such process. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(target, signal);
		return true;
	} catch (error) {
		// EPERM means that the processes exist but belong to another user. They cannot be ended from here.
		return systemErrorCode(error) === 'EPERM';
	}
}
