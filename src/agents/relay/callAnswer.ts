import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pathOf } from '../../base/httpRequest.ts';
import { isMessagesPath, messagesError } from '../../contract/messages.ts';

/** An answer that is not what an agent has asked for. */
export interface CallError {
	status: number;
	/** A word or several, joined by underscores. */
	code: string;
	message: string;
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
	const { status, message } = error;
	const body = isMessagesPath(pathOf(request)) ? messagesError(status, message) : { error: errorBody(error) };
	sendJson(response, status, body, headers);
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
