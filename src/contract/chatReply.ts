// The replies of the chat endpoint: a completion, or the chunks of a stream (contract: inference.md, Chat completion
// response).
import * as z from 'zod';
import { isFields } from '../base/fields.ts';
import { lenient, lenientArray, lenientCount, lenientText } from './lenient.ts';

export const usageSchema = z.looseObject({
	prompt_tokens: lenientCount,
	completion_tokens: lenientCount,
	total_tokens: lenientCount,
	completion_tokens_details: lenient(
		z.looseObject({
			accepted_prediction_tokens: lenientCount,
			audio_tokens: lenientCount,
			reasoning_tokens: lenientCount,
			rejected_prediction_tokens: lenientCount,
		}),
	),
	prompt_tokens_details: lenient(z.looseObject({ audio_tokens: lenientCount, cached_tokens: lenientCount })),
});
export type Usage = z.output<typeof usageSchema>;

export const annotationSchema = z.looseObject({
	/** Annotations of a web search have the type `url_citation`. */
	type: lenient(z.string()),
	url_citation: lenient(
		z.looseObject({
			url: lenient(z.string()),
			title: lenient(z.string()),
			/** An excerpt of the source, if the service sent one. */
			content: lenient(z.string()),
			/** Character positions in the message content. They may lie outside of it (see citations.ts). */
			start_index: lenient(z.number()),
			end_index: lenient(z.number()),
		}),
	),
});
export type Annotation = z.output<typeof annotationSchema>;

/** The arguments of a call: a JSON text, or a fragment of one. Some services send the object itself. */
const receivedArguments = z
	.unknown()
	.optional()
	.transform(value => (isFields(value) ? JSON.stringify(value) : lenientText.parse(value)));

const calledFunctionSchema = z.looseObject({ name: lenient(z.string()), arguments: receivedArguments });

/** A tool call in a reply: a whole one in a completion, a fragment (identified by `index`) in a chunk. */
export const receivedToolCallSchema = z.looseObject({
	index: lenient(z.number()),
	id: lenient(z.string()),
	type: lenient(z.string()),
	function: lenient(calledFunctionSchema),
});
export type ReceivedToolCall = z.output<typeof receivedToolCallSchema>;

/** The fields that a completion and a chunk have in common. */
const headFields = {
	id: lenient(z.string()),
	/** Unix time in seconds. */
	created: lenient(z.number()),
	model: lenient(z.string()),
	/** The value is `chat.completion` or `chat.completion.chunk`. */
	object: lenient(z.string()),
	system_fingerprint: lenient(z.string()),
	provider: lenient(z.string()),
	usage: lenient(usageSchema),
};

const tokenSchema = z.looseObject({ token: z.string(), logprob: z.number() });

/** contract: not shown. The tokens of a reply with their probabilities, in the OpenAI shape, if they were requested. */
export const logprobsSchema = z.looseObject({
	content: lenientArray(z.looseObject({ ...tokenSchema.shape, top_logprobs: lenientArray(tokenSchema) })),
});

const choiceFields = {
	index: lenient(z.number()),
	finish_reason: lenient(z.string()),
	provider_specific_fields: lenient(z.looseObject({ native_finish_reason: lenient(z.string()) })),
};

/** Treats the word `None` as absent content if the message has tool calls; anywhere else the model really said it. */
export function saidContent<T extends string | null | undefined>(content: T, hasToolCalls: boolean): T | undefined {
	return hasToolCalls && content === 'None' ? undefined : content;
}

/** The types of content parts: what the model says, including a refusal, and what it thinks. */
const SAID_PART = /^(text|output_text|refusal)$/;
const THOUGHT_PART = /think|reason/;
const ANY_PART = /^/;

/** The fields of a part that may hold its text or further parts. */
const PART_TEXTS = ['text', 'thinking', 'reasoning', 'summary', 'refusal', 'content'];

