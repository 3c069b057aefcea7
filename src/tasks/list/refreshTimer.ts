import type { Clock } from '../../base/async.ts';
import type { Disposable } from '../../base/disposable.ts';

/** The longest delay between two attempts while refreshing fails, in milliseconds. */
const MAXIMUM_BACKOFF_MS = 5 * 60 * 1000;

/** The intervals are in seconds. The editor returns the user's value even if the setting's schema rejects it. */
const MINIMUM_INTERVAL = 2;
const DEFAULT_INTERVAL = 15;

/** Returns the time between two refreshes in milliseconds. `setting` should be a number of seconds. */
export function intervalMsOf(setting: unknown): number {
	const seconds = typeof setting === 'number' && !Number.isNaN(setting) ? setting : DEFAULT_INTERVAL;
	return Math.max(MINIMUM_INTERVAL, seconds) * 1000;
}

/** After this long without the focus, in milliseconds, nobody is assumed to look at a window. */
const LONG_AWAY_MS = 10 * 60 * 1000;

/** Both times are in milliseconds since the epoch. `unfocusedAt` is undefined while the window has the focus. */
export function isLongAway(unfocusedAt: number | undefined, now: number): boolean {
	return unfocusedAt !== undefined && now - unfocusedAt > LONG_AWAY_MS;
}

export interface RefreshTimerOptions {
	/** Returns whether anyone would see the result of a refresh. */
	isNeeded(): boolean;
	intervalMs(): number;
	/**
	 * Resolves with undefined on success, otherwise with the delay that the service asks for, in milliseconds (0 if it
	 * does not say).
	 */
	refresh(): Promise<number | undefined>;
	clock: Clock;
}

/** Refreshes repeatedly while that is needed, one refresh at a time, and with growing delays while it fails. */
export class RefreshTimer implements Disposable {
	private readonly options: RefreshTimerOptions;
	private isDisposed = false;
	private current: AbortController | undefined;

	constructor(options: RefreshTimerOptions) {
		this.options = options;
	}

	/** Must be called whenever refreshing may have become necessary. */
	wake(): void {
		if (!this.current && !this.isDisposed && this.options.isNeeded()) {
			const mine = new AbortController();
			this.current = mine;
			void this.run(mine.signal).finally(() => {
				if (this.current === mine) {
					this.current = undefined;
				}
			});
		}
	}

	/** Resets the backoff: the next refresh comes after a normal interval. */
	restart(): void {
		this.current?.abort();
		this.current = undefined;
		this.wake();
	}

	private async run(signal: AbortSignal): Promise<void> {
		const { clock, isNeeded, intervalMs, refresh } = this.options;
		let failures = 0;
		let waitMs = intervalMs();
		while (isNeeded()) {
			try {
				await clock.sleep(waitMs, signal);
			} catch {
				return;
			}
			if (!isNeeded()) {
				return;
			}
			const retryAfterMs = await refresh();
			if (signal.aborted) {
				return;
			}
			failures = retryAfterMs === undefined ? 0 : failures + 1;
			const backoffMs = Math.min(MAXIMUM_BACKOFF_MS, intervalMs() * 2 ** failures);
			waitMs = Math.max(retryAfterMs ?? 0, failures === 0 ? intervalMs() : backoffMs);
		}
	}

	dispose(): void {
		this.isDisposed = true;
		this.current?.abort();
	}
}
