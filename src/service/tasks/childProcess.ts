import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Between asking a process group to end and making it. */
const STOP_GRACE_MS = 2_000;
const POLL_MS = 20;

export interface ChildOptions {
	command: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** Written to the standard input, which is then closed. */
	input?: string | Uint8Array;
	/** Aborting it ends the child and everything that it started. */
	signal: AbortSignal;
	onOutput?(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

export interface ChildResult {
	/** `undefined` when a signal ended it. */
	exitCode: number | undefined;
}

/**
 * Runs a program in a process group of its own and returns when it and what is left of its group have ended. On abort:
 * SIGTERM to the group, after 2 s SIGKILL (`taskkill /T /F` on Windows); then the signal's reason is thrown. What a
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
	child.stdout.on('data', (bytes: Buffer) => options.onOutput?.('stdout', bytes));
	child.stderr.on('data', (bytes: Buffer) => options.onOutput?.('stderr', bytes));
	// The child may end without reading what it was given.
	child.stdin.on('error', () => {});
	child.stdin.end(options.input ?? '');

	let stopped: Promise<void> | undefined;
	const onAbort = () => {
		stopped ??= endGroup(child);
	};
	options.signal.addEventListener('abort', onAbort, { once: true });
	try {
		const exitCode = await new Promise<number | undefined>((resolve, reject) => {
			child.once('error', reject);
			child.once('exit', code => resolve(code ?? undefined));
		});
		await (stopped ?? endGroup(child));
		await outputEnd(child);
		options.signal.throwIfAborted();
		return { exitCode };
	} finally {
		options.signal.removeEventListener('abort', onAbort);
		child.stdout.destroy();
		child.stderr.destroy();
	}
}

/** What was written before the end is read; a process outside the group may hold the pipe, so the wait has an end. */
async function outputEnd(child: ChildProcess): Promise<void> {
	const ended = Promise.all(
		[child.stdout, child.stderr].map(stream =>
			stream?.readableEnded ? undefined : new Promise(resolve => stream?.once('close', resolve)),
		),
	);
	await Promise.race([ended, delay(STOP_GRACE_MS, undefined, { ref: false })]);
}

async function endGroup(child: ChildProcess): Promise<void> {
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
	const end = performance.now() + STOP_GRACE_MS;
	while (performance.now() < end) {
		await delay(POLL_MS);
		if (!signalGroup(pid, 0)) {
			return;
		}
	}
	signalGroup(pid, 'SIGKILL');
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
