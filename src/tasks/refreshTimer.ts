import type { Clock } from '../base/async.ts';
import type { Disposable } from '../base/disposable.ts';

/** The longest wait between two tries while refreshing fails, in milliseconds. */
const MAXIMUM_BACKOFF_MS = 5 * 60 * 1000;

/** The longest wait of all, whoever asks for it: a timer that is set to more than 24 days fires at once. */
const MAXIMUM_WAIT_MS = 24 * 60 * 60 * 1000;

/** In seconds. The editor hands over what the user wrote, also where the setting's schema refuses it. */
const MINIMUM_INTERVAL = 2;
const DEFAULT_INTERVAL = 15;

/** The time between two refreshes in milliseconds; `setting` is meant to be a number of seconds. */
export function intervalMsOf(setting: unknown): number {
	const seconds = typeof setting === 'number' && !Number.isNaN(setting) ? setting : DEFAULT_INTERVAL;
	return Math.min(MAXIMUM_WAIT_MS, Math.max(MINIMUM_INTERVAL, seconds) * 1000);
}

/** A window that was without the focus for so long (milliseconds) has nobody who looks at it. */
const LONG_AWAY_MS = 10 * 60 * 1000;

/** `unfocusedAt` and `now` in milliseconds since the epoch; undefined while the window has the focus. */
export function isLongAway(unfocusedAt: number | undefined, now: number): boolean {
	return unfocusedAt !== undefined && now - unfocusedAt > LONG_AWAY_MS;
}

export interface RefreshTimerOptions {
	/** Whether anybody would see what a refresh brings. */
	isNeeded(): boolean;
	intervalMs(): number;
	/** Resolves with undefined when it worked, else with how long the service asks to wait, in milliseconds (0: it does not say). */
	refresh(): Promise<number | undefined>;
	clock: Clock;
}

/** Refreshes again and again while that is needed, one at a time, and ever more rarely while it fails. */
export class RefreshTimer implements Disposable {
	private readonly options: RefreshTimerOptions;
	private isDisposed = false;
	private current: AbortController | undefined;

	constructor(options: RefreshTimerOptions) {
		this.options = options;
	}

	/** To be called whenever refreshing may have become needed. */
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

	/** Forgets that refreshing failed: the next one is a plain interval away. */
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
			const backoffMs = Math.min(MAXIMUM_BACKOFF_MS, intervalMs() * 2 ** Math.min(failures, 16));
			waitMs = Math.min(MAXIMUM_WAIT_MS, Math.max(retryAfterMs ?? 0, failures === 0 ? intervalMs() : backoffMs));
		}
	}

	dispose(): void {
		this.isDisposed = true;
		this.current?.abort();
	}
}
