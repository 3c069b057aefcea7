import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type StreamTextOptions, streamText, type TextSource } from '../base/streamText.ts';

/** Answers with a stream of text, as `streamText` writes it. */
export function streamReply(produce: (signal: AbortSignal) => TextSource, options: StreamTextOptions): Response {
	streamText(produce, options);
	// A body made of Web streams would cost about as much for each piece as the rest of its processing.
	return RESPONSE_ALREADY_SENT;
}
