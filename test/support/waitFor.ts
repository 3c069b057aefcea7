import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

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
	for (;;) {
		const value = await probe();
		if (value !== undefined && value !== false) {
			return value;
		}
		if (performance.now() > end) {
			throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
		}
		await delay(15);
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
