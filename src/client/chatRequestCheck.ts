import { ClientError } from '../base/errors.ts';
import { type ChatRequest, chatRequestSchema } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { routingProblem, routingReasonText } from '../contract/routing.ts';
import { checkRequest, outOfRange } from './core/requestCheck.ts';

/**
 * Checks a chat request before it is sent and returns it unchanged. Throws `invalid-request` for values that are out of
 * range or leave no provider, and `not-supported` for a prefix or an alias that the host does not understand. Both
 * errors name the field, its value and what is allowed.
 */
export function checkChatRequest(connection: Connection, request: ChatRequest): ChatRequest {
	checkRequest(chatRequestSchema, request);
	const problem = routingProblem(connection, request);
	if (problem) {
		const { field, value, reason } = problem;
		const code = reason.kind === 'nobody' ? 'invalid-request' : 'not-supported';
		const message = `${field} is ${JSON.stringify(value)}; not allowed: ${routingReasonText(reason)}`;
		throw new ClientError(code, message, { unsent: true });
	}
	const { model, max_tokens: maximum } = request;
	const contextLength = findModel(connection, model)?.contextLength;
	if (maximum !== undefined && contextLength !== undefined && maximum >= contextLength) {
		const range = contextLength > 1 ? `a whole number from 1 to ${contextLength - 1}` : 'none';
		throw outOfRange('max_tokens', maximum, `${range}, below the context length`);
	}
	return request;
}
