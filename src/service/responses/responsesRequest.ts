import { type ResponsesRequest, responsesRequestSchema } from '../../contract/responses.ts';
import {
	anything,
	eachObject,
	exactly,
	type Fields,
	isFields,
	roleOf,
	TOLERATED_IN_TOOL,
	type Tolerated,
	without,
} from '../inference/foreignFields.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';

const SEALED_REASONING = 'reasoning.encrypted_content';

const TOLERATED: Tolerated = {
	// Reasoning is always sent sealed.
	include: value => Array.isArray(value) && value.every(exactly(SEALED_REASONING)),
};

/** Fields that the items of a response have, but those of a request do not. */
const TOLERATED_IN_ITEM: Tolerated = { id: anything, status: anything };
const TOLERATED_IN_PART: Tolerated = { annotations: anything, logprobs: anything };

/**
 * Checks the body of a responses request, in the form of the contract or in that of clients following public practice,
 * which may contain items of an earlier response unchanged.
 * @throws RequestRefused 400 with the documented message if there is one (contract: inference.md, Errors), otherwise
 * naming the field.
 */
export function readResponsesRequest(body: unknown, isCodeOriented: (model: string) => boolean): ResponsesRequest {
	const received = isFields(body) ? body : {};
	const fields = without(TOLERATED, received);
	for (const required of ['model', 'input']) {
		if (fields[required] === undefined) {
			throw refusal(`Missing required parameter: ${required}`);
		}
	}
	const { model, input, instructions, store, stream } = fields;
	if (received['previous_response_id'] !== undefined) {
		throw refusal('Unsupported parameter: previous_response_id');
	}
	if (!Array.isArray(input)) {
		throw refusal('Input must be a list');
	}
	const isStrict = typeof model === 'string' && isCodeOriented(model);
	if (isStrict && (typeof instructions !== 'string' || instructions.trim() === '')) {
		throw refusal('Instructions are required');
	}
	// contract: not shown for other models. If the fields are absent, they mean what the endpoint always does
	// (unspecified.md).
	if (store !== false && (isStrict || store !== undefined)) {
		throw refusal('Store must be set to false');
	}
	if (stream !== true && (isStrict || stream !== undefined)) {
		throw refusal('Stream must be set to true');
	}
	if (input.length === 0) {
		throw refusal('input: allowed: at least one item');
	}
	return parseOrRefuse(responsesRequestSchema, {
		...fields,
		input: eachObject(input, itemOf),
		...(fields['tools'] === undefined
			? {}
			: { tools: eachObject(fields['tools'], tool => without(TOLERATED_IN_TOOL, tool)) }),
	});
}

function itemOf(item: Fields): Fields {
	// A reasoning item is kept unchanged.
	if (item['type'] === 'reasoning') {
		return item;
	}
	const own = without(TOLERATED_IN_ITEM, item);
	const { type, role, content } = own;
	if (type !== 'message' && type !== undefined) {
		return own;
	}
	return {
		...own,
		// A message whose content is a list of parts may come without a type.
		...(Array.isArray(content) ? { type: 'message' } : {}),
		role: roleOf(role),
		content: eachObject(content, part => without(TOLERATED_IN_PART, part)),
	};
}

/** Returns a refusal of the responses endpoint with the status 400. */
export function refusal(message: string): RequestRefused {
	return new RequestRefused(400, message);
}
