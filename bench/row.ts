/** One line of bench/RESULTS.md. */
export interface BenchRow {
	/** The number of the goal. */
	goal: string;
	what: string;
	ours: string;
	/** The results of others for the same work, in the same run if possible. */
	peers: string;
	ratio: string;
	met: 'yes' | 'no';
	reason?: string;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the median of the processor times, in the unit of the runs. */
export const cpuOf = (runs: readonly { cpu: number }[] = []): number => median(runs.map(({ cpu }) => cpu));
