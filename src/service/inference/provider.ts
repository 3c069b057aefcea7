// The providers behind the gateway: the built-in demo and each upstream server.
import { defined } from '../../base/defined.ts';
import { ClientError, systemErrorCode, type UpstreamProblem } from '../../base/errors.ts';
import type { LogFields } from '../../base/redact.ts';
import type { IndexedToolCall } from '../../client/core/toolCallIndexes.ts';
import type { Annotation, Usage } from '../../contract/chatReply.ts';
import type { ChatMessage, ChatRequest, Parameter } from '../../contract/chatRequest.ts';
import type { DataPolicy } from '../../contract/dataPolicy.ts';
import type { MessagesHints, Thought } from '../../contract/messages.ts';
import type { ResponsesHints } from '../../contract/responses.ts';

/**
 * A chat request inside the service. Beyond the contract's fields, an assistant's message may carry the reasoning that
 * came with it (inference.md, Zero data retention 3), for models that accept it, and its signed form for the servers
 * that sign it.
 */
export interface ProviderRequest extends ChatRequest {
	messages: (ChatMessage & Thought)[];
	/** Hints on how the model should think, for servers with the Messages API. */
	hints?: MessagesHints;
	/** The fields that a client of the responses endpoint has sent and chat does not have, for servers with that API. */
	responses?: ResponsesHints;
	/** How much the model is to think, as clients of chat say it, for servers with the Responses API. */
	reasoning_effort?: string;
	/** The client's name for `max_tokens`, if it is the newer one of public practice. */
	limitName?: 'max_completion_tokens';
}

export interface GatewayRequest extends ProviderRequest {
	/** If false, only the first tool call of the reply is passed on. Providers do not learn of it. */
	parallel_tool_calls?: boolean | undefined;
}

/** The part of a message that a chunk adds. Every field may be missing. */
export interface ReplyDelta {
	role?: string | null | undefined;
	content?: string | null | undefined;
	/** contract: not shown. Both names are in use (unspecified.md, "chunk objects"). */
	reasoning?: string | null | undefined;
	reasoning_content?: string | null | undefined;
	tool_calls?: IndexedToolCall[] | undefined;
	annotations?: Annotation[] | undefined;
	/** The signed or sealed parts of the reasoning, in the form of public practice. */
	reasoning_details?: ReasoningDetail[] | undefined;
}

/** The names that public practice gives to the reasoning of servers with the Messages and with the Responses API. */
export const MESSAGES_REASONING = 'anthropic-claude-v1';
export const RESPONSES_REASONING = 'openai-responses-v1';

export interface ReasoningDetail {
	type: 'reasoning.text' | 'reasoning.encrypted';
	format: typeof MESSAGES_REASONING | typeof RESPONSES_REASONING;
	/** The signature of the reasoning so far. */
	signature?: string;
	/** Reasoning that only its server can read. */
	data?: string;
}

export interface ReplyChoice {
	index: number;
	delta: ReplyDelta;
	finish_reason: string | null;
	/** The provider's own finish reason, if it differs from `finish_reason`, and the sequence that stopped the model. */
	provider_specific_fields?:
		| { native_finish_reason?: string | undefined; stop_sequence?: string | undefined }
		| undefined;
	/**
	 * The log probabilities in the provider's own form, if `top_logprobs` requested them. They are no part of the
	 * contract.
	 */
	logprobs?: unknown;
}

/**
 * A chunk of a reply as it is sent, without the head (id, created, object, model, provider), which the service adds.
 */
export interface ReplyChunk {
	/** The list is empty in the chunk that only carries the usage. */
	choices: readonly ReplyChoice[];
	usage?: Usage | undefined;
	/** The name of the resolved model (`name:digest`), if it differs from the offer's id. */
	model?: string | undefined;
}

/** In US dollars per million tokens. */
export interface Prices {
	input: number;
	output: number;
}

