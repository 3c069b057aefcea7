import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { eachObject, type Fields, isFields } from '../../base/fields.ts';
import { type ChatParameters, chatParametersSchema } from '../../contract/chatRequest.ts';
import { roleOf } from '../../contract/foreignNames.ts';
import { type ResponsesRequest, responsesRequestSchema } from '../../contract/responses.ts';
import {
	anything,
	exactly,
	type NoteField,
	TOLERATED_HINTS,
	TOLERATED_IN_TOOL,
	type Tolerated,
	without,
} from '../inference/foreignFields.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';

const SEALED_REASONING = 'reasoning.encrypted_content';

const TOLERATED: Tolerated = {
	...TOLERATED_HINTS,
	// Reasoning is always sent sealed.
	include: value => Array.isArray(value) && value.every(exactly(SEALED_REASONING)),
	reasoning: anything,
	truncation: exactly('disabled'),
	background: exactly(false),
	// This limits the calls of tools that run in the service, of which there are none.
	max_tool_calls: anything,
};

/** Fields that the items of a response have, but those of a request do not. */
const TOLERATED_IN_ITEM: Tolerated = { id: anything, status: anything, parsed_arguments: anything };
const TOLERATED_IN_PART: Tolerated = { annotations: anything, logprobs: anything, parsed: anything };
const TOLERATED_IN_TEXT: Tolerated = { verbosity: anything };

/** A request, and those of its fields that the contract defines for chat only, under their names there. */
export interface ReadResponses {
	request: ResponsesRequest;
	parameters: ChatParameters;
	format?: object | undefined;
}

/**
 * Checks the body of a responses request, in the form of the contract or in that of clients following public practice,
 * which may contain items of an earlier response unchanged.
 * @throws RequestRefused 400 with the documented message if there is one (contract: inference.md, Errors), otherwise
 * naming the field.
 */
export function readResponsesRequest(
	body: unknown,
	isCodeOriented: (model: string) => boolean,
	note: NoteField = () => {},
): ReadResponses {
	const received = isFields(body) ? body : {};
	const { temperature, top_p, max_output_tokens, user, text, ...fields } = without(TOLERATED, received, '', note);
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
	// contract: not shown for other models. An absent field stands for what the endpoint always does (unspecified.md).
	if (store !== false && (isStrict || store !== undefined)) {
		throw refusal('Store must be set to false');
	}
	// contract: not shown for other models. They send a whole reply unless a stream is requested, as clients of public
	// practice expect.
	if (stream !== true && isStrict) {
		throw refusal('Stream must be set to true');
	}
	if (input.length === 0) {
		throw refusal('input: allowed: at least one item');
	}
	const request = parseOrRefuse(responsesRequestSchema, {
		...fields,
		stream: stream === false ? undefined : stream,
		input: eachObject(input, item => itemOf(item, note)),
		...defined({
			tools:
				fields['tools'] === undefined
					? undefined
					: eachObject(fields['tools'], tool => without(TOLERATED_IN_TOOL, tool, 'tools.', note)),
		}),
	});
	return { request, ...parametersOf({ temperature, top_p, max_output_tokens, user, text }, note) };
}

/** contract: not shown. The names and the form of these fields are those of public practice. */
const parametersSchema = z.object({
	temperature: chatParametersSchema.shape.temperature,
	top_p: chatParametersSchema.shape.top_p,
	max_output_tokens: chatParametersSchema.shape.max_tokens,
	user: chatParametersSchema.shape.user,
	text: z
		.strictObject({
			format: z
				.discriminatedUnion(
					'type',
					[
						z.strictObject({ type: z.literal('text') }),
						z.strictObject({ type: z.literal('json_object') }),
						z.looseObject({ type: z.literal('json_schema') }),
					],
					'allowed: an object of the type text, json_object or json_schema',
				)
				.optional(),
		})
		.optional(),
});

function parametersOf({ text, ...fields }: Fields, note: NoteField): Omit<ReadResponses, 'request'> {
	const {
		max_output_tokens: max_tokens,
		text: read,
		...others
	} = parseOrRefuse(parametersSchema, {
		...fields,
		text: isFields(text) ? without(TOLERATED_IN_TEXT, text, 'text.', note) : text,
	});
	const format = read?.format;
	return { parameters: defined({ ...others, max_tokens, response_format: nestedFormat(format) }), format };
}

/** A schema's description is flat here and nested in chat, like that of a tool. */
function nestedFormat(
	format: { type: string; [field: string]: unknown } | undefined,
): ChatParameters['response_format'] {
	if (format?.type !== 'json_schema') {
		return format?.type === 'text' ? undefined : format;
	}
	const { type, ...description } = format;
	return { type, json_schema: description };
}

function itemOf(item: Fields, note: NoteField): Fields {
	// A reasoning item is kept unchanged.
	if (item['type'] === 'reasoning') {
		return item;
	}
	const { type, ...own } = without(TOLERATED_IN_ITEM, item, 'input.', note);
	const { role, content, output } = own;
	if (type !== 'message' && type !== undefined) {
		return { type, ...own, ...defined({ output: type === 'function_call_output' ? textOf(output) : undefined }) };
	}
	return {
		...own,
		// A message may have a type and a text, or a list of parts without the type.
		...defined({ type: Array.isArray(content) ? 'message' : undefined }),
		role: roleOf(role),
		content: eachObject(content, part => without(TOLERATED_IN_PART, part, 'input.content.', note)),
	};
}

/** The output of a tool may be a list of texts. Anything else is returned unchanged, and refused by name. */
function textOf(output: unknown): unknown {
	const texts = Array.isArray(output)
		? output.map(part => (isFields(part) && part['type'] === 'input_text' ? part['text'] : undefined))
		: [];
	return texts.length > 0 && texts.every(text => typeof text === 'string') ? texts.join('') : output;
}

export function refusal(message: string): RequestRefused {
	return new RequestRefused(400, message);
}
