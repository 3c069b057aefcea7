/** The limits of a model in tokens, as far as they are known. */
export interface ModelLimits {
	contextLength?: number | undefined;
	maxOutputTokens?: number | undefined;
}

/** Returns the number of tokens to request if an agent wants `wanted`: a model with lower limits would refuse that. */
export function tokensWithin({ contextLength, maxOutputTokens }: ModelLimits, wanted: number): number {
	const limits = [wanted, maxOutputTokens, contextLength === undefined ? undefined : contextLength - 1];
	return Math.max(1, Math.min(...limits.filter(limit => limit !== undefined)));
}
