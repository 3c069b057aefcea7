import { type ResponsesRequest, responsesRequestSchema } from '../../contract/responses.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';

/**
 * Checks the body of a responses request. Throws a RequestRefused of 400: with the documented message where one is
 * documented (contract: inference.md, Errors), else naming the field.
 */
export function readResponsesRequest(body: unknown, isCodeOriented: (model: string) => boolean): ResponsesRequest {
	const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
	for (const required of ['model', 'input']) {
		if (fields[required] === undefined) {
			throw refusal(`Missing required parameter: ${required}`);
		}
	}
	const { model, input, instructions, store, stream } = fields;
	if (fields['previous_response_id'] !== undefined) {
		throw refusal('Unsupported parameter: previous_response_id');
	}
	if (!Array.isArray(input)) {
		throw refusal('Input must be a list');
	}
	const isStrict = typeof model === 'string' && isCodeOriented(model);
	if (isStrict && (typeof instructions !== 'string' || instructions.trim() === '')) {
		throw refusal('Instructions are required');
	}
	// contract: not shown for other models. Left out, they mean what the endpoint does in any case (unspecified.md).
	if (store !== false && (isStrict || store !== undefined)) {
		throw refusal('Store must be set to false');
	}
	if (stream !== true && (isStrict || stream !== undefined)) {
		throw refusal('Stream must be set to true');
	}
	if (input.length === 0) {
		throw refusal('input: allowed: at least one item');
	}
	return parseOrRefuse(responsesRequestSchema, body);
}

/** A 400 of the responses endpoint. */
export function refusal(message: string): RequestRefused {
	return new RequestRefused(400, message);
}
