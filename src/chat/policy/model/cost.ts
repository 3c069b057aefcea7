// What a reply cost, as far as the connection tells prices.
import type { Connection } from '../../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../../contract/localConnection.ts';
import { findModel } from '../../../contract/modelIdentifier.ts';
import { searchCost, searchModelOf } from '../../../contract/search.ts';
import type { ReplyUsage } from '../../model/conversation.ts';
import { hostsModel } from './preview.ts';
import { type Prices, readPrices } from './prices.ts';

/** US dollars. `atLeast`: something that is paid for as well is not known. */
export interface Cost {
	readonly usd: number;
	readonly atLeast?: true;
}

const PER_TOKEN = 1 / 1_000_000;

/** Undefined where no price, or no number of tokens, is known. */
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
	const { input, output, cachedInput } = found.prices;
	// What is read from a cache costs less, nobody says how much: it is left out of what was paid at least.
	const cached = Math.min(usage.cached ?? 0, usage.prompt);
	const usd = ((usage.prompt - cached) * input + cached * (cachedInput ?? 0) + usage.completion * output) * PER_TOKEN;
	const isWhole = found.isExact && (cached === 0 || cachedInput !== undefined);
	return isWhole ? { usd } : { usd, atLeast: true };
}

/** Of several, where each is known; otherwise what the known ones come to at least. Undefined where none is. */
export function totalCost(costs: readonly (Cost | undefined)[]): Cost | undefined {
	const known = costs.filter(cost => cost !== undefined);
	if (known.length === 0) {
		return undefined;
	}
	const usd = known.reduce((sum, cost) => sum + cost.usd, 0);
	return known.length === costs.length && known.every(({ atLeast }) => !atLeast) ? { usd } : { usd, atLeast: true };
}

/** The provider's own before the model's: of a model that several host the connection tells the lowest. */
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
