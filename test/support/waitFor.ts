import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The pause before a condition is checked for the second time, in milliseconds. */
export const FIRST_PAUSE_MS = 10;

const LONGEST_PAUSE_MS = 100;

/**
 * Returns the pause that follows a pause between two checks of a condition. Pauses grow, because a check takes time from
 * the very program that is waited for.
 */
export const nextPause = (pauseMs: number, longestMs = LONGEST_PAUSE_MS): number => Math.min(longestMs, pauseMs * 1.4);

/**
 * Resolves with the first value of `probe` that is neither undefined nor false. After `timeoutMs`, it rejects with an
 * error that names `what`.
 */
export async function waitFor<T>(
	what: string,
	probe: () => T | undefined | false | Promise<T | undefined | false>,
	timeoutMs = 15_000,
): Promise<T> {
	const end = performance.now() + timeoutMs;
	for (let pause = FIRST_PAUSE_MS; ; pause = nextPause(pause)) {
		const value = await probe();
		if (value !== undefined && value !== false) {
			return value;
		}
		if (performance.now() > end) {
			throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
		}
		await delay(pause);
	}
}

/** Resolves with whether a process exists and has not ended. A zombie, which nobody has collected yet, has ended. */
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
