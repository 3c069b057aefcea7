import { ClientError } from '../../base/errors.ts';
import { type Fields, fieldOf, isFields } from '../../base/fields.ts';
import { isStreamEnd } from '../../contract/chatReply.ts';
import { readErrorBody, readErrorValue } from '../../contract/errorBody.ts';
import { isAbsent } from '../../contract/lenient.ts';
import { earlyEndSchema } from '../../contract/responses.ts';
import { failureInReply } from './failures.ts';
import { notAnObject, parseEventData, throwErrorIn, throwWordsIn } from './replyData.ts';
import type { SseEvent } from './sse.ts';

/**
 * Reads one event of a response, whose data names its type; otherwise, the stream's `event` field counts. Returns
 * undefined for an event without data. Throws the error that it carries, or that has ended the response (contract: not
 * shown, unspecified.md), and `bad-response`.
 */
export function readResponseData({ event, data }: SseEvent): Fields | undefined {
	if (data === '') {
		return undefined;
	}
	if (isStreamEnd(data)) {
		throw new ClientError('truncated', 'the stream ended without response.completed', { retryable: true });
	}
	if (event === 'error') {
		throw failureInReply(readErrorBody(data));
	}
	const value = parseEventData(data);
	const named = fieldOf(value, 'type');
	const type = typeof named !== 'string' || isAbsent(named) ? event : named;
	if (type === 'error') {
		throw failureInReply(readErrorValue(value));
	}
	if (type === 'response.failed') {
		const response = earlyEndSchema.safeParse(value).data?.response;
		throw failureInReply(readErrorValue(isAbsent(response?.error) ? value : response));
	}
	if (type === undefined) {
		throwWordsIn(value);
	}
	if (!isFields(value)) {
		throw notAnObject(value);
	}
	throwErrorIn(value);
	return { ...value, type };
}
