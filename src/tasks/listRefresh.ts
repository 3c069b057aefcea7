import type { Clock } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { ClientError, describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { AgentTaskList } from './agentTaskList.ts';
import { isLongAway, RefreshTimer } from './refreshTimer.ts';
import type { TaskStore } from './taskStore.ts';

export interface ListRefreshOptions {
	store: TaskStore;
	agentTasks: AgentTaskList;
	/** Whether the view is visible. */
	isVisible(): boolean;
	/** Whether the window has the focus when the feature starts. */
	isFocused: boolean;
	intervalMs(): number;
	/** Whether the service was stopped on purpose, so that only requests by the user may reach it. */
	isStopped(): boolean;
	/** Resolves when the connection is known or cannot be read; reading the list then reports why. */
	connectionRead(): Promise<unknown>;
	clock: Clock;
	logger: Logger;
}

/**
 * Decides when the lists are read: once when they are first needed, then only while the view is visible or a task is
 * active, and not while the user has been away for long. Everything that shows tasks shares one request.
 */
export class ListRefresh implements Disposable {
	private readonly options: ListRefreshOptions;
	private readonly disposables = new DisposableStore();
	private readonly timer: RefreshTimer;
	private firstLoad: Promise<void> | undefined;
	/** The time at which the window lost the focus, in milliseconds since the epoch. */
	private unfocusedAt: number | undefined;

	constructor(options: ListRefreshOptions) {
		this.options = options;
		const { store, clock } = options;
		this.unfocusedAt = options.isFocused ? undefined : clock.now();
		this.timer = this.disposables.add(
			new RefreshTimer({
				isNeeded: () => this.isNeeded(),
				intervalMs: options.intervalMs,
				refresh: () => this.refreshQuietly(),
				clock,
			}),
		);
		this.disposables.add(store.onDidChange(() => this.timer.wake()));
	}

	/** Reads the lists once. With `again`, reads them again. */
	load(again?: 'first' | 'opened'): Promise<void> {
		if (again || !this.firstLoad) {
			const { store, agentTasks } = this.options;
			const known = this.options.connectionRead().catch(() => {});
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
		if (isVisible && this.firstLoad && !this.options.isStopped()) {
			void this.refreshQuietly();
		}
		this.timer.wake();
	}

	focusChanged(isFocused: boolean): void {
		const now = this.options.clock.now();
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
		const { store, isVisible, isStopped, clock } = this.options;
		if (isStopped()) {
			return false;
		}
		// Errors that only the user can fix stop automatic refreshing.
		const { error } = store;
		if (error !== undefined && !(ClientError.is(error) && error.retryable)) {
			return false;
		}
		const isSeen = isVisible() || store.activeCount > 0;
		return this.firstLoad !== undefined && isSeen && !isLongAway(this.unfocusedAt, clock.now());
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
			...(ClientError.is(error) ? { code: error.code } : {}),
			reason: describeError(error),
		});
		return ClientError.is(error) ? (error.retryAfterMs ?? 0) : 0;
	}

	dispose(): void {
		this.disposables.dispose();
	}
}
