import type { TextSource } from '../../base/streamText.ts';
import type { GatewayReply } from './gateway.ts';
import { ProviderFailure, type ReplyChunk } from './provider.ts';

const END = { done: true, value: undefined } as const;

/** Converts the chunks of one reply into the text that its client gets. */
export interface ChunkWriter {
	/** Returns the text for a chunk, which may be empty. Throws a ProviderFailure for a reply that cannot be written. */
	textOf(chunk: ReplyChunk): string;
	/** Returns the text that ends a whole reply. */
	end(): string;
	/** Returns the text that reports an error in the middle of a reply and replaces the end. */
	failure(error: ProviderFailure): string;
}

/**
 * The text of a reply as it arrives. This iterator is written by hand: every chunk passes through it, and a generator
 * would cost as much as writing the chunk.
 */
export class ChunkTexts implements TextSource {
	private readonly chunks: GatewayReply['chunks'];
	private readonly writer: ChunkWriter;
	private isOver = false;

	constructor(chunks: GatewayReply['chunks'], writer: ChunkWriter) {
		this.chunks = chunks;
		this.writer = writer;
	}

	next(): Promise<IteratorResult<string, void>> {
		return this.isOver ? Promise.resolve(END) : this.chunks.next().then(this.onChunk, this.onFailure);
	}

	return(): Promise<unknown> {
		this.isOver = true;
		return this.chunks.return();
	}

	private readonly onChunk = ({
		done,
		value,
	}: IteratorResult<ReplyChunk, undefined>): IteratorResult<string, void> | Promise<IteratorResult<string, void>> => {
		try {
			if (done) {
				this.isOver = true;
				return { done: false, value: this.writer.end() };
			}
			let text = this.writer.textOf(value);
			for (const arrived of this.chunks.takeArrived()) {
				text += this.writer.textOf(arrived);
			}
			return { done: false, value: text };
		} catch (error) {
			return this.onFailure(error);
		}
	};

	private readonly onFailure = async (error: unknown): Promise<IteratorResult<string, void>> => {
		await this.return();
		// An error thrown here aborts the connection.
		if (!(error instanceof ProviderFailure)) {
			throw error;
		}
		return { done: false, value: this.writer.failure(error) };
	};
}
