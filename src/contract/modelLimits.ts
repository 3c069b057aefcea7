// The limits of a model, and the share of a request.

/**
 * The largest share of the context that is reserved for the reply, and the number of tokens to reserve if the
 * connection does not state a maximum.
 */
const REPLY_SHARE = 0.25;
const REPLY_TOKENS = 4_096;

/** The limits of a model, in tokens. */
export interface ModelLimits {
	/** The limit for request and reply together. */
	readonly contextLength?: number;
	readonly maxOutputTokens?: number;
}

/** Returns the tokens that a request may have so that the reply still fits; undefined if the limit is unknown. */
export function requestBudget({ contextLength, maxOutputTokens }: ModelLimits): number | undefined {
	if (contextLength === undefined) {
		return undefined;
	}
	return contextLength - Math.min(maxOutputTokens ?? REPLY_TOKENS, Math.floor(contextLength * REPLY_SHARE));
}
