/** US dollars for a million tokens. */
export interface Prices {
	input: number;
	output: number;
	cachedInput?: number;
}

/** As `errand.connections` and the local service have them; undefined where one of the two is missing or none. */
export function readPrices(prices: Record<string, number> | undefined): Prices | undefined {
	const { input, output, cachedInput } = prices ?? {};
	return isPrice(input) && isPrice(output)
		? { input, output, ...(isPrice(cachedInput) ? { cachedInput } : {}) }
		: undefined;
}

const isPrice = (value: number | undefined): value is number => value !== undefined && value >= 0;
