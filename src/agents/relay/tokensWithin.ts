/** What a model takes, in tokens, as far as that is known. */
export interface ModelLimits {
	contextLength?: number | undefined;
	maxOutputTokens?: number | undefined;
}

/** Returns how many tokens to ask for where an agent wants `wanted`: it would be refused where the model takes fewer. */
export function tokensWithin({ contextLength, maxOutputTokens }: ModelLimits, wanted: number): number {
	const limits = [wanted, maxOutputTokens, contextLength === undefined ? undefined : contextLength - 1];
	return Math.max(1, Math.min(...limits.filter(limit => limit !== undefined)));
}
