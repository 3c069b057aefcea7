// The cost of a reply, as far as the connection states prices.
import type { KnownCost } from '../../base/knownCost.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { findModel } from '../../contract/modelIdentifier.ts';
import { type Prices, readPrices } from '../../contract/prices.ts';
import { searchCost, searchModelOf } from '../../contract/search.ts';
import type { Reply } from './conversation.ts';
import { hostsModel } from './preview.ts';

export type ReplyUsage = NonNullable<Reply['usage']>;
export type Cost = NonNullable<Reply['cost']>;

const PER_TOKEN = 1 / 1_000_000;

/** Returns undefined if no price or no number of tokens is known. */
export function replyCost(
	connection: Connection,
	{ model, provider, usage }: { model: string; provider: string | undefined; usage: ReplyUsage | undefined },
): Cost | undefined {
	if (model === searchModelOf(connection) && connection.name !== LOCAL_CONNECTION_NAME) {
		return searchCost({ prompt_tokens: usage?.prompt, completion_tokens: usage?.completion });
	}
	const found = pricesOf(connection, model, provider);
	if (found === undefined || usage?.prompt === undefined || usage.completion === undefined) {
		return undefined;
	}
	const { cachedInput } = found.prices;
	// Tokens read from a cache cost less, but if that price is unknown they are left out, so that the sum is a lower
	// bound.
	const cached = Math.min(usage.cached ?? 0, usage.prompt);
	const parts = [
		{ tokens: usage.prompt - cached, price: found.prices.input },
		{ tokens: cached, price: cachedInput },
		{ tokens: usage.completion, price: found.prices.output },
	];
	const usd = parts.reduce((sum, { tokens, price = 0 }) => sum + tokens * price, 0) * PER_TOKEN;
	const isWhole = found.isExact && parts.every(({ tokens, price }) => tokens === 0 || price !== undefined);
	if (isWhole) {
		return { usd };
	}
	// A lower bound of zero says nothing.
	return usd > 0 ? { usd, atLeast: true } : undefined;
}

/** Converts a cost to the form in which the costs of tasks and chat are added up. */
export function knownCost(cost: Cost | undefined): KnownCost {
	if (cost === undefined) {
		return { known: 'nothing' };
	}
	return cost.atLeast
		? { known: 'part', dollars: cost.usd }
		: { known: 'whole', dollars: cost.usd, isEstimated: false };
}

/** Adds up the costs. If some are unknown, the sum is a lower bound. Returns undefined if none is known. */
export function totalCost(costs: readonly (Cost | undefined)[]): Cost | undefined {
	const known = costs.filter(cost => cost !== undefined);
	if (known.length === 0) {
		return undefined;
	}
	const usd = known.reduce((sum, cost) => sum + cost.usd, 0);
	return known.length === costs.length && known.every(({ atLeast }) => !atLeast) ? { usd } : { usd, atLeast: true };
}

/**
 * Returns the provider's own prices before the model's, because for a model with several hosts the connection states
 * the lowest price.
 */
function pricesOf(
	connection: Connection,
	model: string,
	provider: string | undefined,
): { prices: Prices; isExact: boolean } | undefined {
	const own = readPrices(connection.providers.find(({ slug }) => slug === provider)?.prices);
	if (own) {
		return { prices: own, isExact: true };
	}
	const prices = readPrices(findModel(connection, model)?.prices);
	const hosts = connection.providers.filter(candidate => hostsModel(connection, candidate, model) !== false);
	return prices && { prices, isExact: hosts.length <= 1 };
}
