import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Measured } from './freshProcess.ts';

/** Runs one contender's work and sends what it cost to the bench that started this process. */
export async function contend(work: () => Promise<{ count: number } & Record<string, number>>): Promise<void> {
	const delay = monitorEventLoopDelay({ resolution: 5 });
	delay.enable();
	const before = process.cpuUsage();
	const counted = await work();
	const { user, system } = process.cpuUsage(before);
	const measured: Measured = {
		...counted,
		cpu: user + system,
		memory: process.resourceUsage().maxRSS / 1024,
		delay: delay.max / 1e6,
	};
	process.send?.(measured);
}

export function parameters<T>(): T {
	return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** The lines of a body as every hand-written reader finds them: the floor that the goals measure against. */
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
