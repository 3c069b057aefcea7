import type { Clock } from '../../base/async.ts';
import { ProviderFailure, type ReplyChunk, type ReplyChunkIterator } from './provider.ts';

const END = { done: true, value: undefined } as const;

/** The chunks of a reply that a provider serves, which can be read only once. */
export interface GatewayChunks extends AsyncIterableIterator<ReplyChunk, undefined> {
	/** Returns the chunks that arrived together with the one that was read last, without waiting. */
	takeArrived(): ReplyChunk[];
	/** Ends the reply. */
	return(): Promise<IteratorResult<ReplyChunk, undefined>>;
}

/** Called with the outcome of a reply, and the provider's throughput if it could be measured. */
export type OnEnd = (outcome: 'whole' | 'left' | ProviderFailure, tokensPerSecond: number | undefined) => void;

/**
 * Passes on the chunks of a provider's reply, and measures its throughput at the end. A slow reader makes the provider
 * wait, which would measure the reader instead; such a measurement is discarded.
 *
 * This iterator is written by hand: every chunk passes through it, and a generator would cost as much as reading the
 * chunk.
 */
export class WatchedChunks implements GatewayChunks {
	private first: ReplyChunk | undefined;
	private readonly rest: ReplyChunkIterator;
	private readonly clock: Clock;
	private readonly onEnd: OnEnd;
	private readonly began: number;
	/** The time when the last chunk was given to the reader. */
	private given: number | undefined;
	private heldMs = 0;
	private pieces = 0;
	private told: number | undefined;
	private isOver = false;

	/** `first` has already been read from `rest`. */
	constructor(first: ReplyChunk, rest: ReplyChunkIterator, clock: Clock, onEnd: OnEnd) {
		this.first = first;
		this.rest = rest;
		this.clock = clock;
		this.onEnd = onEnd;
		this.began = clock.elapsed();
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<ReplyChunk, undefined>> {
		const { first } = this;
		if (this.isOver) {
			return Promise.resolve(END);
		}
		if (first !== undefined) {
			this.first = undefined;
			return Promise.resolve(this.give(first));
		}
		if (this.given !== undefined) {
			this.heldMs += this.clock.elapsed() - this.given;
			this.given = undefined;
		}
		return this.rest.next().then(this.onNext, this.onFailure);
	}

	takeArrived(): ReplyChunk[] {
		const arrived = this.rest.takeArrived?.() ?? [];
		for (const chunk of arrived) {
			this.count(chunk);
		}
		return arrived;
	}

	async return(): Promise<IteratorResult<ReplyChunk, undefined>> {
		if (!this.isOver) {
			this.isOver = true;
			this.onEnd('left', undefined);
			await this.rest.return?.();
		}
		return END;
	}

	private give(chunk: ReplyChunk): IteratorResult<ReplyChunk, undefined> {
		this.count(chunk);
		this.given = this.clock.elapsed();
		return { done: false, value: chunk };
	}

	private count({ usage, choices }: ReplyChunk): void {
		this.told = usage?.completion_tokens ?? this.told;
		this.pieces += choices.length > 0 ? 1 : 0;
	}

	private readonly onNext = (result: IteratorResult<ReplyChunk, undefined>): IteratorResult<ReplyChunk, undefined> => {
		if (this.isOver) {
			return END;
		}
		if (!result.done) {
			return this.give(result.value);
		}
		this.isOver = true;
		const elapsedMs = this.clock.elapsed() - this.began;
		const isMeasured = this.pieces > 1 && elapsedMs > 0 && this.heldMs < elapsedMs / 2;
		this.onEnd('whole', isMeasured ? (this.told ?? this.pieces) / (elapsedMs / 1000) : undefined);
		return END;
	};

	private readonly onFailure = (error: unknown): IteratorResult<ReplyChunk, undefined> => {
		if (this.isOver) {
			return END;
		}
		this.isOver = true;
		if (error instanceof ProviderFailure) {
			this.onEnd(error, undefined);
		}
		throw error;
	};
}
