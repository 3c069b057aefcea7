import { type Clock, systemClock } from '../../src/base/async.ts';

/**
 * The factor by which this clock is faster than real time. It makes waits between retries short, while limits are still
 * far away.
 */
const FACTOR = 20;

export function hastenedClock(): Clock {
	const started = systemClock.now();
	return {
		now: () => started + (systemClock.now() - started) * FACTOR,
		after: (milliseconds, run) => systemClock.after(milliseconds / FACTOR, run),
		sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / FACTOR, signal),
	};
}
