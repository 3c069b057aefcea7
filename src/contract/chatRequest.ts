// The request to the chat endpoint, with its ranges (contract: inference.md, Message and Chat completion request).
import * as z from 'zod';
import { integerFrom, numberAbove, numberBetween } from './ranges.ts';
import { routingPolicySchema } from './routingPolicy.ts';

const chatToolSchema = z.strictObject({
	type: z.literal('function'),
	function: z.strictObject(
		{
			name: z.string().min(1),
			description: z.string().optional(),
			/** A JSON Schema. */
			parameters: z.record(z.string(), z.unknown()).optional(),
		},
		// If this object is missing, the tool most likely has the shape of the responses endpoint.
		'allowed: an object with the name, description and parameters, which stand flat in the responses endpoint only',
	),
});
export type ChatTool = z.input<typeof chatToolSchema>;

const toolChoiceSchema = z.union(
	[
		z.enum(['none', 'auto', 'required']),
		z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string().min(1) }) }),
	],
	'allowed: "none", "auto", "required", or {type: "function", function: {name}}',
);

/**
 * contract: not shown. An assistant message with tool calls is sent back together with these calls (unspecified.md).
 */
const toolCallSchema = z.strictObject({
	id: z.string().min(1),
	type: z.literal('function'),
	function: z.strictObject({
		name: z.string().min(1),
		/** The arguments as a JSON text. */
		arguments: z.string(),
	}),
});
export type ToolCall = z.input<typeof toolCallSchema>;

/** contract: not shown. Content parts are public practice; the contract only has a text (unspecified.md). */
const contentPartSchema = z.discriminatedUnion('type', [
	z.strictObject({ type: z.literal('text'), text: z.string() }),
	z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string().min(1) }) }),
]);

export const messageSchema = z
	.strictObject({
		role: z.enum(['system', 'user', 'assistant', 'tool']),
		content: z.union([z.string(), z.array(contentPartSchema)], 'allowed: a text, or a list of parts (text, image_url)'),
		/** The id of the call that a `tool` message answers. */
		tool_call_id: z.string().min(1).optional(),
		tool_calls: z.array(toolCallSchema).optional(),
	})
	.refine(({ role, tool_call_id }) => (role === 'tool') === (tool_call_id !== undefined), {
		path: ['tool_call_id'],
		error: 'allowed: the id of the call that a message with the role "tool" answers; no other message has one',
	});
export type ChatMessage = z.input<typeof messageSchema>;

export const chatRequestSchema = z.strictObject({
	/** The model, in any of the forms described in modelIdentifier.ts. */
	model: z.string().min(1),
	messages: z.array(messageSchema).min(1),
	/** Alternatives to `model`. */
	models: z.array(z.string().min(1)).optional(),
	provider: routingPolicySchema.optional(),
	stream: z.boolean().optional(),
	/** The value must also be below the model's context length, if that is known; the client checks it. */
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
	tools: z.array(chatToolSchema).optional(),
	tool_choice: toolChoiceSchema.optional(),
	/**
	 * contract: not shown. It is passed through; the only check is that it is an object with a `type` (unspecified.md).
	 */
	response_format: z.looseObject({ type: z.string() }).optional(),
	/** This field is never sent unless the user sets it (unspecified.md). */
	user: z.string().optional(),
});
export type ChatRequest = z.input<typeof chatRequestSchema>;

/** The fields of a request that are not parameters. */
const NO_PARAMETERS = { model: true, messages: true, models: true, provider: true, stream: true } as const;

/** A field that controls the generation, and that `require_parameters` therefore applies to. */
export type Parameter = Exclude<keyof ChatRequest, keyof typeof NO_PARAMETERS>;

export const PARAMETERS = Object.keys(chatRequestSchema.omit(NO_PARAMETERS).shape) as readonly Parameter[];

export function parametersOf(request: Partial<ChatRequest>): Parameter[] {
	return PARAMETERS.filter(name => request[name] !== undefined);
}

/** The limit for all images of a request, in bytes. Encoded as base64, they still fit into the body of one request. */
export const MAXIMUM_REQUEST_IMAGE_BYTES = 11_000_000;

/** Returns whether any of the request's messages carries an image. */
export function hasImages({ messages }: Pick<ChatRequest, 'messages'>): boolean {
	return messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image_url'));
}

/**
 * The fields that control the generation and may be set ahead of a request. Tools are excluded because they come with
 * the code that answers their calls.
 */
export const chatParametersSchema = chatRequestSchema.omit({ ...NO_PARAMETERS, tools: true, tool_choice: true });
export type ChatParameters = z.input<typeof chatParametersSchema>;
export type ChatParameter = keyof ChatParameters;
