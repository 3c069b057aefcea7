import type { ReceivedToolCall } from '../../contract/chatReply.ts';
import type { ReplyChunk } from './provider.ts';
import type { GatewayChunks } from './watchedChunks.ts';

/** Passes on the chunks of a reply with no tool call but the first of each choice. */
export class FirstCallChunks implements GatewayChunks {
	private readonly chunks: GatewayChunks;
	private readonly filters = new Map<number, FirstCall>();

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
			const filter = this.filters.get(choice.index) ?? new FirstCall();
			this.filters.set(choice.index, filter);
			const kept = calls.filter((call, position) => filter.accepts(call, position));
			return { ...choice, delta: kept.length === 0 ? delta : { ...delta, tool_calls: kept } };
		});
		return { ...chunk, choices };
	}
}

/** Recognises the fragments of the first call. */
class FirstCall {
	private index: number | undefined;
	private id: string | undefined;
	private isOver = false;

	accepts({ index: own, id }: ReceivedToolCall, position: number): boolean {
		const index = own ?? position;
		this.index ??= index;
		if (this.isOver || index !== this.index) {
			return false;
		}
		// Some servers use the same index for all calls, so a different id begins a new call.
		if (id && this.id && id !== this.id) {
			this.isOver = true;
			return false;
		}
		this.id ??= id || undefined;
		return true;
	}
}
