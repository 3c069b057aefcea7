// What the chat endpoint answers: a completion, or the chunks of a stream (contract: inference.md, Chat completion response).
import * as z from 'zod';
import { lenient, lenientArray, lenientText } from './lenient.ts';

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
	/** `url_citation` where search is meant. */
	type: lenient(z.string()),
	url_citation: lenient(
		z.looseObject({
			url: lenient(z.string()),
			title: lenient(z.string()),
			/** An excerpt, where there is one. */
			content: lenient(z.string()),
			/** Character positions in the message content; not to be trusted to lie inside it (see citations.ts). */
			start_index: lenient(z.number()),
			end_index: lenient(z.number()),
		}),
	),
});
export type Annotation = z.output<typeof annotationSchema>;

/** What a call was given: a JSON text, or a fragment of one. Some services send the object itself. */
const receivedArguments = z
	.unknown()
	.optional()
	.transform(value => {
		const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isObject ? JSON.stringify(value) : lenientText.parse(value);
	});

const calledFunctionSchema = z.looseObject({ name: lenient(z.string()), arguments: receivedArguments });

/** A whole call in a reply, or a fragment of one (by `index`) in a chunk. */
export const receivedToolCallSchema = z.looseObject({
	index: lenient(z.number()),
	id: lenient(z.string()),
	type: lenient(z.string()),
	function: lenient(calledFunctionSchema),
});
export type ReceivedToolCall = z.output<typeof receivedToolCallSchema>;

/** A completion and a chunk alike. */
const headFields = {
	id: lenient(z.string()),
	/** Unix time. */
	created: lenient(z.number()),
	model: lenient(z.string()),
	/** `chat.completion` or `chat.completion.chunk`. */
	object: lenient(z.string()),
	system_fingerprint: lenient(z.string()),
	/** Who served the request. */
	provider: lenient(z.string()),
	usage: lenient(usageSchema),
};

const choiceFields = {
	index: lenient(z.number()),
	finish_reason: lenient(z.string()),
	provider_specific_fields: lenient(z.looseObject({ native_finish_reason: lenient(z.string()) })),
};

/** Beside tool calls the word `None` is an absent content; anywhere else somebody said it. */
export function saidContent<T extends string | null | undefined>(content: T, hasToolCalls: boolean): T | undefined {
	return hasToolCalls && content === 'None' ? undefined : content;
}

/** The message of a completion, or what a chunk adds to it. */
const replyMessageSchema = z
	.looseObject({
		role: lenient(z.string()),
		content: lenientText,
		/** contract: not shown. Both names are in use (unspecified.md). */
		reasoning: lenient(z.string()),
		reasoning_content: lenientText,
		tool_calls: lenientArray(receivedToolCallSchema),
		function_call: lenient(calledFunctionSchema),
		annotations: lenientArray(annotationSchema),
	})
	.overwrite(message => {
		message.content = saidContent(message.content, message.tool_calls.length > 0);
		return message;
	});

export const chatCompletionSchema = z.looseObject({
	...headFields,
	choices: lenientArray(z.looseObject({ ...choiceFields, message: lenient(replyMessageSchema) })),
});
export type ChatCompletion = z.output<typeof chatCompletionSchema>;

/** contract: not shown beyond `choices[].delta.content`. The OpenAI shape is read where present (unspecified.md). */
export const chatChunkSchema = z.looseObject({
	...headFields,
	choices: lenientArray(z.looseObject({ ...choiceFields, delta: lenient(replyMessageSchema) })),
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
