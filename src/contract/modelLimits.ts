// How much a model takes, and how much of that is for the request.

/**
 * The largest share of the context that is reserved for the reply, and the number of tokens to reserve where the
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

/**
 * Returns how many tokens a request may have so that the reply still fits, or undefined where the limit is not known.
 */
export function requestBudget({ contextLength, maxOutputTokens }: ModelLimits): number | undefined {
	if (contextLength === undefined) {
		return undefined;
	}
	return contextLength - Math.min(maxOutputTokens ?? REPLY_TOKENS, Math.floor(contextLength * REPLY_SHARE));
}
