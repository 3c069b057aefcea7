import process from 'node:process';

/**
 * Returns the processor time that this thread spends on `run`, in milliseconds. The time of other programs does not
 * count, so that a limit distinguishes an exploding algorithm from a busy machine.
 */
export function processorMs(run: () => void): number {
	const lap = processorLaps();
	run();
	return lap();
}

/**
 * Returns a function that, at each call, returns the processor time of this thread since the previous call, in
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
