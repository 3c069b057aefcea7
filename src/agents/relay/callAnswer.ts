import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pathOf } from '../../base/httpRequest.ts';
import { isMessagesPath, messagesError } from '../../contract/messages.ts';

/** An error that an agent gets as the answer to a call. */
export interface CallError {
	status: number;
	/** One or more words, joined by underscores. */
	code: string;
	message: string;
}

/** The code by which agents notice that the conversation has become too long, whatever the service's own words are. */
export const TOO_LONG = 'context_length_exceeded';

/** Agents that use the Messages API, which has no such code, look for these words instead. */
const TOO_LONG_WORDS = 'prompt is too long';

/** Returns an error body of the Messages API. */
export function messagesErrorBody({ status, code, message }: CallError): object {
	const isNamed = code !== TOO_LONG || message.toLowerCase().includes(TOO_LONG_WORDS);
	return messagesError(status, isNamed ? message : `${TOO_LONG_WORDS}: ${message}`);
}

/** Returns an error in the shape that clients of OpenAI-compatible servers read. */
export function errorBody({ status, code, message }: CallError): object {
	return { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code };
}

/** Answers a call with an error, in the form of the endpoint that was called. */
export function sendError(
	request: IncomingMessage,
	response: ServerResponse,
	error: CallError,
	headers: OutgoingHttpHeaders = {},
): void {
	const body = isMessagesPath(pathOf(request)) ? messagesErrorBody(error) : { error: errorBody(error) };
	sendJson(response, error.status, body, headers);
}

export function sendJson(
	response: ServerResponse,
	status: number,
	value: object,
	headers: OutgoingHttpHeaders = {},
): void {
	const body = JSON.stringify(value);
	response.writeHead(status, {
		'content-type': 'application/json',
		'content-length': Buffer.byteLength(body),
		...headers,
	});
	response.end(body);
}
