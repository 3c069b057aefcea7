import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

/** The interval for checking the event loop, in milliseconds. */
const LOOK_MS = 5;

/**
 * Returns a function that ends the measurement and returns the longest turn in milliseconds. It counts the thread's own
 * time if the runtime reports it.
 */
export function watchDelay(): () => number {
	if (typeof process.threadCpuUsage !== 'function') {
		const monitor = monitorEventLoopDelay({ resolution: LOOK_MS });
		monitor.enable();
		return () => monitor.max / 1e6;
	}
	const time = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	let longest = 0;
	let last = time();
	const look = setInterval(() => {
		const now = time();
		longest = Math.max(longest, now - last);
		last = now;
	}, LOOK_MS);
	return () => {
		clearInterval(look);
		return longest;
	};
}
