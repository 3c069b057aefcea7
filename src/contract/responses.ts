// The responses endpoint: the request with its rules, the items of a conversation, and the events (contract:
// inference.md).
import * as z from 'zod';
import { type Fields, fieldsOf, isFields } from '../base/fields.ts';
import { lenient, lenientArray, lenientCount, lenientText } from './lenient.ts';

const structuredMessageSchema = z.strictObject({
	type: z.literal('message'),
	role: z.enum(['system', 'user', 'assistant']),
	content: z.array(z.strictObject({ type: z.enum(['input_text', 'output_text']), text: z.string() })),
});

const simpleMessageSchema = z.strictObject({
	type: z.undefined().optional(),
	role: z.enum(['system', 'user', 'assistant']),
	content: z.string(),
});

const functionCallSchema = z.strictObject({
	type: z.literal('function_call'),
	name: z.string().min(1),
	call_id: z.string().min(1),
	/** The arguments as a JSON text. */
	arguments: z.string(),
});

const functionCallOutputSchema = z.strictObject({
	type: z.literal('function_call_output'),
	call_id: z.string().min(1),
	output: z.string(),
});

/** A reasoning item is sent back as it came, including its encrypted content (inference.md, Zero data retention 3). */
const reasoningSchema = z.looseObject({ type: z.literal('reasoning') });

export const inputItemSchema = z.discriminatedUnion(
	'type',
	[simpleMessageSchema, structuredMessageSchema, functionCallSchema, functionCallOutputSchema, reasoningSchema],
	'allowed: a message, function_call, function_call_output or reasoning item',
);
export type InputItem = z.input<typeof inputItemSchema>;

const toolSchema = z.strictObject({
	// This field comes first, so that a tool in the shape of chat completions gets an error that explains the difference.
	function: z
		.undefined('a tool is flat here: name, description and parameters stand beside type, not under function')
		.optional(),
	type: z.literal('function'),
	name: z.string().min(1),
	description: z.string().optional(),
	parameters: z.record(z.string(), z.unknown()).optional(),
});

/**
 * contract: not shown. An absent `store` or `stream` stands for the only value that the endpoint accepts
 * (unspecified.md). The client fills it in, and requires `instructions` for models that need them.
 */
export const responsesRequestSchema = z.strictObject({
	model: z.string().min(1),
	instructions: z.string().optional(),
	input: z.array(inputItemSchema, 'allowed: a list of items'),
	store: z.literal(false).optional(),
	stream: z.literal(true).optional(),
	tools: z.array(toolSchema).optional(),
	tool_choice: z
		.union(
			[z.enum(['auto', 'none']), z.strictObject({ type: z.literal('function'), name: z.string().min(1) })],
			'allowed: "auto", "none" or {type: "function", name}; "required" and a nested function are of chat completions',
		)
		.optional(),
	parallel_tool_calls: z.boolean().optional(),
	previous_response_id: z
		.undefined('nothing is kept between requests; the whole conversation goes into input')
		.optional(),
});
export type ResponsesRequest = z.input<typeof responsesRequestSchema>;

/** Returns the item with which a server gets back what it has sealed, and the one for reasoning in clear. */
export function sealedReasoningItem(encrypted_content: string): Fields {
	return { type: 'reasoning', summary: [], encrypted_content };
}

export function openReasoningItem(text: string): Fields {
	return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] };
}

/** The parts of a responses request that chat lacks, or has in another order. */
export interface ResponsesHints {
	instructions?: string | undefined;
	/** The items as they were sent, with reasoning in the form of the server that is to read it. */
	input: Fields[];
	reasoning?: unknown;
	prompt_cache_key?: unknown;
	safety_identifier?: unknown;
	text?: { verbosity?: unknown };
}

/** Instructions for a user who has given none: the code-oriented models require some (inference.md, Errors). */
export const DEFAULT_INSTRUCTIONS = 'You are a helpful assistant for software development.';

const contentPartSchema = z.looseObject({
	/** The type is `output_text`. */
	type: lenient(z.string()),
	text: lenientText,
	annotations: lenientArray(z.looseObject({ type: lenient(z.string()) })),
});

const messageItemSchema = z.looseObject({
	type: z.literal('message'),
	id: lenient(z.string()),
	role: lenient(z.string()),
	status: lenient(z.string()),
	content: lenientArray(contentPartSchema),
});

const functionCallItemSchema = z.looseObject({
	type: z.literal('function_call'),
	id: lenient(z.string()),
	name: lenient(z.string()),
	call_id: lenient(z.string()),
	/** The arguments as a JSON text. */
	arguments: lenientText,
	status: lenient(z.string()),
});
export type FunctionCallItem = z.output<typeof functionCallItemSchema>;

