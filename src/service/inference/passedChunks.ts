import type { ReplyChunk, ReplyChunkIterator } from './provider.ts';

const END = { done: true, value: undefined } as const;

export type Read = IteratorResult<ReplyChunk, undefined>;

/** The chunks of a reply that a provider serves, which can be read only once. */
export interface GatewayChunks extends AsyncIterableIterator<ReplyChunk, undefined> {
	/** Returns the chunks that arrived together with the one that was read last, without waiting. */
	takeArrived(): ReplyChunk[];
	return(): Promise<Read>;
}

/**
 * Passes on the chunks of a reply. This iterator is written by hand: every chunk passes through it, and a generator
 * would cost as much as reading the chunk.
 */
export abstract class PassedChunks implements GatewayChunks {
	protected readonly chunks: ReplyChunkIterator;
	protected isOver = false;

	constructor(chunks: ReplyChunkIterator) {
		this.chunks = chunks;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<Read> {
		return this.isOver ? Promise.resolve(END) : this.chunks.next().then(this.onNext, this.onFailure);
	}

	takeArrived(): ReplyChunk[] {
		const arrived = this.chunks.takeArrived?.() ?? [];
		for (const chunk of arrived) {
			this.count(chunk);
		}
		return arrived;
	}

	async return(): Promise<Read> {
		if (!this.isOver) {
			this.end('left');
			await this.chunks.return?.();
		}
		return END;
	}

	/** Called with every chunk. */
	protected count(_chunk: ReplyChunk): void {}

	/** Called with the chunks that are read one by one. */
	protected pass(chunk: ReplyChunk): Read | Promise<Read> {
		this.count(chunk);
		return { done: false, value: chunk };
	}

	/** Called once, when the reply has ended. */
	protected onEnd(_outcome: 'whole' | 'left' | 'failed', _failure: unknown): void {}

	protected end(outcome: 'whole' | 'left' | 'failed', failure?: unknown): void {
		this.isOver = true;
		this.onEnd(outcome, failure);
	}

	private readonly onNext = (result: Read): Read | Promise<Read> => {
		if (!this.isOver) {
			if (!result.done) {
				return this.pass(result.value);
			}
			this.end('whole');
		}
		return END;
	};

	private readonly onFailure = (error: unknown): Read => {
		if (this.isOver) {
			return END;
		}
		this.end('failed', error);
		throw error;
	};
}

/** Passes on the chunks of a reply, with only the first tool call of each choice. */
export class FirstCallChunks extends PassedChunks {
	override takeArrived(): ReplyChunk[] {
		return super.takeArrived().map(withFirstCall);
	}

	protected override pass(chunk: ReplyChunk): Read {
		return { done: false, value: withFirstCall(chunk) };
	}
}

function withFirstCall(chunk: ReplyChunk): ReplyChunk {
	if (chunk.choices.every(({ delta }) => delta.tool_calls === undefined)) {
		return chunk;
	}
	const choices = chunk.choices.map(choice => {
		const { tool_calls: calls, ...delta } = choice.delta;
		if (calls === undefined) {
			return choice;
		}
		const kept = calls.filter(({ index }) => index === 0);
		return { ...choice, delta: kept.length === 0 ? delta : { ...delta, tool_calls: kept } };
	});
	return { ...chunk, choices };
}
