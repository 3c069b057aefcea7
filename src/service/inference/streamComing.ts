import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/async.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { TextSource } from '../../base/streamText.ts';
import { RequestRefused } from '../replies.ts';
import { streamReply } from '../server.ts';
import type { GatewayReply } from './gateway.ts';
import { ProviderFailure, type ReplyChunk } from './provider.ts';

/**
 * After this time, a stream's head is sent without waiting for its first word, which a server may take half an hour
 * for: clients abandon an exchange without a head. Later failures become events of the stream.
 */
const HEAD_AFTER_MS = 60_000;

/** The interval of comments in a silent stream, which clients would abandon too. */
export const COMMENT_EVERY_MS = 30_000;

export interface StreamComingOptions {
	outgoing: ServerResponse;
	clock: Clock;
	logger: Logger;
	open(reply: GatewayReply): ChunkWriter;
	/** Returns the text that replaces a reply if it is refused after the head was sent. */
	refusal(error: RequestRefused): string;
}

/** Answers with the stream of a reply that is still to come. Throws a refusal that precedes the head. */
export async function streamComing(
	coming: Promise<GatewayReply>,
	{ outgoing, clock, logger, open, refusal }: StreamComingOptions,
): Promise<Response> {
	const late = Promise.withResolvers<undefined>();
	const cancel = clock.after(HEAD_AFTER_MS, () => late.resolve(undefined));
	const reply = await Promise.race([coming, late.promise]).finally(cancel);
	const textsOf = (begun: GatewayReply) => new ChunkTexts(begun.chunks, open(begun));
	return streamReply(() => (reply ? textsOf(reply) : lateTexts(coming, textsOf, refusal)), {
		outgoing,
		commentEveryMs: COMMENT_EVERY_MS,
		onFailure: error => logger.log('warn', 'a chat stream was broken off', { reason: describeError(error) }),
	});
}

async function* lateTexts(
	coming: Promise<GatewayReply>,
	textsOf: (reply: GatewayReply) => ChunkTexts,
	refusal: StreamComingOptions['refusal'],
): AsyncGenerator<string, void, undefined> {
	let texts: ChunkTexts;
	try {
		texts = textsOf(await coming);
	} catch (error) {
		if (!(error instanceof RequestRefused)) {
			throw error;
		}
		yield refusal(error);
		return;
	}
	try {
		for (let read = await texts.next(); !read.done; read = await texts.next()) {
			yield read.value;
		}
	} finally {
		await texts.return();
	}
}

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
