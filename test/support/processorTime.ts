import process from 'node:process';

/**
 * The processor time that this thread spends on `run`, in milliseconds. What other programs take meanwhile does not count,
 * so that a limit can tell an algorithm that explodes from a machine that is busy.
 */
export function processorMs(run: () => void): number {
	const lap = processorLaps();
	run();
	return lap();
}

/** Each call gives what this thread has spent since the one before, in milliseconds. */
export function processorLaps(): () => number {
	let last = process.threadCpuUsage();
	return () => {
		const { user, system } = process.threadCpuUsage(last);
		last = process.threadCpuUsage();
		return (user + system) / 1_000;
	};
}