/** Returns the text of a part, or of a list of parts, of a matching type. Undefined if there is none. */
function textOfParts(value: unknown, type?: RegExp): string | undefined {
	if (Array.isArray(value)) {
		return value.map(part => textOfParts(part, type) ?? '').join('') || undefined;
	}
	if (!isFields(value)) {
		return type === undefined ? lenientText.parse(value) || undefined : undefined;
	}
	return type === undefined || type.test(lenientText.parse(value['type']) ?? '')
		? PART_TEXTS.map(field => textOfParts(value[field])).find(text => text !== undefined)
		: undefined;
}

const lenientString = lenient(z.string());

interface ReadTexts {
	content: string | undefined;
	/** contract: not shown. Both names are in use (unspecified.md). */
	reasoning: string | undefined;
	reasoning_content: string | undefined;
}

/**
 * The message of a completion, or the part of it that a chunk adds.
 *
 * contract: not shown. Some services send a list of parts in place of the text, or of the reasoning, and a refusal has a
 * field of its own. A refusal is what the model says.
 */
const replyMessageSchema = z
	.looseObject({
		role: lenientString,
		tool_calls: lenientArray(receivedToolCallSchema),
		function_call: lenient(calledFunctionSchema),
		annotations: lenientArray(annotationSchema),
	})
	.transform((message): typeof message & ReadTexts => {
		const { content, refusal, reasoning, reasoning_content, thinking, thinking_blocks, reasoning_details } = message;
		const said =
			typeof content === 'string'
				? saidContent(content, message.tool_calls.length > 0)
				: textOfParts(content, SAID_PART);
		const own = lenientString.parse(reasoning);
		const others = lenientText.parse(reasoning_content);
		const elsewhere = () =>
			lenientString.parse(thinking) ||
			[reasoning, reasoning_content, thinking, thinking_blocks, reasoning_details]
				.map(place => textOfParts(place, ANY_PART))
				.find(text => text !== undefined) ||
			textOfParts(content, THOUGHT_PART);
		return {
			...message,
			content: said || lenientString.parse(refusal) || said,
			reasoning: own || others ? own : (elsewhere() ?? own),
			reasoning_content: others,
		};
	});

export const chatCompletionSchema = z.looseObject({
	...headFields,
	choices: lenientArray(z.looseObject({ ...choiceFields, message: lenient(replyMessageSchema) })),
});
export type ChatCompletion = z.output<typeof chatCompletionSchema>;

/** contract: not shown beyond `choices[].delta.content`. The OpenAI shape is read where present (unspecified.md). */
export const chatChunkSchema = z.looseObject({
	...headFields,
	choices: lenientArray(
		z.looseObject({ ...choiceFields, delta: lenient(replyMessageSchema), message: lenient(replyMessageSchema) }),
	),
});
export type ChatChunk = z.output<typeof chatChunkSchema>;

/**
 * The shape in which nearly every server sends a chunk: the fields that the client reads, each of its documented type.
 * This schema is tried first because it costs a tenth of the lenient one, which handles everything that does not fit
 * here.
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
						refusal: z.null().optional(),
						thinking: z.null().optional(),
						thinking_blocks: z.null().optional(),
						reasoning_details: z.null().optional(),
					})
					.nullish(),
				message: z.null().optional(),
				provider_specific_fields: z.unknown().optional(),
				logprobs: z.unknown().optional(),
			}),
		),
	}),
);
type PlainChunk = z.output<typeof plainChunkSchema>;

/** Reads one `data` of a chat stream. Returns undefined if it is not an object; a field that does not fit is absent. */
export function readChatChunk(value: unknown): PlainChunk | ChatChunk | undefined {
	return z.validate(plainChunkSchema, value) ? (value as PlainChunk) : chatChunkSchema.safeParse(value).data;
}

/** The `data` that ends a chat stream. */
export const CHAT_STREAM_END = '[DONE]';

/** Returns whether a `data` ends a stream. Some servers write blanks around the mark. */
export function isStreamEnd(data: string): boolean {
	return data === CHAT_STREAM_END || (data.length < MAXIMUM_END && data.trim() === CHAT_STREAM_END);
}

/** An end mark with blanks is always shorter than this, so longer `data` need not be trimmed. */
const MAXIMUM_END = 32;
