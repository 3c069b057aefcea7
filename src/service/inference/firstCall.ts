import type { ReplyChunk } from './provider.ts';
import type { GatewayChunks } from './watchedChunks.ts';

/** Passes on the chunks of a reply, with only the first tool call of each choice. */
export class FirstCallChunks implements GatewayChunks {
	private readonly chunks: GatewayChunks;

	constructor(chunks: GatewayChunks) {
		this.chunks = chunks;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<ReplyChunk, undefined>> {
		const result = await this.chunks.next();
		return result.done ? result : { done: false, value: this.filtered(result.value) };
	}

	takeArrived(): ReplyChunk[] {
		return this.chunks.takeArrived().map(chunk => this.filtered(chunk));
	}

	return(): Promise<IteratorResult<ReplyChunk, undefined>> {
		return this.chunks.return();
	}

	private filtered(chunk: ReplyChunk): ReplyChunk {
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
}
