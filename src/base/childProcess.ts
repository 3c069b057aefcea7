import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { onFirstUse } from './async.ts';
import { markedEnvironment, ProcessFamily } from './processFamily.ts';

const STOP_GRACE_MS = 2_000;

interface StartOptions {
	command: string;
	args: readonly string[];
	cwd: string;
	env: Record<string, string>;
	/** Marks the child's descendants, so that on Linux those that leave its process group are found too. */
	marker?: string;
	/** Aborting it ends the child and everything that it started. */
	signal: AbortSignal;
	/** The time between SIGTERM and SIGKILL in milliseconds; 2,000 by default. */
	graceMs?: number;
	/** The whole content of the child's file descriptor 3. */
	furtherInput?: Uint8Array;
}

export interface ChildOptions extends StartOptions {
	/** Written to the standard input, which is then closed. */
	input?: string | Uint8Array;
	onOutput?(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

export interface ChildResult {
	/** Undefined if a signal ended the child. */
	exitCode: number | undefined;
}

/** A child to communicate with. Both of its outputs must be read, or it may block on writing for ever. */
export interface RunningChild {
	/** Undefined if the program could not be started. */
	readonly pid: number | undefined;
	/** Its errors need no listener: input that the child does not read is lost, and `ended` tells how the child ended. */
	readonly stdin: Writable;
	readonly stdout: Readable;
	readonly stderr: Readable;
	/**
	 * Resolves when the child and everything that it left running have ended. The output written until then can be read
	 * for at most `graceMs` more. Rejects with the system's error if the program cannot be started.
	 */
	readonly ended: Promise<ChildResult>;
	/** Ends the child and everything that it started, like aborting the signal. Never rejects. */
	end(): Promise<void>;
}

/**
 * Starts a program in a process group of its own. When it ends by itself, the processes that it left running are ended
 * too. `end` and the signal send SIGTERM to all of them, and SIGKILL after `graceMs` (`taskkill /T /F` on Windows).
 * Throws the signal's reason if it has already aborted.
 */
export function startChild(options: StartOptions): RunningChild {
	options.signal.throwIfAborted();
	const { marker, signal, graceMs = STOP_GRACE_MS, furtherInput } = options;
	const child: ChildProcess = spawn(options.command, options.args, {
		cwd: options.cwd,
		env: { ...options.env, ...(marker === undefined ? {} : markedEnvironment(marker)) },
		stdio: ['pipe', 'pipe', 'pipe', ...(furtherInput === undefined ? [] : ['pipe' as const])],
		detached: process.platform !== 'win32',
		windowsHide: true,
	});
	const exit = new Promise<number | undefined>((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', code => resolve(code ?? undefined));
	});
	// A child that could not be started because too many files are open has no streams at all.
	const { stdin, stdout, stderr } = child;
	const further = child.stdio?.[3];
	// The child may end without reading its input.
	for (const input of [stdin, further]) {
		input?.on('error', () => {});
	}
	if (further instanceof Writable) {
		further.end(furtherInput);
	}

	const end = onFirstUse(() => endFamily(child, marker, graceMs));
	const onAbort = () => void end();
	signal.addEventListener('abort', onAbort, { once: true });
	const ended = (async () => {
		try {
			const exitCode = await exit;
			await end();
			await outputEnd(child, graceMs);
			return { exitCode };
		} finally {
			signal.removeEventListener('abort', onAbort);
			stdout?.destroy();
			stderr?.destroy();
			further?.destroy();
		}
	})();
	// Callers may learn of the child's end in other ways than by `ended`.
	ended.catch(() => {});
	return {
		pid: child.pid,
		stdin: stdin ?? nowhere(),
		stdout: stdout ?? Readable.from([]),
		stderr: stderr ?? Readable.from([]),
		ended,
		end,
	};
}

function nowhere(): Writable {
	return new Writable({ write: (_bytes, _encoding, done) => done() });
}

/**
 * Runs a program with one input and resolves when it and everything that it left running have ended. On abort, it then
 * throws the signal's reason. Rejects with the system's error if the program cannot be started, and with an error that
 * `onOutput` throws after the child has been ended.
 */
export async function runChild(options: ChildOptions): Promise<ChildResult> {
	const child = startChild(options);
	child.stdin.end(options.input ?? '');
	let failure: { error: unknown } | undefined;
	const read = (stream: 'stdout' | 'stderr', bytes: Buffer) => {
		try {
			if (failure === undefined) {
				options.onOutput?.(stream, bytes);
			}
		} catch (error) {
			failure = { error };
			void child.end();
		}
	};
	child.stdout.on('data', (bytes: Buffer) => read('stdout', bytes));
	child.stderr.on('data', (bytes: Buffer) => read('stderr', bytes));
	const result = await child.ended;
	options.signal.throwIfAborted();
	if (failure !== undefined) {
		throw failure.error;
	}
	return result;
}

/** Waits until all output has been read, but not for ever: a process that escaped may hold the pipe open. */
async function outputEnd(child: ChildProcess, graceMs: number): Promise<void> {
	const ended = Promise.all(
		[child.stdout, child.stderr].map(stream =>
			stream === null || stream.readableEnded || stream.closed
				? undefined
				: new Promise(resolve => stream.once('close', resolve)),
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

/** Ends a process and its descendants on Windows. Never rejects. */
export function taskkill(pid: number): Promise<void> {
	const program = path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
	return new Promise(resolve => {
		const killer = spawn(program, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
		killer.once('error', () => resolve());
		killer.once('exit', () => resolve());
	});
}
