import { type Clock, systemClock } from '../../src/base/async.ts';

/** The factor by which the pauses between retries are shorter. */
const PAUSES = 20;
/** The factor by which limits are nearer. Even so, a limit for an answer is a few seconds, because a busy machine may stall. */
const LIMITS = 5;

export function hastenedClock(): Clock {
	const started = systemClock.now();
	return {
		now: () => started + (systemClock.now() - started) * LIMITS,
		elapsed: () => systemClock.elapsed() * LIMITS,
		after: (milliseconds, run) => systemClock.after(milliseconds / LIMITS, run),
		sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / PAUSES, signal),
	};
}
