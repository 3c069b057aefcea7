import { type Clock, systemClock } from '../../src/base/async.ts';

/** Real time, so many times as fast: waits between tries are short, and limits still far away. */
const FACTOR = 20;

export function hastenedClock(): Clock {
	const started = systemClock.now();
	return {
		now: () => started + (systemClock.now() - started) * FACTOR,
		after: (milliseconds, run) => systemClock.after(milliseconds / FACTOR, run),
		sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / FACTOR, signal),
	};
}
