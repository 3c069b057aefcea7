import { readdir, readFile } from 'node:fs/promises';
import { isAlive } from './waitFor.ts';

/** Returns the ids of the processes of this machine whose command line contains a text. */
export async function processesWith(text: string): Promise<number[]> {
	const found: number[] = [];
	for (const name of await readdir('/proc')) {
		const pid = Number(name);
		if (Number.isInteger(pid) && pid !== process.pid) {
			const commandLine = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
			if (commandLine.includes(text) && (await isAlive(pid))) {
				found.push(pid);
			}
		}
	}
	return found;
}
