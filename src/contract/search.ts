// Web search: its model and its documented prices (contract: inference.md, Web search and Limits).
import type { Usage } from './chatReply.ts';
import type { Connection } from './connection.ts';
import type { ConnectionModel } from './modelIdentifier.ts';

export function searchModelOf({ service }: Pick<Connection, 'service'>): string {
	return `${service}-search`;
}

/** Returns the model for web searches of the local service, other than the demo's, if it offers one. */
export function ownSearchModel(
	described: Pick<Connection, 'service'> & { models: readonly Pick<ConnectionModel, 'id' | 'kinds'>[] },
): string | undefined {
	const demo = searchModelOf(described);
	return described.models.find(({ id, kinds }) => kinds.includes('search') && id !== demo)?.id;
}

/** Prices in US dollars. */
const SEARCH_PRICES = { inputToken: 0.0002 / 1000, outputToken: 0.0005 / 1000, query: 0.03 };

/**
 * Returns the cost of an answer of the search model, in US dollars. The number of queries is not in the reply and is
 * taken as one, so this is a lower bound, to be shown as "at least". Missing token counts are taken as zero.
 */
export function searchCost(usage: Partial<Pick<Usage, 'prompt_tokens' | 'completion_tokens'>> | undefined): {
	usd: number;
	atLeast: true;
} {
	const { prompt_tokens = 0, completion_tokens = 0 } = usage ?? {};
	const tokens = prompt_tokens * SEARCH_PRICES.inputToken + completion_tokens * SEARCH_PRICES.outputToken;
	return { usd: SEARCH_PRICES.query + Math.max(0, tokens), atLeast: true };
}
