import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Resolves with the first value of `probe` that is neither undefined nor false; throws what it was about after `timeoutMs`. */
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

/** Whether a process is there and has not ended (one that nobody has collected yet has). */
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
