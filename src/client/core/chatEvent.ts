import { ClientError } from '../../base/errors.ts';
import { isStreamEnd, readChatChunk } from '../../contract/chatReply.ts';
import { readErrorValue } from '../../contract/errorBody.ts';
import { failureInReply } from './failures.ts';
import { parseEventData, throwErrorIn } from './replyData.ts';
import type { SseEvent } from './sse.ts';

export type ReceivedChunk = NonNullable<ReturnType<typeof readChatChunk>>;

/**
 * Returns the chunk in an event of a streamed chat reply, `end` for the event that ends the reply, or undefined for an
 * event without data. Throws the error that the event carries, or `bad-response`.
 */
export function readChatEvent({ event, data }: SseEvent): ReceivedChunk | 'end' | undefined {
	if (data === '') {
		return undefined;
	}
	if (isStreamEnd(data)) {
		return 'end';
	}
	const value = parseEventData(data, event === 'error');
	if (event === 'error') {
		throw failureInReply(readErrorValue(value));
	}
	const chunk = readChatChunk(value);
	if (!chunk) {
		throwErrorIn(value);
		throw new ClientError('bad-response', 'a chunk of the reply is not an object');
	}
	// Both chunk schemas keep `error`, so reading the field directly works for either.
	throwErrorIn(chunk);
	return chunk;
}
