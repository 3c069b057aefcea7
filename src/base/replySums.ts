import { addCosts, type KnownCost } from './knownCost.ts';

/** The use of one model of one provider, summed over replies. */
export interface ModelReplies {
	model: string;
	provider: string | undefined;
	count: number;
	inputTokens: number;
	outputTokens: number;
	cost: KnownCost;
}

/** The use by replies of one kind on this machine. */
export interface ReplyUse {
	/** By connection (undefined if a reply does not name it) and by month in the form `2026-11`. */
	used: { connection: string | undefined; months: { month: string; parts: ModelReplies[] }[] }[];
	/** The number of records that could not be read: conversations of the chat, or single replies. */
	unreadable: number;
}

/** Returns the calendar month of a time in the time zone of this machine, in the form `2026-11`. */
export function monthOf(time: number): string {
	const date = new Date(time);
	return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

/** Adds up the use of replies by connection, month, model and provider. */
export class ReplySums {
	private readonly connections = new Map<string | undefined, Map<string, Map<string, ModelReplies>>>();

	add(connection: string | undefined, month: string, reply: Omit<ModelReplies, 'count'>): void {
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

	used(): ReplyUse['used'] {
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
