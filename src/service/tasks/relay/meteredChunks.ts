import type { ProviderFailure, ReplyChunk } from '../../inference/provider.ts';
import type { GatewayChunks } from '../../inference/watchedChunks.ts';
import type { CallMeter } from './callMeter.ts';
import type { ModelCall } from './modelCall.ts';

const END = { done: true, value: undefined } as const;

export interface MeteredChunksOptions {
	meter: CallMeter;
	/** Returns why to break off the reply, if at all. Called after every chunk until the model has finished. */
	refusal(): ProviderFailure | undefined;
	/** Called once, when the reply has ended. */
	onEnd(outcome: ModelCall['outcome'], failure: unknown): void;
}

/**
 * Passes on the chunks of a reply, and counts them. This iterator is written by hand, like the one that it reads: every
 * chunk passes through it.
 */
export class MeteredChunks implements GatewayChunks {
	private readonly chunks: GatewayChunks;
	private readonly options: MeteredChunksOptions;
	/** True if the model has finished, so that only the usage is still to come. */
	private isFinished = false;
	private isOver = false;

	constructor(chunks: GatewayChunks, options: MeteredChunksOptions) {
		this.chunks = chunks;
		this.options = options;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<ReplyChunk, undefined>> {
		if (this.isOver) {
			return Promise.resolve(END);
		}
		const refusal = this.refusal();
		return refusal === undefined ? this.chunks.next().then(this.onNext, this.onFailure) : this.breakOff(refusal);
	}

	takeArrived(): ReplyChunk[] {
		const arrived = this.chunks.takeArrived();
		for (const chunk of arrived) {
			this.count(chunk);
		}
		return arrived;
	}

	return(): Promise<IteratorResult<ReplyChunk, undefined>> {
		this.end('left');
		return this.chunks.return();
	}

	private count(chunk: ReplyChunk): void {
		this.isFinished ||= chunk.choices.some(choice => choice.finish_reason !== null);
		this.options.meter.add(chunk);
	}

	private refusal(): ProviderFailure | undefined {
		return this.isFinished ? undefined : this.options.refusal();
	}

	private end(outcome: ModelCall['outcome'], failure?: unknown): void {
		if (!this.isOver) {
			this.isOver = true;
			this.options.onEnd(outcome, failure);
		}
	}

	private async breakOff(refusal: ProviderFailure): Promise<never> {
		this.end('failed', refusal);
		await this.chunks.return();
		throw refusal;
	}

	private readonly onNext = (
		result: IteratorResult<ReplyChunk, undefined>,
	): IteratorResult<ReplyChunk, undefined> | Promise<never> => {
		if (this.isOver) {
			return END;
		}
		if (result.done) {
			this.end('whole');
			return result;
		}
		this.count(result.value);
		const refusal = this.refusal();
		return refusal === undefined ? result : this.breakOff(refusal);
	};

	private readonly onFailure = (error: unknown): IteratorResult<ReplyChunk, undefined> => {
		if (this.isOver) {
			return END;
		}
		this.end('failed', error);
		throw error;
	};
}
