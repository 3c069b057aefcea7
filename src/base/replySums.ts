import { addCosts, type KnownCost } from './knownCost.ts';

/** The use of one model of one provider by replies. */
export interface ModelReplies {
	model: string;
	provider: string | undefined;
	count: number;
	inputTokens: number;
	outputTokens: number;
	cost: KnownCost;
}

/** The use of models by replies, by connection and by month in the form `2026-11`. */
export type UsedByReplies<Connection> = {
	connection: Connection;
	months: { month: string; parts: ModelReplies[] }[];
}[];

/** Adds up what replies have used, by connection, month, model and provider. */
export class ReplySums<Connection> {
	private readonly connections = new Map<Connection, Map<string, Map<string, ModelReplies>>>();

	add(connection: Connection, month: string, reply: Omit<ModelReplies, 'count'>): void {
		const { model, provider, cost } = reply;
		const months = entryOf(this.connections, connection);
		const parts = entryOf(months, month);
		// Replies without a price are counted separately, as among the tasks.
		const key = JSON.stringify([model, provider, cost.known]);
		const before = parts.get(key);
		parts.set(key, {
			model,
			provider,
			count: (before?.count ?? 0) + 1,
			inputTokens: (before?.inputTokens ?? 0) + reply.inputTokens,
			outputTokens: (before?.outputTokens ?? 0) + reply.outputTokens,
			cost: addCosts(before ? [before.cost, cost] : [cost]) ?? cost,
		});
	}

	used(): UsedByReplies<Connection> {
		return Array.from(this.connections, ([connection, months]) => ({
			connection,
			months: Array.from(months, ([month, parts]) => ({ month, parts: [...parts.values()] })),
		}));
	}
}

function entryOf<K, Key, Value>(map: Map<K, Map<Key, Value>>, key: K): Map<Key, Value> {
	const entry = map.get(key) ?? new Map<Key, Value>();
	map.set(key, entry);
	return entry;
}
