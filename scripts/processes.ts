import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * The environment variable that marks everything a launch has started. A terminal's background jobs leave the process
 * family when their shell ends, but the mark stays with them.
 */
const markName = 'ERRAND_LAUNCH';

/** Returns a mark for one launch. It begins with the enclosing launch's mark, which thus finds these processes too. */
export function newMark(): { value: string; environment: Record<string, string> } {
	const outer = process.env[markName];
	const value = `${outer === undefined ? '' : `${outer}.`}${randomUUID()}`;
	return { value, environment: { [markName]: value } };
}

/** Returns a PATH by which programs find the project's Node.js as `node`, whichever one the machine has. */
export function programFolders(): string {
	return [path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter);
}

const graceMs = 4_000;
const killedMs = 2_000;

interface Entry {
	pid: number;
	parent: number;
}

/** Ends a process and everything that it started, with SIGTERM first. Resolves when none of them is left. */
export async function endFamily(root: number | undefined, mark?: string): Promise<void> {
	if (process.platform === 'win32') {
		if (root !== undefined) {
			ignoreFailure(() => execFileSync('taskkill', ['/PID', String(root), '/T', '/F'], { stdio: 'ignore' }));
		}
		return;
	}
	const members = new Set(family(root, mark));
	// The root comes first: it has its own way of ending its children.
	const first = root === undefined || root === process.pid ? [] : [root];
	signal(first, 'SIGTERM');
	await gone(first, graceMs);
	const rest = (): number[] => {
		for (const pid of family(root, mark)) {
			members.add(pid);
		}
		return [...members].filter(isAlive);
	};
	signal(rest(), 'SIGTERM');
	await gone(rest(), graceMs);
	const stubborn = rest();
	signal(stubborn, 'SIGKILL');
	await gone(stubborn, killedMs);
}

let ending = false;

/** Makes a signal or the end of the parent launcher end this process and everything that it started. */
export function endChildrenOnSignal(cleanUp: () => void): void {
	const mark = newMark();
	Object.assign(process.env, mark.environment);
	const end = async () => {
		if (!ending) {
			ending = true;
			await endFamily(process.pid, mark.value);
			cleanUp();
			process.exit(130);
		}
	};
	for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
		process.on(event, end);
	}
	// The listener for its end would let the channel to the launcher keep this process alive, even when all is done.
	process.channel?.unref();
}

/**
 * Resolves with the exit code of a program. It never resolves if the program ended because the whole launch is ending,
 * so that nothing follows.
 */
export async function exitCodeOf(child: ChildProcess): Promise<number> {
	const code = await new Promise<number>((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', exitCode => resolve(exitCode ?? 1));
	});
	return ending ? new Promise(() => {}) : code;
}

/** Ends the local service that registered itself in a state folder, as it is deliberately detached from its window. */
export async function endService(stateFolder: string): Promise<void> {
	let pid: unknown;
	try {
		pid = JSON.parse(fs.readFileSync(path.join(stateFolder, 'discovery.json'), 'utf8')).pid;
	} catch {
		return;
	}
	if (typeof pid === 'number' && commandLine(pid).includes('service')) {
		await endFamily(pid);
	}
}

/** Returns false for a zombie, which has ended but has not been collected yet. */
export function isAlive(pid: number): boolean {
	if (process.platform === 'linux') {
		const state = status(pid)?.state;
		return state !== undefined && state !== 'Z' && state !== 'X';
	}
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

async function gone(pids: number[], limitMs: number): Promise<void> {
	const deadline = Date.now() + limitMs;
	while (pids.some(isAlive) && Date.now() < deadline) {
		await wait(25);
	}
}

function family(root: number | undefined, mark: string | undefined): number[] {
	const entries = list();
	const found = new Set(root === undefined ? [] : [root]);
	// A child can be listed before its parent, so this searches until nothing new turns up.
	for (let before = 0; before !== found.size; ) {
		before = found.size;
		for (const { pid, parent } of entries) {
			if (found.has(parent)) {
				found.add(pid);
			}
		}
	}
	if (mark !== undefined && process.platform === 'linux') {
		for (const { pid } of entries) {
			if (read(`/proc/${pid}/environ`).includes(`${markName}=${mark}`)) {
				found.add(pid);
			}
		}
	}
	found.delete(process.pid);
	return [...found];
}

/** Lists the processes, on Linux without `ps`, which a minimal Debian lacks. */
function list(): Entry[] {
	if (process.platform !== 'linux') {
		const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
		return lines.map(line => {
			const [pid, parent] = line.trim().split(/\s+/).map(Number);
			return { pid: pid ?? 0, parent: parent ?? 0 };
		});
	}
	const pids = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name));
	return pids.map(name => ({ pid: Number(name), parent: status(Number(name))?.parent ?? 0 }));
}

function status(pid: number): { state: string; parent: number } | undefined {
	// The name of the program, in parentheses, can itself contain spaces and parentheses.
	const [, state, parent] = /\) (\w) (\d+)/.exec(read(`/proc/${pid}/stat`).replace(/^.*\)/s, ')')) ?? [];
	return state === undefined ? undefined : { state, parent: Number(parent) };
}

/** Returns an empty text if there is no such process. */
export function commandLine(pid: number): string {
	if (process.platform === 'linux') {
		return read(`/proc/${pid}/cmdline`);
	}
	return ignoreFailure(() => execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' })) ?? '';
}

function signal(pids: number[], name: NodeJS.Signals): void {
	for (const pid of pids) {
		ignoreFailure(() => process.kill(pid, name));
	}
}

function read(file: string): string {
	return ignoreFailure(() => fs.readFileSync(file, 'utf8')) ?? '';
}

/** Ignores errors, because a process may end while it is being read. */
function ignoreFailure<T>(action: () => T): T | undefined {
	try {
		return action();
	} catch {
		return undefined;
	}
}
