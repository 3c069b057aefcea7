// Whether the parts of a reply have come one after another, as a stream does, or have been held back on the way.

/** When something has come, in milliseconds since the request left. */
export interface StreamTiming {
	arrivals: readonly number[];
	/** Whether the stream is over; otherwise it was left. */
	hasEnded: boolean;
}

/** `held-back`: all came at once after a wait. `too-short`, `too-fast`: this stream does not tell. */
export type StreamVerdict = 'flows' | 'held-back' | 'nothing' | 'too-short' | 'too-fast';

const FEWEST = 5;
/** Parts that are this far apart were not sent at once. */
const SPREAD_MS = 200;
/** A stream that takes less than this in all says nothing about what holds it back. */
const SHORTEST_MS = 1000;

/** Reads the timing of a reply with many parts. */
export function replyVerdict({ arrivals }: StreamTiming): StreamVerdict {
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

/**
 * Reads the timing of the log of a task that is at work. It greets at once and states its status every 2 seconds
 * (contract: cloud-tasks.md, Events), so it shows without many parts whether it flows.
 */
export function logVerdict({ arrivals, hasEnded }: StreamTiming): StreamVerdict {
	const [first, last] = [arrivals[0], arrivals.at(-1)];
	if (first === undefined || last === undefined) {
		return hasEnded ? 'nothing' : 'held-back';
	}
	if (!hasEnded || last - first >= SPREAD_MS) {
		return 'flows';
	}
	return first >= SHORTEST_MS ? 'held-back' : 'too-short';
}
