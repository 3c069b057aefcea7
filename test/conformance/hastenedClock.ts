import { type Clock, systemClock } from '../../src/base/async.ts';

/** The factor by which the pauses between retries are shorter. */
const PAUSES = 20;
/** The factor by which limits are nearer. None of them is less than a few seconds then, which a stalled machine may take. */
const LIMITS = 5;

export function hastenedClock(): Clock {
	const started = systemClock.now();
	return {
		now: () => started + (systemClock.now() - started) * LIMITS,
		after: (milliseconds, run) => systemClock.after(milliseconds / LIMITS, run),
		sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / PAUSES, signal),
	};
}
