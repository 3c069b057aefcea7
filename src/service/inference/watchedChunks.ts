import type { Clock } from '../../base/async.ts';
import { PassedChunks, type Read } from './passedChunks.ts';
import { ProviderFailure, type ReplyChunk, type ReplyChunkIterator } from './provider.ts';

/** Called with the outcome of a reply, and the provider's throughput if it could be measured. */
export type OnEnd = (outcome: 'whole' | 'left' | ProviderFailure, tokensPerSecond: number | undefined) => void;

/**
 * Passes on the chunks of a provider's reply, and measures its throughput at the end. A slow reader makes the provider
 * wait, which would measure the reader instead; such a measurement is discarded.
 */
export class WatchedChunks extends PassedChunks {
	private first: ReplyChunk | undefined;
	private readonly clock: Clock;
	private readonly tell: OnEnd;
	private readonly began: number;
	/** The time when the last chunk was given to the reader. */
	private given: number | undefined;
	private heldMs = 0;
	private pieces = 0;
	private told: number | undefined;

	/** `first` has already been read from `rest`. */
	constructor(first: ReplyChunk, rest: ReplyChunkIterator, clock: Clock, tell: OnEnd) {
		super(rest);
		this.first = first;
		this.clock = clock;
		this.tell = tell;
		this.began = clock.elapsed();
	}

	override next(): Promise<Read> {
		const { first } = this;
		if (first !== undefined && !this.isOver) {
			this.first = undefined;
			return Promise.resolve(this.pass(first));
		}
		if (this.given !== undefined) {
			this.heldMs += this.clock.elapsed() - this.given;
			this.given = undefined;
		}
		return super.next();
	}

	protected override pass(chunk: ReplyChunk): Read | Promise<Read> {
		this.given = this.clock.elapsed();
		return super.pass(chunk);
	}

	protected override onEnd(outcome: 'whole' | 'left' | 'failed', failure: unknown): void {
		if (outcome !== 'failed') {
			this.tell(outcome, outcome === 'whole' ? this.throughput() : undefined);
		} else if (failure instanceof ProviderFailure) {
			this.tell(failure, undefined);
		}
	}

	protected override count({ usage, choices }: ReplyChunk): void {
		this.told = usage?.completion_tokens ?? this.told;
		this.pieces += choices.length > 0 ? 1 : 0;
	}

	private throughput(): number | undefined {
		const elapsedMs = this.clock.elapsed() - this.began;
		const isMeasured = this.pieces > 1 && elapsedMs > 0 && this.heldMs < elapsedMs / 2;
		return isMeasured ? (this.told ?? this.pieces) / (elapsedMs / 1000) : undefined;
	}
}
