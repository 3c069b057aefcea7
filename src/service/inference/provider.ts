// What stands behind the gateway: the built-in demo and each upstream server is a provider.
import type { Annotation, ReceivedToolCall, Usage } from '../../contract/chatReply.ts';
import type { ChatMessage, ChatRequest } from '../../contract/chatRequest.ts';

/**
 * A chat request inside the service. Beyond the contract's fields, an assistant's message may carry the reasoning that
 * came with it (inference.md, Zero data retention 3), for a model that takes it back.
 */
export interface ProviderRequest extends ChatRequest {
	messages: (ChatMessage & { reasoning?: string })[];
}

/** What a chunk adds to a message. Every field may be missing. */
export interface ReplyDelta {
	role?: string | null | undefined;
	content?: string | null | undefined;
	/** contract: not shown. Both names are in use (unspecified.md, "chunk objects"). */
	reasoning?: string | null | undefined;
	reasoning_content?: string | null | undefined;
	/** Fragments, put together by their `index`. */
	tool_calls?: ReceivedToolCall[] | undefined;
	annotations?: Annotation[] | undefined;
}

export interface ReplyChoice {
	index: number;
	delta: ReplyDelta;
	finish_reason: string | null;
	/** In the provider's own words, where these differ from `finish_reason`. */
	provider_specific_fields?: { native_finish_reason?: string | undefined } | undefined;
	/** As the provider gives them where `top_logprobs` asked for them; no part of the contract. */
	logprobs?: unknown;
}

/** A chunk of a reply as it goes over the wire, without the head (id, created, object, model, provider), which the service writes. */
export interface ReplyChunk {
	/** Empty in the one that carries the usage alone. */
	choices: readonly ReplyChoice[];
	usage?: Usage | undefined;
	/** The resolved name, where it differs from the offer's id: `name:digest`. */
	model?: string | undefined;
}

/** US dollars for a million tokens. */
export interface Prices {
	input: number;
	output: number;
}

/** What a provider does with data, as far as somebody vouches for it. What is missing counts as the worst (Zero data retention, rule 5). */
export interface DataPolicy {
	zeroDataRetention?: boolean | undefined;
	storesData?: boolean | undefined;
}

/** A field of a chat request that steers the generation: what `require_parameters` is about. */
export type Parameter = Exclude<keyof ChatRequest, 'model' | 'messages' | 'models' | 'provider' | 'stream'>;

/** What a request carries beside its parameters. */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['model', 'messages', 'models', 'provider', 'stream']);

export function isParameter(name: string): name is Parameter {
	return !NO_PARAMETERS.has(name);
}

/** What one provider offers of one model. */
export interface ModelOffer {
	/** As it stands in `model` of a request; the same id at two providers is the same model. */
	id: string;
	label?: string | undefined;
	kinds: readonly ('chat' | 'image' | 'search')[];
	/** Tokens. */
	contextLength?: number | undefined;
	maxOutputTokens?: number | undefined;
	/** False: closed, so that the service's own slug does not serve it (Dedicated deployments). */
	openWeights?: boolean | undefined;
	prices?: Prices | undefined;
	quantization?: string | undefined;
	dataPolicy?: DataPolicy | undefined;
	/** What it honours. Undefined: everything. */
	parameters?: ReadonlySet<Parameter> | undefined;
	/** Made for writing code: the responses endpoint demands more of a request for it, and it always runs under ZDR. */
	codeOriented?: boolean | undefined;
	/** Takes images in messages. Undefined: not known; where another is known to, a request that has some goes there. */
	images?: boolean | undefined;
	/** Takes `reasoning` of an assistant's message back; to any other it is not sent. */
	takesReasoning?: boolean | undefined;
}

export interface Provider {
	/** What `order`, `only` and `ignore` name. */
	readonly slug: string;
	readonly label?: string | undefined;
	/** Runs on this machine: the service's own slug means it too (Dedicated deployments). */
	readonly isDedicated: boolean;
	/** Words before a model's name that stand for it on the enterprise host. */
	readonly prefixes: readonly string[];
	offers(): readonly ModelOffer[];
	/**
	 * `request.model` is the offer's id. The first chunk is the first byte: until it came another provider can still be
	 * tried. Leaving the loop ends the reply. Throws a ProviderFailure, or the signal's reason when that aborts.
	 */
	chat(request: ProviderRequest, signal: AbortSignal): ReplyChunks;
}

/** The chunks of a reply, to be read once. */
export interface ReplyChunks {
	[Symbol.asyncIterator](): ReplyChunkIterator;
}

export interface ReplyChunkIterator extends AsyncIterator<ReplyChunk, undefined> {
	/** What came together with the chunk that was read last, taken out of what is to be read; without it, nothing did. */
	takeArrived?(): ReplyChunk[];
}

export type ProviderFailureCode =
	/** The provider answered with an error, or with what is no reply. */
	| 'upstream_error'
	| 'rate_limited'
	/** No connection, or it says itself that it cannot serve now. */
	| 'unavailable'
	| 'timeout'
	/** Its key is missing or refused. */
	| 'unauthorized'
	| 'model_not_found'
	/** The request itself is at fault in the provider's eyes; another one would not change that. */
	| 'invalid_request'
	/** The connection ends without a word, as when a service breaks down. */
	| 'cut';

/** A provider that fails: told to the client in the stream, or as the status of a reply that has not begun. */
export class ProviderFailure extends Error {
	override readonly name = 'ProviderFailure';
	readonly code: ProviderFailureCode;
	/** Milliseconds after which the provider wants to be asked again. */
	readonly retryAfterMs: number | undefined;

	/** The message is for the user, in a whole sentence. */
	constructor(
		code: ProviderFailureCode,
		message: string,
		options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
	) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.retryAfterMs = options.retryAfterMs;
	}

	/** Whether another provider may do better with the same request. */
	get isProvidersOwn(): boolean {
		return this.code !== 'invalid_request';
	}
}
