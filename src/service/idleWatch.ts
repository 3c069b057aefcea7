import { type Disposable, toDisposable } from '../base/disposable.ts';

export interface IdleWatchOptions {
	/** Milliseconds without a hold and without work after which `onIdle` is called, once. */
	idleMs: number;
	/** True while a task runs or waits. Asked when the time is up and after each `workEnded`. */
	isBusy(): boolean;
	onIdle(): void;
}

/**
 * Knows whether anybody still needs the service. Each authorised request holds it until its response has closed; a
 * window's lease is nothing but a response that stays open. The time runs from the start on: a service that no
 * window ever finds ends too.
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

	/** To be called when a task has ended: the time runs from there. */
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
			if (!this.ended && this.holds === 0 && !this.options.isBusy()) {
				this.dispose();
				this.options.onIdle();
			}
		}, this.options.idleMs);
	}
}
