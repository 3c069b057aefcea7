import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/async.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { RequestRefused } from '../replies.ts';
import { streamReply } from '../server.ts';
import { ChunkTexts, type ChunkWriter } from './chunkTexts.ts';
import type { GatewayReply } from './gateway.ts';

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
