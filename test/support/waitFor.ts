import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;

/**
 * Resolves with the first value of `probe` that is neither undefined nor false, or with undefined if there is none in
 * time. The pauses between the probes grow, because a probe takes time from the very program that is being waited for.
 */
export async function valueWithin<T>(
	withinMs: number,
	longestPauseMs: number,
	probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T | undefined> {
	const end = performance.now() + withinMs;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(longestPauseMs, pause * 1.4)) {
		// The last probe begins after the deadline, because the machine may have stood still until then.
		const isLast = performance.now() > end;
		const value = await probe();
		if (value !== undefined && value !== false) {
			return value;
		}
		if (isLast) {
			return undefined;
		}
		await delay(pause);
	}
}

/**
 * Resolves with the first value of `probe` that is neither undefined nor false. After `timeoutMs`, it rejects with an
 * error that names `what`, which can be a function if the error should contain facts known only then.
 */
export async function waitFor<T>(
	what: string | (() => string),
	probe: () => T | undefined | false | Promise<T | undefined | false>,
	timeoutMs = 60_000,
): Promise<T> {
	const value = await valueWithin(timeoutMs, 100, probe);
	if (value === undefined) {
		throw new Error(`Waited ${timeoutMs} ms in vain for ${typeof what === 'string' ? what : what()}.`);
	}
	return value;
}

/** Resolves with whether a process exists and has not ended. A zombie, which has not been collected yet, has ended. */
export async function isAlive(pid: number): Promise<boolean> {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	if (process.platform !== 'linux') {
		return true;
	}
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	return stat !== '' && !/\) Z /.test(stat);
}
