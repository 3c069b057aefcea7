import type { Page } from 'playwright-core';

interface TraceEvent {
	name: string;
	ph: string;
	pid: number;
	tid: number;
	/** Microseconds of wall-clock time and of the thread's CPU time. */
	dur?: number;
	tdur?: number;
	args?: { name?: string };
}

/** The longest task of a page's main thread. */
export interface LongestTask {
	/** Milliseconds of CPU time, which other work of the machine does not lengthen. */
	cpu: number;
	/** Milliseconds of wall-clock time. */
	wall: number;
}

/** Measures the longest task during `run`. Work that is still pending when `run` resolves is not awaited. */
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
