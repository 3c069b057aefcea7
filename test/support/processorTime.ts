import process from 'node:process';

/**
 * Returns the processor time that this thread spends on `run`, in milliseconds. The time of other programs does not
 * count, so that a limit can tell an algorithm that explodes from a machine that is busy.
 */
export function processorMs(run: () => void): number {
	const lap = processorLaps();
	run();
	return lap();
}

/**
 * Returns a function that, at each call, returns the processor time of this thread since the call before, in
 * milliseconds.
 */
export function processorLaps(): () => number {
	let last = process.threadCpuUsage();
	return () => {
		const { user, system } = process.threadCpuUsage(last);
		last = process.threadCpuUsage();
		return (user + system) / 1_000;
	};
}
