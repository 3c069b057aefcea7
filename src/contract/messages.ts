// The Messages form, as in Anthropic's `/v1/messages`: paths, errors and usage. It is public practice and no part of
// the contract.
import type { Fields } from '../base/fields.ts';
import { type Usage, usageSchema } from './chatReply.ts';
import { lenientCount } from './lenient.ts';
import type { Route } from './routes.ts';

export const messagesRoutes = {
	messages: { method: 'POST', host: 'inference', key: 'inference', path: '/v1/messages' },
	count: { method: 'POST', host: 'inference', key: 'inference', path: '/v1/messages/count_tokens' },
} as const satisfies Record<string, Route>;

/** Returns whether a path belongs to this form, on any host and below any version. */
export function isMessagesPath(path: string): boolean {
	return /\/messages(?:\/count_tokens)?$/.test(path);
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
	401: 'authentication_error',
	402: 'billing_error',
	403: 'permission_error',
	404: 'not_found_error',
	413: 'request_too_large',
	429: 'rate_limit_error',
	503: 'overloaded_error',
	504: 'timeout_error',
	529: 'overloaded_error',
};

/** Returns the body of an error, also the event that ends a stream. Clients read its type, set by the status. */
export function messagesError(status: number, message: string): { type: 'error'; error: object } {
	const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
	return { type: 'error', error: { type, message } };
}

/** A part of a model's thinking in the form that goes back to the server that signed or sealed it. */
export type ThinkingBlock =
	| { type: 'thinking'; thinking: string; signature: string }
	| { type: 'redacted_thinking'; data: string };

/** The additions to an assistant's message beyond the contract. */
export interface Thought {
	/** The thinking in clear, for models that accept it as text. */
	reasoning?: string;
	/** The thinking as signed or sealed by the server that it goes back to. */
	thinking?: ThinkingBlock[];
}

/** Settings for the model's thinking in a request, which only a server of this form accepts. */
export interface MessagesHints {
	thinking?: Fields;
	effort?: string;
}

/** The signature of thinking that its server has not signed. Some clients keep no thinking without a signature. */
export const UNSIGNED = 'errand-unsigned';

export interface MessagesUsage {
	/** The tokens of the request without those that were read from or written to a cache. */
	input_tokens: number;
	cache_creation_input_tokens: number;
	cache_read_input_tokens: number;
	output_tokens: number;
}

/** In chat, the tokens of a request include those of the cache. */
export function messagesUsageOf({ prompt_tokens = 0, completion_tokens = 0, ...usage }: Usage): MessagesUsage {
	const { prompt_tokens_details: details } = usage;
	const read = details?.cached_tokens ?? 0;
	const written = lenientCount.parse(details?.['cache_write_tokens']) ?? 0;
	return {
		input_tokens: Math.max(0, prompt_tokens - read - written),
		cache_creation_input_tokens: written,
		cache_read_input_tokens: read,
		output_tokens: completion_tokens,
	};
}

/** `usage` is the server's count, in which any field may be missing. */
export function chatUsageOf(usage: Partial<MessagesUsage>): Usage {
	const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
	const { input_tokens = 0, output_tokens: completion_tokens = 0 } = usage;
	const prompt_tokens = input_tokens + read + written;
	return usageSchema.parse({
		prompt_tokens,
		completion_tokens,
		total_tokens: prompt_tokens + completion_tokens,
		// The second name follows public practice.
		prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
	});
}

/** The finish reasons of chat, each with the stop reasons that mean it. */
const FINISHES: ReadonlyMap<string, string> = new Map([
	['max_tokens', 'length'],
	['model_context_window_exceeded', 'length'],
	['tool_use', 'tool_calls'],
	['refusal', 'content_filter'],
]);

export function finishReasonOf(stopReason: string): string {
	return FINISHES.get(stopReason) ?? 'stop';
}

/**
 * Returns the stop reason for a finish reason. `native` is the server's own word, which distinguishes a stop sequence
 * from an end. `hasCalls` tells whether the reply has tool calls, after which many servers only say `stop`.
 */
export function stopReasonOf(reason: string | undefined, native: string | undefined, hasCalls: boolean): string {
	switch (reason) {
		case 'length':
			return 'max_tokens';
		case 'content_filter':
			return 'refusal';
		default:
			return hasCalls ? 'tool_use' : native === 'stop_sequence' ? native : 'end_turn';
	}
}
