import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import { isStreamEnd } from '../contract/chatReply.ts';
import { readErrorValue } from '../contract/errorBody.ts';
import { isAbsent } from '../contract/lenient.ts';
import { earlyEndSchema, type ResponseEvent, readResponseEvent } from '../contract/responses.ts';
import { failureInReply } from './core/failures.ts';
import { parseEventData, throwErrorIn } from './core/replyData.ts';
import type { SseEvent } from './core/sse.ts';
import type { ReplyDecoder } from './core/streamedReply.ts';

/** The events of one response. Those that are not documented are ignored, but for the ones that end it early. */
export class ResponsesDecoder implements ReplyDecoder<ResponseEvent> {
	isEnded = false;

	decode({ event, data }: SseEvent, into: ResponseEvent[]): void {
		if (this.isEnded || data === '') {
			return;
		}
		if (isStreamEnd(data)) {
			throw new ClientError('truncated', 'the stream ended without response.completed', { retryable: true });
		}
		const value = parseEventData(data, event === 'error');
		// The data names its event type; where it does not, the stream's `event` field counts.
		const named = typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : undefined;
		const type = event === 'error' || typeof named !== 'string' || isAbsent(named) ? event : named;
		throwEarlyEnd(type, value);
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			throw new ClientError('bad-response', 'an event of the response is not an object');
		}
		throwErrorIn(value);
		const known = readResponseEvent({ ...value, type });
		if (known !== undefined) {
			this.isEnded = known.type === 'response.completed';
			into.push(known);
		}
	}

	/** The endpoint only streams: JSON instead of a stream is an error or not a reply. */
	decodeWhole(value: unknown): never {
		throwErrorIn(value);
		throw new ClientError('bad-response', 'JSON came in place of a stream');
	}
}

/** contract: not shown. Three events end a response before it is complete (unspecified.md). */
function throwEarlyEnd(type: string | undefined, value: unknown): void {
	if (type === 'error') {
		throw failureInReply(readErrorValue(value));
	}
	if (type === 'response.failed') {
		const response = earlyEndSchema.safeParse(value).data?.response;
		throw failureInReply(readErrorValue(isAbsent(response?.error) ? value : response));
	}
	if (type === 'response.incomplete') {
		const reason = earlyEndSchema.safeParse(value).data?.response?.incomplete_details?.reason;
		// The failure is not retryable: another attempt would reach the same limit.
		throw new ClientError('truncated', 'the service ended the response before it was complete', {
			...defined({ serviceMessage: reason }),
		});
	}
}
