import { ClientError } from '../base/errors.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import {
	earlyEndSchema,
	type ResponseEvent,
	type ResponsesRequest,
	readResponseEvent,
	refusedField,
	responsesRequestSchema,
} from '../contract/responses.ts';
import { routes } from '../contract/routes.ts';
import { prefixIn } from '../contract/routing.ts';
import { BatchedStream } from './core/batchedStream.ts';
import type { Caller } from './core/caller.ts';
import { throwErrorIn, throwWordsIn } from './core/replyData.ts';
import { checkRequest } from './core/requestCheck.ts';
import { readResponseData } from './core/responseData.ts';
import type { SseEvent } from './core/sse.ts';
import { type ReplyDecoder, StreamedReply } from './core/streamedReply.ts';
import type { Client } from './types.ts';

/**
 * The responses endpoint (contract: inference.md). The service keeps nothing, so each request carries the whole
 * conversation.
 */
export function createResponses(caller: Caller): Client['responses'] {
	return {
		stream: (request, { signal: readerSignal } = {}) =>
			new BatchedStream(
				readerSignal,
				signal =>
					new StreamedReply(caller, {
						call: () => ({
							route: routes.responses,
							body: { ...check(caller, request), store: false, stream: true },
							signal,
						}),
						decoder: new ResponsesDecoder(),
						failure: documentedFailure,
					}),
			),
	};
}

function check({ connection }: Caller, request: ResponsesRequest): ResponsesRequest {
	const { model, instructions } = checkRequest<ResponsesRequest>(responsesRequestSchema, request);
	const prefix = prefixIn(connection, model)?.prefix;
	if (prefix !== undefined && prefix !== connection.service) {
		const reason = 'a provider prefix is understood by chat completions alone; leave it out';
		const message = `model is ${JSON.stringify(model)}; not allowed: ${reason}`;
		throw new ClientError('not-supported', message, { unsent: true });
	}
	if (!instructions && findModel(connection, model)?.codeOriented) {
		const message = 'instructions is missing; the code-oriented models require it';
		throw new ClientError('invalid-request', message, { unsent: true });
	}
	return request;
}

/** contract: not shown. A documented message decides the meaning of an error, whatever its status (unspecified.md). */
function documentedFailure(error: unknown): unknown {
	const { status, serviceMessage } = ClientError.is(error) ? error : {};
	const field = serviceMessage === undefined ? undefined : refusedField(serviceMessage);
	if (field === undefined) {
		return error;
	}
	return new ClientError('invalid-request', `the service refused ${field} of the request`, {
		status,
		serviceMessage,
		cause: error,
	});
}

/** Decodes the events of one response. Undocumented events are ignored, except those that end it early. */
class ResponsesDecoder implements ReplyDecoder<ResponseEvent> {
	isEnded = false;

	decode(event: SseEvent, into: ResponseEvent[]): void {
		const value = this.isEnded ? undefined : readResponseData(event);
		if (value?.['type'] === 'response.incomplete') {
			const reason = earlyEndSchema.safeParse(value).data?.response?.incomplete_details?.reason;
			// The failure is not retryable: another attempt would reach the same limit.
			const message = 'the service ended the response before it was complete';
			throw new ClientError('truncated', message, { serviceMessage: reason });
		}
		const known = value && readResponseEvent(value);
		if (known !== undefined) {
			this.isEnded = known.type === 'response.completed';
			into.push(known);
		}
	}

	/** The endpoint only streams: JSON instead of a stream is an error or not a reply. */
	decodeWhole(value: unknown): never {
		throwErrorIn(value);
		throwWordsIn(value);
		throw new ClientError('bad-response', 'JSON came in place of a stream');
	}
}
