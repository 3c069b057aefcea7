import { type GatewayChunks, PassedChunks, type Read } from '../../inference/passedChunks.ts';
import type { ProviderFailure, ReplyChunk } from '../../inference/provider.ts';
import type { CallMeter } from './callMeter.ts';
import type { ModelCall } from './modelCall.ts';

export interface MeteredChunksOptions {
	meter: CallMeter;
	/** Returns why to break off the reply, if at all. Called after every chunk until the model has finished. */
	refusal(): ProviderFailure | undefined;
	/** Called once, when the reply has ended. */
	onEnd(outcome: ModelCall['outcome'], failure: unknown): void;
}

/** Passes on the chunks of a reply, and counts them. */
export class MeteredChunks extends PassedChunks {
	private readonly options: MeteredChunksOptions;
	/** True if the model has finished, so that only the usage is still to come. */
	private isFinished = false;

	constructor(chunks: GatewayChunks, options: MeteredChunksOptions) {
		super(chunks);
		this.options = options;
	}

	override next(): Promise<Read> {
		const refusal = this.refusal();
		return refusal === undefined ? super.next() : this.breakOff(refusal);
	}

	protected override pass(chunk: ReplyChunk): Read | Promise<Read> {
		const passed = super.pass(chunk);
		const refusal = this.refusal();
		return refusal === undefined ? passed : this.breakOff(refusal);
	}

	protected override onEnd(outcome: ModelCall['outcome'], failure: unknown): void {
		this.options.onEnd(outcome, failure);
	}

	protected override count(chunk: ReplyChunk): void {
		this.isFinished ||= chunk.choices.some(choice => choice.finish_reason !== null);
		this.options.meter.add(chunk);
	}

	private refusal(): ProviderFailure | undefined {
		return this.isOver || this.isFinished ? undefined : this.options.refusal();
	}

	private async breakOff(refusal: ProviderFailure): Promise<never> {
		this.end('failed', refusal);
		await this.chunks.return?.();
		throw refusal;
	}
}
