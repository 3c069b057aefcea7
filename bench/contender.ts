import process from 'node:process';
import type { Measured } from './freshProcess.ts';

const LOOK_MS = 5;

/** Runs one contender's work and sends its cost to the bench that started this process. */
export async function contend(work: () => Promise<{ count: number } & Record<string, number>>): Promise<void> {
	// The runtime loads its fetch at the first call. An extension host has done so long before the extension starts.
	await fetch('data:,');
	let longest = 0;
	let last = threadTime();
	const look = setInterval(() => {
		const now = threadTime();
		longest = Math.max(longest, now - last);
		last = now;
	}, LOOK_MS);
	const before = process.cpuUsage();
	const counted = await work();
	const { user, system } = process.cpuUsage(before);
	clearInterval(look);
	const measured: Measured = {
		...counted,
		cpu: user + system,
		memory: process.resourceUsage().maxRSS / 1024,
		delay: longest / 1000,
	};
	process.send?.(measured);
}

/**
 * Returns the microseconds for which this thread has worked, so that other load on the machine does not lengthen a turn
 * of the event loop.
 */
function threadTime(): number {
	const { user, system } = process.threadCpuUsage();
	return user + system;
}

export function parameters<T>(): T {
	return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** Yields the lines of a body with the least work that a reader can do. The goals are set against this floor. */
export async function* linesOf(response: Response): AsyncGenerator<string[]> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const bytes of response.body ?? []) {
		rest += decoder.decode(bytes, { stream: true });
		const lines = rest.split('\n');
		rest = lines.pop() ?? '';
		yield lines;
	}
}
