import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Between asking a process group to end and making it. */
const STOP_GRACE_MS = 2_000;
const POLL_MS = 25;

export interface ChildOptions {
	command: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** Written to the standard input, which is then closed. */
	input?: string | Uint8Array;
	/** Aborting it ends the child and everything that it started. */
	signal: AbortSignal;
	/** Milliseconds between asking the group to end and making it; default 2,000. */
	graceMs?: number;
	onOutput?(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

export interface ChildResult {
	/** `undefined` when a signal ended it. */
	exitCode: number | undefined;
}

/**
 * Runs a program in a process group of its own and returns when it and what is left of its group have ended. On abort:
 * SIGTERM to the group, after `graceMs` SIGKILL (`taskkill /T /F` on Windows); then the signal's reason is thrown. What a
 * program leaves running in its group ends with it. Throws the system error when it cannot be started.
 */
export async function runChild(options: ChildOptions): Promise<ChildResult> {
	options.signal.throwIfAborted();
	const child = spawn(options.command, options.args, {
		cwd: options.cwd,
		env: options.env,
		stdio: 'pipe',
		detached: process.platform !== 'win32',
		windowsHide: true,
	});
	const exit = new Promise<number | undefined>((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', code => resolve(code ?? undefined));
	});
	// A child that could not be started because too many files are open has no streams at all.
	const { stdin, stdout, stderr } = child as ChildProcess;
	stdout?.on('data', (bytes: Buffer) => options.onOutput?.('stdout', bytes));
	stderr?.on('data', (bytes: Buffer) => options.onOutput?.('stderr', bytes));
	// The child may end without reading what it was given.
	stdin?.on('error', () => {});
	stdin?.end(options.input ?? '');

	const { graceMs = STOP_GRACE_MS } = options;
	let stopped: Promise<void> | undefined;
	const onAbort = () => {
		stopped ??= endGroup(child, graceMs);
	};
	options.signal.addEventListener('abort', onAbort, { once: true });
	try {
		const exitCode = await exit;
		await (stopped ?? endGroup(child, graceMs));
		await outputEnd(child, graceMs);
		options.signal.throwIfAborted();
		return { exitCode };
	} finally {
		options.signal.removeEventListener('abort', onAbort);
		stdout?.destroy();
		stderr?.destroy();
	}
}

/** What was written before the end is read; a process outside the group may hold the pipe, so the wait has an end. */
async function outputEnd(child: ChildProcess, graceMs: number): Promise<void> {
	const ended = Promise.all(
		[child.stdout, child.stderr].map(stream =>
			stream?.readableEnded ? undefined : new Promise(resolve => stream?.once('close', resolve)),
		),
	);
	await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
}

async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
	const { pid } = child;
	if (pid === undefined) {
		return;
	}
	if (process.platform === 'win32') {
		if (child.exitCode === null && child.signalCode === null) {
			await taskkill(pid);
		}
		return;
	}
	if (!signalGroup(pid, 'SIGTERM')) {
		return;
	}
	if (!(await groupEnds(pid, graceMs))) {
		signalGroup(pid, 'SIGKILL');
		// Nothing can refuse that, but it takes a moment.
		await groupEnds(pid, graceMs);
	}
}

/** Waits for the end of a group, at most so long. True when it has come. */
async function groupEnds(group: number, milliseconds: number): Promise<boolean> {
	const end = performance.now() + milliseconds;
	while (performance.now() < end) {
		await delay(POLL_MS);
		if (!signalGroup(group, 0) || !(await groupLives(group))) {
			return true;
		}
	}
	return false;
}

/**
 * Whether a process of the group has not ended. In a container without an init process nobody collects what has ended,
 * and a signal still finds it.
 */
async function groupLives(group: number): Promise<boolean> {
	if (process.platform !== 'linux') {
		return true;
	}
	const names = await readdir('/proc').catch(() => undefined);
	if (names === undefined) {
		return true;
	}
	const lives = await Promise.all(
		names
			.filter(name => /^\d+$/.test(name))
			.map(async name => {
				const status = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
				// After the name in parentheses, which can hold anything: state, parent, group.
				const [, state, , member] = status.slice(status.lastIndexOf(')')).split(' ');
				return Number(member) === group && state !== 'Z' && state !== 'X';
			}),
	);
	return lives.includes(true);
}

/** False when no process of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(-pid, signal);
		return true;
	} catch (error) {
		// EPERM: there are processes, of another user. They cannot be ended from here.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function taskkill(pid: number): Promise<void> {
	const program = path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
	return new Promise(resolve => {
		const killer = spawn(program, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
		killer.once('error', () => resolve());
		killer.once('exit', () => resolve());
	});
}
