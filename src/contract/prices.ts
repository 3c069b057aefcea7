// The prices of tokens, as a connection states them.
import { defined } from '../base/defined.ts';

/** Prices in US dollars per million tokens. At least `input` or `output` is known. */
export interface Prices {
	input?: number;
	output?: number;
	cachedInput?: number;
}

/**
 * Reads prices as stated by `errand.connections` and the local service. Returns undefined if neither `input` nor
 * `output` is a price.
 */
export function readPrices(prices: Record<string, number> | undefined): Prices | undefined {
	const { input, output, cachedInput } = prices ?? {};
	const known = defined({
		input: isPrice(input) ? input : undefined,
		output: isPrice(output) ? output : undefined,
		cachedInput: isPrice(cachedInput) ? cachedInput : undefined,
	});
	return 'input' in known || 'output' in known ? known : undefined;
}

const isPrice = (value: number | undefined): value is number => value !== undefined && value >= 0;
