// What a child process has started, and how it is ended with it.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
/** The variable by which a descendant is known that has left the process group. */
const MARKER_NAME = 'ERRAND_TASK';

/** What the environment of a child holds so that `ProcessFamily` finds its descendants by `marker`. */
export function markedEnvironment(marker: string): Record<string, string> {
	return { [MARKER_NAME]: marker };
}

/**
 * The processes of a group, and on Linux also those whose environment carries the marker: a program that makes a session
 * of its own leaves the group, and not that. One that starts others with an empty environment, and whose group it
 * leaves too, is not found; only a sandbox holds that.
 */
export class ProcessFamily {
	private readonly group: number | undefined;
	private readonly marker: string | undefined;

	/** At least one of the two. POSIX only. */
	constructor(group: number | undefined, marker: string | undefined) {
		this.group = group;
		this.marker = marker;
	}

	/** SIGTERM; after `graceMs`, SIGKILL until nothing is left, for at most `graceMs` more. */
	async end(graceMs: number): Promise<void> {
		for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
			const end = performance.now() + graceMs;
			let told = await this.signal(signal, new Set());
			while (told.size > 0 && performance.now() < end) {
				await delay(POLL_MS);
				if ((await this.members()).length === 0) {
					return;
				}
				// Who came meanwhile has not been told yet. Nothing refuses the second signal, so it may be given again.
				told = new Set([...told, ...(await this.signal(signal, signal === 'SIGTERM' ? told : new Set()))]);
			}
			if (told.size === 0) {
				return;
			}
		}
	}

	/** Sends to all that are there but `except`. Returns the processes or groups (negative) that were sent to. */
	private async signal(signal: NodeJS.Signals, except: ReadonlySet<number>): Promise<Set<number>> {
		const targets = new Set<number>(this.group === undefined ? [] : [-this.group]);
		// Without a marker the group is all, and mostly empty: no need to look at every process of the machine for that.
		for (const { pid, inGroup } of this.marker === undefined ? [] : await this.members()) {
			if (!inGroup) {
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

	/** Who is there and has not ended: in a container without an init process nobody collects what has. */
	private async members(): Promise<{ pid: number; inGroup: boolean }[]> {
		const names = process.platform === 'linux' ? await readdir('/proc').catch(() => undefined) : undefined;
		if (names === undefined) {
			return this.group !== undefined && send(-this.group, 0) ? [{ pid: this.group, inGroup: true }] : [];
		}
		const pids = names.filter(name => /^\d+$/.test(name)).map(Number);
		const found = await Promise.all(pids.map(pid => this.look(pid)));
		return found.filter(member => member !== undefined);
	}

	private async look(pid: number): Promise<{ pid: number; inGroup: boolean } | undefined> {
		const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
		// After the name in parentheses, which can hold anything: state, parent, group.
		const [, state = 'X', , group] = status.slice(status.lastIndexOf(')')).split(' ');
		if (state === 'Z' || state === 'X' || pid === process.pid) {
			return undefined;
		}
		if (this.group !== undefined && Number(group) === this.group) {
			return { pid, inGroup: true };
		}
		if (this.marker === undefined) {
			return undefined;
		}
		// Of another user's processes it cannot be read, and those could not be ended either.
		const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
		return environment.split('\0').includes(`${MARKER_NAME}=${this.marker}`) ? { pid, inGroup: false } : undefined;
	}
}

/** False when there is nobody to send to. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(target, signal);
		return true;
	} catch (error) {
		// EPERM: there are processes, of another user. They cannot be ended from here.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
