import { setImmediate } from 'node:timers/promises';

/** The time for which the event loop may be blocked at once, in milliseconds. */
const BUSY_MS = 8;

/**
 * Returns a function that is called between the steps of long work. If the work has blocked the event loop for long
 * enough, it lets everything else run, such as a cancellation that has arrived meanwhile.
 */
export function pauses(): () => Promise<void> | undefined {
	let began = performance.now();
	return () => {
		if (performance.now() - began < BUSY_MS) {
			return undefined;
		}
		return setImmediate().then(() => {
			began = performance.now();
		});
	};
}
