/** US dollars for a million tokens. */
export interface Prices {
	input: number;
	output: number;
	cachedInput?: number;
}

/** As `errand.connections` and the local service have them; undefined where one of the two is missing. */
export function readPrices(prices: Record<string, number> | undefined): Prices | undefined {
	const { input, output, cachedInput } = prices ?? {};
	return input === undefined || output === undefined
		? undefined
		: { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) };
}
