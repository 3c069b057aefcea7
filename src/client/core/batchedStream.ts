import { abortedError } from './exchange.ts';

const END = { done: true, value: undefined } as const;

/** The events of a reply in batches, as they arrived. An async generator of arrays satisfies this interface. */
export interface BatchSource<T> {
	/** Called again only after the previous call has settled. */
	next(): Promise<IteratorResult<T[], void>>;
	/** Called when the reader leaves. */
	return(): Promise<unknown>;
	/**
	 * Returns the error for the reader in place of the one that `next` rejected with. Without it, the reader gets the
	 * original error.
	 */
	failure?(error: unknown): unknown;
}

/**
 * The stream that a client hands to its reader: single events, to be read once. `produce` returns them in batches as
 * they arrive, and is asked for the next batch only when the previous one is used up. Its signal aborts with the
 * reader's own signal and when the reader leaves the loop, even while an event is awaited.
 *
 * The iterator is written by hand: every event passes through it, and an async function would cost as much as reading
 * the event.
 */
export class BatchedStream<T> implements AsyncIterableIterator<T, undefined> {
	private readonly controller = new AbortController();
	private readonly readerSignal: AbortSignal | undefined;
	private readonly onAbort = () => this.controller.abort(abortedError());
	private readonly source: BatchSource<T>;
	private batch: T[] = [];
	private position = 0;
	private isOver = false;
	private advancing: Promise<IteratorResult<T, undefined>> | undefined;

	constructor(signal: AbortSignal | undefined, produce: (signal: AbortSignal) => BatchSource<T>) {
		this.readerSignal = signal;
		signal?.addEventListener('abort', this.onAbort, { once: true });
		if (signal?.aborted) {
			this.onAbort();
		}
		this.source = produce(this.controller.signal);
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<T, undefined>> {
		if (this.advancing) {
			const again = () => this.next();
			return this.advancing.then(again, again);
		}
		if (this.position < this.batch.length && !this.controller.signal.aborted) {
			return Promise.resolve({ done: false, value: this.batch[this.position++] as T });
		}
		if (this.isOver) {
			return Promise.resolve(END);
		}
		const batch = this.readerSignal?.aborted ? this.abandon() : this.source.next();
		// `onBatch` and `onFailure` reset `advancing`, but always in a later microtask than this assignment.
		this.advancing = batch.then(this.onBatch, this.onFailure);
		return this.advancing;
	}

	/** Returns the unread events that arrived together with the last one that was read, without waiting. */
	takeArrived(): T[] {
		const arrived = this.controller.signal.aborted ? [] : this.batch.slice(this.position);
		this.position = this.batch.length;
		return arrived;
	}

	async return(): Promise<IteratorResult<T, undefined>> {
		this.isOver = true;
		this.batch = [];
		this.controller.abort(abortedError());
		this.release();
		// A pending batch rejects because of the abort; the reader has left and does not need to know.
		await this.source.return().catch(() => {});
		return END;
	}

	private readonly onBatch = (
		batch: IteratorResult<T[], void>,
	): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>> => {
		if (!batch.done && batch.value.length === 0 && !this.isOver) {
			return this.passOverEmpty();
		}
		return this.give(batch);
	};

	/**
	 * Loops instead of recursing: otherwise every promise would hold on to the next one for as long as empty batches
	 * come.
	 */
	private async passOverEmpty(): Promise<IteratorResult<T, undefined>> {
		try {
			for (;;) {
				const batch = await (this.readerSignal?.aborted ? this.abandon() : this.source.next());
				if (batch.done || batch.value.length > 0 || this.isOver) {
					return this.give(batch);
				}
			}
		} catch (error) {
			return this.onFailure(error);
		}
	}

	private give({ done, value }: IteratorResult<T[], void>): IteratorResult<T, undefined> {
		this.advancing = undefined;
		if (done || this.isOver) {
			this.isOver = true;
			this.release();
			return END;
		}
		this.batch = value;
		this.position = 1;
		return { done: false, value: value[0] as T };
	}

	private readonly onFailure = (error: unknown): IteratorResult<T, undefined> => {
		this.advancing = undefined;
		this.release();
		if (this.isOver) {
			return END;
		}
		this.isOver = true;
		this.batch = [];
		throw this.source.failure ? this.source.failure(error) : error;
	};

	private async abandon(): Promise<never> {
		await this.source.return();
		throw abortedError();
	}

	private release(): void {
		this.readerSignal?.removeEventListener('abort', this.onAbort);
	}
}
