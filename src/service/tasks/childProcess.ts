import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { markedEnvironment, ProcessFamily } from './processFamily.ts';

/** The time between SIGTERM and SIGKILL. */
const STOP_GRACE_MS = 2_000;

export interface ChildOptions {
	command: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** Marks the child's descendants, so that on Linux those that leave its process group are found too. */
	marker?: string;
	/** Written to the standard input, which is then closed. */
	input?: string | Uint8Array;
	/** Aborting it ends the child and everything that it started. */
	signal: AbortSignal;
	/** The time between SIGTERM and SIGKILL in milliseconds; 2,000 by default. */
	graceMs?: number;
	onOutput?(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

export interface ChildResult {
	/** Undefined if a signal ended the child. */
	exitCode: number | undefined;
}

/**
 * Runs a program in a process group of its own and resolves when it and everything that it left running have ended. On
 * abort, all of them get SIGTERM, and SIGKILL after `graceMs` (`taskkill /T /F` on Windows); then the signal's reason is
 * thrown. Rejects with the system's error if the program cannot be started, and with an error that `onOutput` throws,
 * after the child was ended.
 */
export async function runChild(options: ChildOptions): Promise<ChildResult> {
	options.signal.throwIfAborted();
	const child = spawn(options.command, options.args, {
		cwd: options.cwd,
		env: { ...options.env, ...(options.marker === undefined ? {} : markedEnvironment(options.marker)) },
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
	// The child may end without reading its input.
	stdin?.on('error', () => {});
	stdin?.end(options.input ?? '');

	const { graceMs = STOP_GRACE_MS } = options;
	let stopped: Promise<void> | undefined;
	const onAbort = () => {
		stopped ??= endFamily(child, options.marker, graceMs);
	};
	let failure: { error: unknown } | undefined;
	const read = (stream: 'stdout' | 'stderr', bytes: Buffer) => {
		try {
			if (failure === undefined) {
				options.onOutput?.(stream, bytes);
			}
		} catch (error) {
			failure = { error };
			onAbort();
		}
	};
	stdout?.on('data', (bytes: Buffer) => read('stdout', bytes));
	stderr?.on('data', (bytes: Buffer) => read('stderr', bytes));
	options.signal.addEventListener('abort', onAbort, { once: true });
	try {
		const exitCode = await exit;
		await (stopped ?? endFamily(child, options.marker, graceMs));
		await outputEnd(child, graceMs);
		options.signal.throwIfAborted();
		if (failure !== undefined) {
			throw failure.error;
		}
		return { exitCode };
	} finally {
		options.signal.removeEventListener('abort', onAbort);
		stdout?.destroy();
		stderr?.destroy();
	}
}

/** Waits until all output was read, but not for ever: a process that escaped may hold the pipe open. */
async function outputEnd(child: ChildProcess, graceMs: number): Promise<void> {
	const ended = Promise.all(
		[child.stdout, child.stderr].map(stream =>
			stream?.readableEnded ? undefined : new Promise(resolve => stream?.once('close', resolve)),
		),
	);
	await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
}

async function endFamily(child: ChildProcess, marker: string | undefined, graceMs: number): Promise<void> {
	const { pid } = child;
	if (pid === undefined) {
		return;
	}
	if (process.platform !== 'win32') {
		await new ProcessFamily(pid, marker).end(graceMs);
	} else if (child.exitCode === null && child.signalCode === null) {
		await taskkill(pid);
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
