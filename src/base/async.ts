/** The time as the code sees it. Tests provide their own clock. */
export interface Clock {
	/** Milliseconds since the epoch. The user, or the network's time, may set it forward or back. */
	now(): number;
	/** Milliseconds since some moment in the past, by a clock that nobody sets, for how long something takes. */
	elapsed(): number;
	/** Calls `run` after `milliseconds`, unless the returned function is called before. */
	after(milliseconds: number, run: () => void): () => void;
	/** Resolves after `milliseconds`; rejects with the signal's reason when it aborts first. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Node's timers fire at once if their delay is above this limit. A wait this long need not be exact to the millisecond.
 */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Implements `sleep` for a clock that has `after`. */
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
	elapsed: () => performance.now(),
	after(milliseconds, run) {
		const timer = setTimeout(run, Math.min(milliseconds, LONGEST_TIMER_MS));
		return () => clearTimeout(timer);
	},
	sleep: (milliseconds, signal) => sleepOn(systemClock, milliseconds, signal),
};

/** Runs tasks one after another in the order in which they were added. A failing task does not stop the queue. */
export class SerialQueue {
	private tail: Promise<unknown> = Promise.resolve();

	run<T>(task: () => Promise<T> | T): Promise<T> {
		const result = this.tail.then(task);
		this.tail = result.catch(() => {});
		return result;
	}
}

/**
 * Settles as `promise` does, or rejects with the signal's reason if the signal aborts first; the promise is then
 * ignored.
 */
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

/** Wraps `make` so that it is called at the first use, and all uses share what it returns. */
export function onFirstUse<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

/** Wraps `run` so that calls made while a run is in progress share its outcome. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
	let current: Promise<T> | undefined;
	return () => {
		current ??= run().finally(() => {
			current = undefined;
		});
		return current;
	};
}

/**
 * Runs `work` for each item, at most `limit` at a time, and returns the results in the order of the items. The first
 * error aborts the other runs and is thrown once all of them have ended.
 */
export async function inParallel<Item, Result>(
	items: readonly Item[],
	limit: number,
	signal: AbortSignal | undefined,
	work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
	const failed = new AbortController();
	const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
	const results: Result[] = [];
	const left = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of left) {
			try {
				either.throwIfAborted();
				results[index] = await work(item, either);
			} catch (error) {
				failed.abort(error);
				return;
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
	either.throwIfAborted();
	return results;
}
