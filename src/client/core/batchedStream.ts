import { abortedError } from './exchange.ts';

const END = { done: true, value: undefined } as const;

/** The events of a reply in the lots in which they came off the wire. An async generator of arrays is one. */
export interface Lots<T> {
	/** Asked one at a time. */
	next(): Promise<IteratorResult<T[], void>>;
	/** The reader has left. */
	return(): Promise<unknown>;
	/** What the reader is told instead of what `next` rejected with; without it, that. */
	failure?(error: unknown): unknown;
}

/**
 * What a client's stream is to its reader: the events one by one, to be read once. `produce` gives them in lots, as
 * they came off the wire, and is asked for the next lot only when the last one is used up. It gets a signal that
 * aborts with the reader's own and when the reader leaves the loop, even while an event is awaited.
 *
 * By hand: on a path that every event takes, an async function costs as much as reading the event.
 */
export class BatchedStream<T> implements AsyncIterableIterator<T, undefined> {
	private readonly controller = new AbortController();
	private readonly readerSignal: AbortSignal | undefined;
	private readonly onAbort = () => this.controller.abort(abortedError());
	private readonly lots: Lots<T>;
	private lot: T[] = [];
	private position = 0;
	private isOver = false;
	private advancing: Promise<IteratorResult<T, undefined>> | undefined;

	constructor(signal: AbortSignal | undefined, produce: (signal: AbortSignal) => Lots<T>) {
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
		if (this.isOver) {
			return Promise.resolve(END);
		}
		const lot = this.readerSignal?.aborted ? this.abandon() : this.lots.next();
		// Its end, which takes this back, comes in a later turn.
		this.advancing = lot.then(this.onLot, this.onFailure);
		return this.advancing;
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

	private readonly onLot = (
		lot: IteratorResult<T[], void>,
	): IteratorResult<T, undefined> | Promise<IteratorResult<T, undefined>> => {
		if (!lot.done && lot.value.length === 0 && !this.isOver) {
			return this.passOverEmpty();
		}
		return this.give(lot);
	};

	/** A loop: each promise that waits for one more would hold on to it, for as long as empty lots come. */
	private async passOverEmpty(): Promise<IteratorResult<T, undefined>> {
		try {
			for (;;) {
				const lot = await (this.readerSignal?.aborted ? this.abandon() : this.lots.next());
				if (lot.done || lot.value.length > 0 || this.isOver) {
					return this.give(lot);
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
		this.lot = value;
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
		this.lot = [];
		throw this.lots.failure ? this.lots.failure(error) : error;
	};

	private async abandon(): Promise<never> {
		await this.lots.return();
		throw abortedError();
	}

	private release(): void {
		this.readerSignal?.removeEventListener('abort', this.onAbort);
	}
}
