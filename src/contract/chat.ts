// Chat completions: the request with its ranges, the reply, the chunks of a stream (contract: inference.md).
import * as z from 'zod';
import { lenient, lenientArray, lenientText } from './lenient.ts';
import { integerFrom, numberAbove, numberBetween } from './ranges.ts';

/** OpenAI-style, nested under `function`. */
const toolSchema = z.strictObject({
	type: z.literal('function'),
	function: z.strictObject({
		name: z.string().min(1),
		description: z.string().optional(),
		parameters: z.record(z.string(), z.unknown()).optional(),
	}),
});

const toolChoiceSchema = z.union([
	z.enum(['none', 'auto', 'required']),
	z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string().min(1) }) }),
]);

/** contract: not shown. An assistant message that called tools is sent back with its calls (unspecified.md). */
const toolCallSchema = z.strictObject({
	id: z.string(),
	type: z.literal('function'),
	function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

export const messageSchema = z.strictObject({
	role: z.enum(['system', 'user', 'assistant', 'tool']),
	/** contract: not shown. An array of parts is public practice; the contract has a string (unspecified.md). */
	content: z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]),
	tool_call_id: z.string().optional(),
	tool_calls: z.array(toolCallSchema).optional(),
});
export type ChatMessage = z.input<typeof messageSchema>;

/** An object form whose inside is not shown passes through unchanged (unspecified.md). */
const opaqueObject = z.record(z.string(), z.unknown());

export const providerPreferencesSchema = z.strictObject({
	sort: z.union([z.enum(['price', 'throughput', 'latency']), opaqueObject]).optional(),
	order: z.array(z.string()).optional(),
	only: z.array(z.string()).optional(),
	ignore: z.array(z.string()).optional(),
	allow_fallbacks: z.boolean().optional(),
	require_parameters: z.boolean().optional(),
	data_collection: z.enum(['allow', 'deny']).optional(),
	quantizations: z.array(z.string()).optional(),
	/** Tokens per second. */
	preferred_min_throughput: z.union([z.number(), opaqueObject]).optional(),
	/** Seconds. */
	preferred_max_latency: z.union([z.number(), opaqueObject]).optional(),
	zdr: z.boolean().optional(),
});
export type ProviderPreferences = z.input<typeof providerPreferencesSchema>;

export const chatRequestSchema = z.strictObject({
	model: z.string().min(1),
	messages: z.array(messageSchema).min(1),
	models: z.array(z.string()).optional(),
	provider: providerPreferencesSchema.optional(),
	stream: z.boolean().optional(),
	/** Below the model's context length too, where that is known; the client checks it. */
	max_tokens: integerFrom(1).optional(),
	temperature: numberBetween(0, 2).optional(),
	seed: z.int('allowed: a whole number').optional(),
	top_p: numberAbove(0, 1).optional(),
	top_k: integerFrom(1).optional(),
	frequency_penalty: numberBetween(-2, 2).optional(),
	presence_penalty: numberBetween(-2, 2).optional(),
	repetition_penalty: numberAbove(0, 2).optional(),
	logit_bias: z.record(z.string(), z.number()).optional(),
	top_logprobs: integerFrom(0).optional(),
	min_p: numberBetween(0, 1).optional(),
	top_a: numberBetween(0, 1).optional(),
	stop: z.array(z.string()).optional(),
	tools: z.array(toolSchema).optional(),
	tool_choice: toolChoiceSchema.optional(),
	/** Checked only to be an object with a `type` (unspecified.md). */
	response_format: z.looseObject({ type: z.string() }).optional(),
	user: z.string().optional(),
});
export type ChatRequest = z.input<typeof chatRequestSchema>;

export const usageSchema = z.looseObject({
	prompt_tokens: lenient(z.number()),
	completion_tokens: lenient(z.number()),
	total_tokens: lenient(z.number()),
	completion_tokens_details: lenient(
		z.looseObject({
			accepted_prediction_tokens: lenient(z.number()),
			audio_tokens: lenient(z.number()),
			reasoning_tokens: lenient(z.number()),
			rejected_prediction_tokens: lenient(z.number()),
		}),
	),
	prompt_tokens_details: lenient(
		z.looseObject({ audio_tokens: lenient(z.number()), cached_tokens: lenient(z.number()) }),
	),
});
export type Usage = z.output<typeof usageSchema>;

