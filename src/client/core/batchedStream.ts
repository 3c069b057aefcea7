import { abortedError } from './exchange.ts';

const END = { done: true, value: undefined } as const;

/**
 * What a client's stream is to its reader: the events one by one, to be read once. `produce` yields them in lots, as
 * they came off the wire, and is asked for the next lot only when the last one is used up. It gets a signal that
 * aborts with the reader's own and when the reader leaves the loop, even while an event is awaited.
 */
export class BatchedStream<T> implements AsyncIterableIterator<T, undefined> {
	private readonly controller = new AbortController();
	private readonly readerSignal: AbortSignal | undefined;
	private readonly onAbort = () => this.controller.abort(abortedError());
	private readonly lots: AsyncGenerator<T[], void>;
	private lot: T[] = [];
	private position = 0;
	private isOver = false;
	private advancing: Promise<IteratorResult<T, undefined>> | undefined;

	constructor(signal: AbortSignal | undefined, produce: (signal: AbortSignal) => AsyncGenerator<T[], void>) {
		this.readerSignal = signal;
		signal?.addEventListener('abort', this.onAbort, { once: true });
		if (signal?.aborted) {
			this.onAbort();
		}
		this.lots = produce(this.controller.signal);
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<T, undefined>> {
		if (this.advancing) {
			const again = () => this.next();
			return this.advancing.then(again, again);
		}
		if (this.position < this.lot.length && !this.controller.signal.aborted) {
			return Promise.resolve({ done: false, value: this.lot[this.position++] as T });
		}
		const advancing = this.advance();
		// It never ends before it waits, so that this is not what its end takes back.
		this.advancing = advancing;
		return advancing;
	}

	/** What came together with the event that was read last and has not been read itself: to be had without waiting. */
	takeArrived(): T[] {
		const arrived = this.controller.signal.aborted ? [] : this.lot.slice(this.position);
		this.position = this.lot.length;
		return arrived;
	}

	async return(): Promise<IteratorResult<T, undefined>> {
		this.isOver = true;
		this.lot = [];
		this.controller.abort(abortedError());
		this.release();
		// A lot under way rejects by the abort; the reader has left and does not hear of it.
		await this.lots.return().catch(() => {});
		return END;
	}

	private async advance(): Promise<IteratorResult<T, undefined>> {
		try {
			while (!this.isOver) {
				if (this.readerSignal?.aborted) {
					await this.lots.return();
					throw abortedError();
				}
				const { done, value } = await this.lots.next();
				if (done) {
					this.isOver = true;
				} else if (value.length > 0) {
					this.lot = value;
					this.position = 1;
					return { done: false, value: value[0] as T };
				}
			}
		} catch (error) {
			if (!this.isOver) {
				this.isOver = true;
				this.lot = [];
				throw error;
			}
		} finally {
			this.advancing = undefined;
			if (this.isOver) {
				this.release();
			}
		}
		return END;
	}

	private release(): void {
		this.readerSignal?.removeEventListener('abort', this.onAbort);
	}
}
