import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

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

/** Answers a call with an error. */
export function sendError(response: ServerResponse, error: CallError, headers: OutgoingHttpHeaders = {}): void {
	sendJson(response, error.status, { error: errorBody(error) }, headers);
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