export interface ReasoningItem {
	type: 'reasoning';
	[field: string]: unknown;
}

/** A reasoning item remains the received object itself, as a copy could change what is sent back. */
export const reasoningItemSchema = z.custom<ReasoningItem>(value => isFields(value) && value['type'] === 'reasoning');

const outputItemSchema = z.union([
	messageItemSchema,
	functionCallItemSchema,
	reasoningItemSchema,
	z.custom<Fields>(isFields).transform(received => ({ type: 'other' as const, received })),
]);
export type OutputItem = z.output<typeof outputItemSchema>;

const responseUsageSchema = z.looseObject({
	input_tokens: lenientCount,
	output_tokens: lenientCount,
	total_tokens: lenientCount,
	input_tokens_details: lenient(z.looseObject({ cached_tokens: lenientCount })),
	output_tokens_details: lenient(z.looseObject({ reasoning_tokens: lenientCount })),
});

const responseSchema = z.looseObject({
	id: lenient(z.string()),
	/** Unix time in seconds. */
	created_at: lenient(z.number()),
	model: lenient(z.string()),
	object: lenient(z.string()),
	status: lenient(z.string()),
	output: lenientArray(outputItemSchema),
	usage: lenient(responseUsageSchema),
});

const response = { response: lenient(responseSchema) };
const item = { output_index: lenient(z.number()), item: lenient(outputItemSchema) };
/** The position of a delta's item: the item's index in the output, and its id. */
const place = { output_index: lenient(z.number()), item_id: lenient(z.string()) };
const partPlace = { ...place, content_index: lenient(z.number()) };

/** contract: not shown except for the names and meanings of the events. Their fields follow public practice. */
const responseEventSchema = z.discriminatedUnion('type', [
	z.looseObject({ type: z.literal('response.created'), ...response }),
	z.looseObject({ type: z.literal('response.in_progress'), ...response }),
	z.looseObject({ type: z.literal('response.output_item.added'), ...item }),
	z.looseObject({ type: z.literal('response.content_part.added'), ...partPlace, part: lenient(contentPartSchema) }),
	z.looseObject({ type: z.literal('response.output_text.delta'), ...partPlace, delta: lenientText }),
	z.looseObject({ type: z.literal('response.output_text.done'), ...partPlace, text: lenientText }),
	z.looseObject({ type: z.literal('response.content_part.done'), ...partPlace, part: lenient(contentPartSchema) }),
	z.looseObject({ type: z.literal('response.output_item.done'), ...item }),
	z.looseObject({ type: z.literal('response.function_call_arguments.delta'), ...place, delta: lenientText }),
	z.looseObject({ type: z.literal('response.function_call_arguments.done'), ...place, arguments: lenientText }),
	z.looseObject({ type: z.literal('response.completed'), ...response }),
]);
export type ResponseEvent = z.output<typeof responseEventSchema>;

/**
 * Reads the data of one event. Returns undefined for an undocumented event. A refusal is part of what the model says,
 * so it is read as the text that it replaces.
 */
export function readResponseEvent(value: unknown): ResponseEvent | undefined {
	const { type, refusal } = fieldsOf(value);
	const step = typeof type === 'string' ? /^response\.refusal\.(delta|done)$/.exec(type)?.[1] : undefined;
	const read = step === undefined ? value : { ...Object(value), type: `response.output_text.${step}`, text: refusal };
	return responseEventSchema.safeParse(read).data;
}

/** contract: not shown. The data of `response.failed` and `response.incomplete` (unspecified.md). */
export const earlyEndSchema = z.looseObject({
	response: lenient(
		z.looseObject({
			error: z.unknown().optional(),
			/** `reason` is a word such as `max_output_tokens`. */
			incomplete_details: lenient(z.looseObject({ reason: lenient(z.string()) })),
		}),
	),
});

/** The documented error messages, by the field of the request that each one concerns (inference.md, Errors). */
const REFUSALS = {
	instructions: 'Instructions are required',
	input: 'Input must be a list',
	store: 'Store must be set to false',
	stream: 'Stream must be set to true',
	previous_response_id: 'Unsupported parameter: previous_response_id',
} as const;

/** Returns the field that an error message of the endpoint concerns, or undefined for an undocumented message. */
export function refusedField(message: string): keyof typeof REFUSALS | undefined {
	const said = message.toLowerCase();
	const fields = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
	return fields.find(field => said.includes(REFUSALS[field].toLowerCase()));
}
