/** Time as the code sees it. Tests bring their own. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Runs it after `milliseconds`, unless the function returned is called before. */
	after(milliseconds: number, run: () => void): () => void;
	/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Node's timers run out at once above this. A wait this long is never meant to the millisecond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The sleep of a clock that can run something later. */
export function sleepOn(clock: Pick<Clock, 'after'>, milliseconds: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) {
			reject(signal.reason);
			return;
		}
		const onAbort = () => {
			cancel();
			reject(signal?.reason);
		};
		const cancel = clock.after(milliseconds, () => {
			signal?.removeEventListener('abort', onAbort);
			resolve();
		});
		signal?.addEventListener('abort', onAbort, { once: true });
	});
}

export const systemClock: Clock = {
	now: () => Date.now(),
	after(milliseconds, run) {
		const timer = setTimeout(run, Math.min(milliseconds, LONGEST_TIMER_MS));
		return () => clearTimeout(timer);
	},
	sleep: (milliseconds, signal) => sleepOn(systemClock, milliseconds, signal),
};

/** Runs tasks one after another in the order they came. A failing task does not stop the queue. */
export class SerialQueue {
	private tail: Promise<unknown> = Promise.resolve();

	run<T>(task: () => Promise<T> | T): Promise<T> {
		const result = this.tail.then(task);
		this.tail = result.catch(() => {});
		return result;
	}
}

/** What `promise` comes to, or the signal's reason as an error where that aborts first. Nobody then waits for the promise. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (!signal) {
		return promise;
	}
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		if (signal.aborted) {
			onAbort();
		}
		signal.addEventListener('abort', onAbort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}

/** Callers that come while one run is under way share its outcome. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
	let current: Promise<T> | undefined;
	return () => {
		current ??= run().finally(() => {
			current = undefined;
		});
		return current;
	};
}
