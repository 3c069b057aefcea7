import type { Page } from 'playwright-core';

interface TraceEvent {
	name: string;
	ph: string;
	pid: number;
	tid: number;
	/** Microseconds, by the clock and of the thread alone. */
	dur?: number;
	tdur?: number;
	args?: { name?: string };
}

/** The longest task of a page's own thread while something runs. */
export interface LongestTask {
	/** Milliseconds of its own work: what else the machine does, does not count. */
	cpu: number;
	/** Milliseconds by the clock. */
	wall: number;
}

/** What is under way in the page when `run` resolves is not waited for. */
export async function longestTask(page: Page, run: () => Promise<unknown>): Promise<LongestTask> {
	const browser = page.context().browser();
	await browser?.startTracing(page, { categories: ['toplevel', '__metadata'] });
	let trace: Buffer | undefined;
	try {
		await run();
	} finally {
		trace = await browser?.stopTracing();
	}
	const { traceEvents } = JSON.parse(trace?.toString() ?? '{}') as { traceEvents: TraceEvent[] };
	const mains = new Set(
		traceEvents
			.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
			.map(({ pid, tid }) => `${pid} ${tid}`),
	);
	const longest = { cpu: 0, wall: 0 };
	for (const { ph, pid, tid, dur = 0, tdur = 0 } of traceEvents) {
		if (ph === 'X' && mains.has(`${pid} ${tid}`)) {
			longest.cpu = Math.max(longest.cpu, tdur / 1000);
			longest.wall = Math.max(longest.wall, dur / 1000);
		}
	}
	return longest;
}
