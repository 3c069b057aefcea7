/** A cost in US dollars. With `part`, some charges are unknown, so the sum is a lower bound. */
export type KnownCost =
	| { known: 'whole'; dollars: number; isEstimated: boolean }
	| { known: 'part'; dollars: number }
	| { known: 'nothing' };

/** Adds up costs. Returns undefined for an empty list. */
export function addCosts(costs: readonly KnownCost[]): KnownCost | undefined {
	if (costs.length === 0) {
		return undefined;
	}
	const dollars = costs.reduce((sum, cost) => sum + (cost.known === 'nothing' ? 0 : cost.dollars), 0);
	if (costs.every(({ known }) => known === 'whole')) {
		return { known: 'whole', dollars, isEstimated: costs.some(cost => cost.known === 'whole' && cost.isEstimated) };
	}
	// A lower bound of zero says nothing.
	return dollars > 0 ? { known: 'part', dollars } : { known: 'nothing' };
}