export const annotationSchema = z.looseObject({
	type: lenient(z.string()),
	url_citation: lenient(
		z.looseObject({
			url: lenient(z.string()),
			title: lenient(z.string()),
			content: lenient(z.string()),
			/** Character positions in the message content; not to be trusted to lie inside it. */
			start_index: lenient(z.number()),
			end_index: lenient(z.number()),
		}),
	),
});
export type Annotation = z.output<typeof annotationSchema>;

/** A whole call in a reply, or a fragment of one (by `index`) in a chunk. */
export const receivedToolCallSchema = z.looseObject({
	index: lenient(z.number()),
	id: lenient(z.string()),
	type: lenient(z.string()),
	function: lenient(z.looseObject({ name: lenient(z.string()), arguments: lenientText })),
});

const providerFieldsSchema = z.looseObject({ native_finish_reason: lenient(z.string()) });

export const chatCompletionSchema = z.looseObject({
	id: lenient(z.string()),
	created: lenient(z.number()),
	model: lenient(z.string()),
	object: lenient(z.string()),
	system_fingerprint: lenient(z.string()),
	provider: lenient(z.string()),
	usage: lenient(usageSchema),
	choices: lenientArray(
		z.looseObject({
			index: lenient(z.number()),
			finish_reason: lenient(z.string()),
			message: lenient(
				z.looseObject({
					role: lenient(z.string()),
					content: lenientText,
					tool_calls: lenientArray(receivedToolCallSchema),
					annotations: lenientArray(annotationSchema),
				}),
			),
			provider_specific_fields: lenient(providerFieldsSchema),
		}),
	),
});
export type ChatCompletion = z.output<typeof chatCompletionSchema>;

/** contract: not shown beyond `choices[].delta.content`. The OpenAI shape is read where present (unspecified.md). */
export const chatChunkSchema = z.looseObject({
	id: lenient(z.string()),
	model: lenient(z.string()),
	object: lenient(z.string()),
	provider: lenient(z.string()),
	usage: lenient(usageSchema),
	choices: lenientArray(
		z.looseObject({
			index: lenient(z.number()),
			finish_reason: lenient(z.string()),
			delta: lenient(
				z.looseObject({
					role: lenient(z.string()),
					content: lenientText,
					reasoning: lenient(z.string()),
					reasoning_content: lenientText,
					tool_calls: lenientArray(receivedToolCallSchema),
					annotations: lenientArray(annotationSchema),
				}),
			),
			provider_specific_fields: lenient(providerFieldsSchema),
		}),
	),
});
export type ChatChunk = z.output<typeof chatChunkSchema>;

/**
 * The chunk as nearly every server sends it: the fields that the client reads, each of its documented kind. It is
 * tried first, as it costs a tenth of what the lenient one does; what does not fit goes through that one.
 */
const plainChunkSchema = z.compile(
	z.object({
		id: z.string().nullish(),
		model: z.string().nullish(),
		provider: z.string().nullish(),
		usage: z.unknown().optional(),
		error: z.unknown().optional(),
		choices: z.array(
			z.object({
				index: z.number().nullish(),
				finish_reason: z.string().nullish(),
				delta: z
					.object({
						content: z.string().nullish(),
						reasoning: z.string().nullish(),
						reasoning_content: z.string().nullish(),
						tool_calls: z.unknown().optional(),
						annotations: z.unknown().optional(),
					})
					.nullish(),
				provider_specific_fields: z.unknown().optional(),
			}),
		),
	}),
);
type PlainChunk = z.output<typeof plainChunkSchema>;

/** Reads one `data` of a chat stream. Undefined for what is no object; a field that does not fit is absent. */
export function readChatChunk(value: unknown): PlainChunk | ChatChunk | undefined {
	return z.validate(plainChunkSchema, value) ? (value as PlainChunk) : chatChunkSchema.safeParse(value).data;
}

/** The `data` that ends a chat stream. */
export const CHAT_STREAM_END = '[DONE]';
