/** US dollars for a million tokens. At least one side is known. */
export interface Prices {
	input?: number;
	output?: number;
	cachedInput?: number;
}

/** As `errand.connections` and the local service have them; undefined where neither side is a price. */
export function readPrices(prices: Record<string, number> | undefined): Prices | undefined {
	const { input, output, cachedInput } = prices ?? {};
	const known = {
		...(isPrice(input) ? { input } : {}),
		...(isPrice(output) ? { output } : {}),
		...(isPrice(cachedInput) ? { cachedInput } : {}),
	};
	return 'input' in known || 'output' in known ? known : undefined;
}

const isPrice = (value: number | undefined): value is number => value !== undefined && value >= 0;
