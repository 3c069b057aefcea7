import { type Disposable, toDisposable } from '../base/disposable.ts';

export interface IdleWatchOptions {
	/** `onIdle` is called once after this many milliseconds without a hold and without work. */
	idleMs: number;
	/** Returns whether a task is running or waiting. It is called when the time is up and after each `workEnded`. */
	isBusy(): boolean;
	onIdle(): void;
}

/**
 * Detects when the service is no longer needed. Each authorised request holds it until its response has closed; a
 * window's lease is simply a response that stays open. The timer starts at once, so that a service that no window ever
 * finds ends too.
 */
export class IdleWatch implements Disposable {
	private readonly options: IdleWatchOptions;
	private holds = 0;
	private timer: NodeJS.Timeout | undefined;
	private ended = false;

	constructor(options: IdleWatchOptions) {
		this.options = options;
		this.restart();
	}

	hold(): Disposable {
		this.holds++;
		clearTimeout(this.timer);
		return toDisposable(() => {
			this.holds--;
			this.restart();
		});
	}

	/** Must be called when a task has ended, which restarts the timer. */
	workEnded(): void {
		this.restart();
	}

	dispose(): void {
		this.ended = true;
		clearTimeout(this.timer);
	}

	private restart(): void {
		clearTimeout(this.timer);
		if (this.ended || this.holds > 0 || this.options.isBusy()) {
			return;
		}
		this.timer = setTimeout(() => {
			if (!this.options.isBusy()) {
				this.dispose();
				this.options.onIdle();
			}
		}, this.options.idleMs);
	}
}
