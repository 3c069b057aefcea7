import type { Clock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { type Disposable, DisposableOwner } from '../../base/disposable.ts';
import { ClientError, describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import type { AgentTaskList } from './agentTaskList.ts';
import type { TaskListStore } from './taskListStore.ts';

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

export interface ListRefreshOptions {
	store: TaskListStore;
	agentTasks: AgentTaskList;
	active: Pick<ActiveConnection, 'read' | 'isStopped'>;
	view: {
		isVisible(): boolean;
		/** True if the window has the focus when the feature starts. */
		isFocused: boolean;
	};
	timing: { clock: Clock; intervalMs(): number };
	logger: Logger;
}

/**
 * Decides when the lists are read: once when they are first needed, then only while the view is visible or a task is
 * active, and not while the user has been away for long. Everything that shows tasks shares one request.
 */
export class ListRefresh extends DisposableOwner {
	private readonly options: ListRefreshOptions;
	private readonly timer: RefreshTimer;
	private firstLoad: Promise<void> | undefined;
	/** The time at which the window lost the focus, in milliseconds since the epoch. */
	private unfocusedAt: number | undefined;

	constructor(options: ListRefreshOptions) {
		super();
		this.options = options;
		const { store, view, timing } = options;
		this.unfocusedAt = view.isFocused ? undefined : timing.clock.now();
		this.timer = this.disposables.add(
			new RefreshTimer({
				isNeeded: () => this.isNeeded(),
				refresh: () => this.refreshQuietly(),
				...timing,
			}),
		);
		this.disposables.add(store.onDidChange(() => this.timer.wake()));
	}

	/** Reads the lists once. With `again`, reads them again. */
	load(again?: 'first' | 'opened'): Promise<void> {
		if (again || !this.firstLoad) {
			const { store, agentTasks, active } = this.options;
			// If the connection cannot be read, reading the list reports why.
			const known = active.read().catch(() => {});
			this.firstLoad = known.then(() => store.refresh(again));
			void known.then(() => agentTasks.refresh());
		}
		return this.firstLoad;
	}

	/** Refreshes at the user's request: reads every page that was opened, and drops any delay left over from failures. */
	async refresh(): Promise<void> {
		await this.load('opened');
		this.timer.restart();
	}

	/** Must be called whenever refreshing may have become necessary. */
	wake(): void {
		this.timer.wake();
	}

	visibilityChanged(isVisible: boolean): void {
		if (isVisible && this.firstLoad && !this.options.active.isStopped) {
			void this.refreshQuietly();
		}
		this.timer.wake();
	}

	focusChanged(isFocused: boolean): void {
		const now = this.options.timing.clock.now();
		const wasAway = isLongAway(this.unfocusedAt, now);
		this.unfocusedAt = isFocused ? undefined : (this.unfocusedAt ?? now);
		if (isFocused && wasAway && this.isNeeded()) {
			void this.refreshQuietly();
		}
		this.timer.wake();
	}

	/** Discards everything when the connection changes. */
	reset(): void {
		this.firstLoad = undefined;
		this.options.store.reset();
		this.options.agentTasks.reset();
		this.timer.restart();
	}

	private isNeeded(): boolean {
		const { store, active, view, timing } = this.options;
		if (active.isStopped) {
			return false;
		}
		// Errors that only the user can fix stop automatic refreshing.
		const { error } = store;
		if (error !== undefined && !(ClientError.is(error) && error.retryable)) {
			return false;
		}
		const isSeen = view.isVisible() || store.activeCount > 0;
		return this.firstLoad !== undefined && isSeen && !isLongAway(this.unfocusedAt, timing.clock.now());
	}

	/** Resolves with undefined on success, otherwise with the delay that the service asks for. */
	private async refreshQuietly(): Promise<number | undefined> {
		const { store, agentTasks, logger } = this.options;
		await Promise.all([store.refresh(), agentTasks.refresh()]);
		const { error } = store;
		if (error === undefined) {
			return undefined;
		}
		logger.log('warn', 'the task list could not be read', {
			...defined({ code: ClientError.is(error) ? error.code : undefined }),
			reason: describeError(error),
		});
		return ClientError.is(error) ? (error.retryAfterMs ?? 0) : 0;
	}
}
