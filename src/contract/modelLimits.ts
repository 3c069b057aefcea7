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
	readonly contextLength?: number | undefined;
	readonly maxOutputTokens?: number | undefined;
}

/** Returns the tokens that a request may have so that the reply still fits; undefined if the limit is unknown. */
export function requestBudget({ contextLength, maxOutputTokens }: ModelLimits): number | undefined {
	if (contextLength === undefined) {
		return undefined;
	}
	return contextLength - Math.min(maxOutputTokens ?? REPLY_TOKENS, Math.floor(contextLength * REPLY_SHARE));
}

/** Returns the number of tokens to request if somebody wants `wanted`: a model with lower limits would refuse that. */
export function tokensWithin({ contextLength, maxOutputTokens }: ModelLimits, wanted: number): number {
	const limits = [wanted, maxOutputTokens, contextLength === undefined ? undefined : contextLength - 1];
	return Math.max(1, Math.min(...limits.filter(limit => limit !== undefined)));
}
