// A lock between processes: a file that only one of them can create. It is held for a few system calls; what a process
// needs for longer, it claims with a file that such a lock guards.
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import process from 'node:process';
import * as z from 'zod';
import { type Clock, onFirstUse, systemClock } from './async.ts';
import { systemErrorCode } from './errors.ts';
import { parseJson } from './json.ts';
import { identify } from './leftProcesses.ts';
import { isProcessGone } from './processFamily.ts';

/**
 * An older lock has no living owner, whatever its content says; neither has one that is this far in the future, because
 * the clock has been set back.
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

const ownerSchema = z.object({ pid: z.int().positive(), host: z.string() });

/** Returns whether a lock's owner is gone. Only processes of this machine can be checked; any other may be alive. */
function isGone(owner: string): boolean {
	const { pid, host } = ownerSchema.safeParse(parseJson(owner)).data ?? {};
	return pid !== undefined && host === os.hostname() && isProcessGone(pid);
}

/** A claim is void if its process is gone, or if another one has its number. */
const claimSchema = z.object({ pid: z.number(), start: z.string() });

/** Cached, because some systems take a while to identify this process. */
const identifySelf = onFirstUse(() => identify(process.pid));

/**
 * Claims something for this process with a file that names it, whose folder must exist. Resolves to a function that
 * releases the claim, or to undefined if a living process has it. Rejects with the system's error.
 */
export async function claimForProcess(file: string): Promise<(() => Promise<void>) | undefined> {
	const own = JSON.stringify((await identifySelf()) ?? {});
	const found = await readClaim(file);
	const holder = claimSchema.safeParse(parseJson(found)).data;
	if (holder && (await identify(holder.pid))?.start === holder.start) {
		return undefined;
	}
	let isOwn = false;
	await whileLocked(`${file}.lock`, systemClock, async () => {
		// Another process may have claimed it in the meantime.
		if ((await readClaim(file)) === found) {
			await writeFile(file, own, { mode: 0o600 });
			isOwn = true;
		}
	});
	return isOwn ? () => rm(file, { force: true }) : undefined;
}

function readClaim(file: string): Promise<string> {
	return readFile(file, 'utf8').catch(() => '');
}
