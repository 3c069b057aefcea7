// This module computes, from a service's report, how much agents have used models.
import { addCosts, type KnownCost } from '../../base/knownCost.ts';
import { costOfUse, isUsed, type ModelUse } from '../../contract/agents.ts';

/** The use that a service reports for a task, or for one of its agents. */
export interface Usage {
	inputTokens?: number | undefined;
	outputTokens?: number | undefined;
	/** The cost in US dollars. Absent if a part has no known price. */
	cost?: number | undefined;
	models?: readonly ModelUse[] | undefined;
	/** The limit of the last run and the amount spent. */
	budget?: { limit: number; spent: number; atLeast?: boolean | undefined } | undefined;
}

/** Returns undefined if nothing was used, so that there is no cost to show. */
export function costOf({ inputTokens = 0, outputTokens = 0, cost, models = [] }: Usage): KnownCost | undefined {
	const used = inputTokens + outputTokens > 0;
	if (cost !== undefined) {
		const isEstimated = models.some(({ estimatedCalls = 0 }) => estimatedCalls > 0);
		return used || cost > 0 ? { known: 'whole', dollars: cost, isEstimated } : undefined;
	}
	return addCosts(models.filter(isUsed).map(costOfUse)) ?? (used ? { known: 'nothing' } : undefined);
}

/** Returns the models that have answered, in the order of their first use, each with its providers. */
export function servedBy(models: readonly ModelUse[]): { model: string; providers: string[] }[] {
	const served = new Map<string, Set<string>>();
	for (const { model, provider } of models.filter(isUsed)) {
		const providers = served.get(model) ?? new Set();
		served.set(model, provider === undefined ? providers : providers.add(provider));
	}
	return Array.from(served, ([model, providers]) => ({ model, providers: [...providers] }));
}

/** Returns the used part of the limit, in per cent; 100 for a limit of zero. */
export function percentOf({ limit, spent }: NonNullable<Usage['budget']>): number {
	return limit > 0 ? Math.round((spent / limit) * 100) : 100;
}
