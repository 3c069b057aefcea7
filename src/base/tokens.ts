/** UTF-16 code units for each token of code or English, a cautious estimate of what tokenizers produce. */
const UNITS_PER_TOKEN = 3.5;

/**
 * Estimates how many tokens a model counts. Characters outside the Latin script count as one token for each code unit.
 */
export function estimateTokens(text: string): number {
	let others = 0;
	for (let index = 0; index < text.length; index++) {
		if (text.charCodeAt(index) > 0x24f) {
			others++;
		}
	}
	return Math.ceil((text.length - others) / UNITS_PER_TOKEN) + others;
}