/** The terms on which one provider offers one model. */
export interface ModelOffer {
	/** The id that requests use as `model`. If two providers use the same id, it is the same model. */
	id: string;
	label?: string | undefined;
	kinds: readonly ('chat' | 'image' | 'search')[];
	/** In tokens. */
	contextLength?: number | undefined;
	maxOutputTokens?: number | undefined;
	/** False for a closed model, which the service's own slug does not serve (Dedicated deployments). */
	openWeights?: boolean | undefined;
	prices?: Prices | undefined;
	quantization?: string | undefined;
	dataPolicy?: DataPolicy | undefined;
	/** The parameters that the model supports. Undefined means all of them. */
	parameters?: ReadonlySet<Parameter> | undefined;
	/**
	 * The model is made for writing code: the responses endpoint then requires more of a request, and zero data retention
	 * always applies.
	 */
	codeOriented?: boolean | undefined;
	/**
	 * True if the model accepts images in messages; undefined if that is unknown. Requests with images go to models that
	 * are known to accept them, if there are any.
	 */
	images?: boolean | undefined;
	/** True if the server reports that it is loading the model. Requests wait until it is loaded. */
	isLoading?: boolean | undefined;
	/** True if the model accepts `reasoning` in an assistant's message. It is removed from requests to other models. */
	takesReasoning?: boolean | undefined;
}

export interface Provider {
	/** The name of the provider in `order`, `only` and `ignore`. */
	readonly slug: string;
	readonly label?: string | undefined;
	/** True if the provider runs on this machine, so that the service's own slug includes it (Dedicated deployments). */
	readonly isDedicated: boolean;
	/** Words before a model's name that stand for this provider on the enterprise host. */
	readonly prefixes: readonly string[];
	offers(): readonly ModelOffer[];
	/**
	 * Sends a request whose `model` is the offer's id. Until the first chunk has arrived, another provider can still be
	 * tried. Leaving the loop ends the reply.
	 * @throws ProviderFailure, or the signal's reason if it aborts.
	 */
	chat(request: ProviderRequest, signal: AbortSignal): ReplyChunks;
	/** Resolves with the token count of the request, or undefined if the provider does not count. */
	countTokens?(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined>;
}

export interface ReplyChunks {
	[Symbol.asyncIterator](): ReplyChunkIterator;
}

export interface ReplyChunkIterator extends AsyncIterator<ReplyChunk, undefined> {
	/** Removes and returns the chunks that arrived together with the one read last. If undefined, there are none. */
	takeArrived?(): ReplyChunk[];
}

export type ProviderFailureCode =
	/** The provider replied with an error, or with something that is not a reply. */
	| 'upstream_error'
	| 'rate_limited'
	/** There is no connection, or the provider reports that it cannot serve now. */
	| 'unavailable'
	| 'timeout'
	/** The provider's key is missing or was refused. */
	| 'unauthorized'
	/** The account at the provider has no credit. */
	| 'payment_required'
	| 'model_not_found'
	/** The provider considers the request itself invalid, so another provider would refuse it too. */
	| 'invalid_request';

/** The failure of a provider. The client learns of it in the stream, or by the status of a reply that has not begun. */
export class ProviderFailure extends Error {
	override readonly name = 'ProviderFailure';
	readonly code: ProviderFailureCode;
	/** The time in milliseconds that the provider asks to wait before a retry. */
	readonly retryAfterMs: number | undefined;
	/** The failure of the model server, if the provider is one. */
	readonly upstream: UpstreamProblem | undefined;

	/** The message is a whole sentence for the user. */
	constructor(
		code: ProviderFailureCode,
		message: string,
		options: { retryAfterMs?: number | undefined; upstream?: UpstreamProblem; cause?: unknown } = {},
	) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.retryAfterMs = options.retryAfterMs;
		this.upstream = options.upstream;
	}

	/** True if another provider may succeed with the same request. */
	get isProvidersOwn(): boolean {
		return this.code !== 'invalid_request';
	}
}

export function failureFields({ code, cause }: ProviderFailure): LogFields {
	const status = ClientError.is(cause) ? cause.status : undefined;
	return { code, ...defined({ status, reason: systemErrorCode(cause instanceof Error ? cause.cause : undefined) }) };
}
