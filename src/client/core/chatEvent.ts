import { ClientError } from '../../base/errors.ts';
import { type ChatCompletion, chatCompletionSchema, isStreamEnd, readChatChunk } from '../../contract/chatReply.ts';
import { readErrorBody } from '../../contract/errorBody.ts';
import { failureInReply } from './failures.ts';
import { notAnObject, parseEventData, throwErrorIn, throwWordsIn } from './replyData.ts';
import type { SseEvent } from './sse.ts';

export type ReceivedChunk = NonNullable<ReturnType<typeof readChatChunk>>;

/** Matches the event names under which services send an error. */
const ERROR_EVENT = /error|exception|fail/i;

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
	if (event !== undefined && ERROR_EVENT.test(event)) {
		throw failureInReply(readErrorBody(data));
	}
	const value = parseEventData(data);
	const chunk = readChatChunk(value);
	if (!chunk) {
		throwErrorIn(value);
		throwWordsIn(value);
		throw notAnObject(value);
	}
	// Both chunk schemas keep `error`, so reading the field directly works for either.
	throwErrorIn(chunk);
	// Events with other names may report the progress of a request.
	if (chunk.choices.length === 0 && (event === undefined || event === 'message')) {
		throwWordsIn(value);
	}
	return chunk;
}

/** Throws the error that a choice of a reply carries or ends with. */
export function throwErrorOfChoice(choice: { finish_reason?: string | null | undefined }): void {
	throwErrorIn(choice);
	if (choice.finish_reason === 'error') {
		throw failureInReply({});
	}
}

/** Reads a whole completion. Throws the error that came in its place, or `bad-response`. */
export function readCompletion(value: unknown): ChatCompletion {
	throwErrorIn(value);
	const completion = chatCompletionSchema.safeParse(value).data;
	if (completion === undefined || completion.choices.length === 0) {
		throwWordsIn(value);
		throw new ClientError('bad-response', 'the reply is no completion');
	}
	return completion;
}
