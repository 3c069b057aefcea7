// A lock between processes: a file that only one of them can create.
import { open, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import process from 'node:process';
import type { Clock } from '../../base/async.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { isProcessGone } from '../../base/processFamily.ts';

/**
 * A lock is held for a few system calls. An older lock has no living owner, whatever its content says; neither has one
 * that is this far in the future, because the clock has been set back.
 */
export const ABANDONED_AFTER_MS = 10_000;

const RETRY_MS = 20;

/** The extension of a second lock, which guards the removal of an abandoned lock. */
const TAKEOVER = '.lock';

/**
 * Runs `run` while this process alone holds the lock `file`. Waits for another holder. The lock of a crashed process is
 * taken over: at once if that process is known to be gone, otherwise when the lock is too old. Rejects with the
 * system's errors.
 */
export async function whileLocked(file: string, clock: Clock, run: () => Promise<void>): Promise<void> {
	while (!(await make(file))) {
		await removeAbandoned(file, clock);
		await clock.sleep(RETRY_MS);
	}
	try {
		await run();
	} finally {
		await rm(file, { force: true });
	}
}

async function make(file: string): Promise<boolean> {
	try {
		const handle = await open(file, 'wx', 0o600);
		try {
			await handle.writeFile(JSON.stringify({ pid: process.pid, host: os.hostname() }));
		} catch (error) {
			// The disk may be full. An empty lock has no owner, and would make everybody wait.
			await rm(file, { force: true });
			throw error;
		} finally {
			await handle.close();
		}
		return true;
	} catch (error) {
		if (systemErrorCode(error) === 'EEXIST') {
			return false;
		}
		throw error;
	}
}

/**
 * Removes a lock whose owner is gone. Only one process may do that at a time, because another one may already have
 * acquired the lock again.
 */
async function removeAbandoned(file: string, clock: Clock): Promise<void> {
	if (!(await isAbandoned(file, clock))) {
		return;
	}
	const takeover = `${file}${TAKEOVER}`;
	if (!(await make(takeover))) {
		if (await isAbandoned(takeover, clock)) {
			await rm(takeover, { force: true });
		}
		return;
	}
	try {
		if (await isAbandoned(file, clock)) {
			await rm(file, { force: true });
		}
	} finally {
		await rm(takeover, { force: true });
	}
}

async function isAbandoned(file: string, clock: Clock): Promise<boolean> {
	try {
		const { mtimeMs } = await stat(file);
		return Math.abs(clock.now() - mtimeMs) >= ABANDONED_AFTER_MS || isGone(await readFile(file, 'utf8'));
	} catch (error) {
		if (systemErrorCode(error) === 'ENOENT') {
			return false;
		}
		throw error;
	}
}

/** Returns whether a lock's owner is gone. Only processes of this machine can be checked; any other may be alive. */
function isGone(owner: string): boolean {
	try {
		const { pid, host } = JSON.parse(owner);
		return host === os.hostname() && Number.isInteger(pid) && pid > 0 && isProcessGone(pid);
	} catch {
		return false;
	}
}
