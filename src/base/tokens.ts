/** UTF-16 code units for each token of code or English, a cautious estimate of what tokenizers produce. */
export const UNITS_PER_TOKEN = 3.5;

/** Estimates the number of tokens for a model. Each code unit outside the Latin script counts as one token. */
export function estimateTokens(text: string): number {
	let others = 0;
	for (let index = 0; index < text.length; index++) {
		if (text.charCodeAt(index) > 0x24f) {
			others++;
		}
	}
	return Math.ceil((text.length - others) / UNITS_PER_TOKEN) + others;
}

/** Pixels per token, and the maximum number of tokens for one image: models scale larger images down first. */
const PIXELS_PER_TOKEN = 750;
const MAXIMUM_IMAGE_TOKENS = 1_600;

/** Estimates the number of tokens of an image for a model. Its size is in pixels. */
export function imageTokens({ width, height }: { width: number; height: number }): number {
	return Math.min(MAXIMUM_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}
