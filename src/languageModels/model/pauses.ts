/** How long the event loop may be held up at once, in milliseconds. */
const BUSY_MS = 10;

/**
 * Returns a function that is called between the steps of long work. It lets everything else run, such as a cancellation
 * that has come meanwhile, where the work has held up the event loop for long enough.
 */
export function pauses(): () => Promise<void> | undefined {
	let began = performance.now();
	return () => {
		if (performance.now() - began <= BUSY_MS) {
			return undefined;
		}
		return new Promise(resolve => {
			setImmediate(() => {
				began = performance.now();
				resolve();
			});
		});
	};
}
