const FEWEST = 5;
/** Parts that are this far apart were not sent at once. */
const SPREAD_MS = 200;
/** A stream that takes less than this in total does not show whether it is held back. */
const SHORTEST_MS = 1000;

/**
 * Returns whether the parts of a reply have come one after another, as in a stream. `held-back`: all came at once after
 * a wait. `too-short`, `too-fast`: this reply does not show it. Arrivals are in milliseconds since the request was
 * sent.
 */
export function streamVerdict(
	arrivals: readonly number[],
): 'flows' | 'held-back' | 'nothing' | 'too-short' | 'too-fast' {
	const [first, last] = [arrivals[0], arrivals.at(-1)];
	if (first === undefined || last === undefined) {
		return 'nothing';
	}
	if (last - first >= SPREAD_MS) {
		return 'flows';
	}
	if (arrivals.length < FEWEST) {
		return 'too-short';
	}
	return first >= SHORTEST_MS ? 'held-back' : 'too-fast';
}
