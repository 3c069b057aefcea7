// This module adds up what the replies of all conversations have used, month by month.
import { addCosts, type KnownCost } from '../../base/knownCost.ts';
import { monthOf } from '../../base/month.ts';
import type { Conversation, Reply } from '../model/conversation.ts';
import { knownCost } from '../model/cost.ts';
import { costOf, servedModel, usagesOf } from '../model/replyFacts.ts';
import type { ConversationStore } from '../storage/conversationStore.ts';

/** The use of one model of one provider by replies. */
export interface ModelReplies {
	model: string;
	provider: string | undefined;
	count: number;
	inputTokens: number;
	outputTokens: number;
	cost: KnownCost;
}

export interface ChatUse {
	/** The connection is undefined where a reply does not say it. */
	used: { connection: string | undefined; months: { month: string; parts: ModelReplies[] }[] }[];
	/** The number of conversations that could not be read. */
	unreadable: number;
}

/** Rejects with the system's error where the folder of the conversations cannot be listed. */
export async function readChatUse(store: Pick<ConversationStore, 'list' | 'open'>): Promise<ChatUse> {
	const { conversations, unreadable } = await store.list();
	const sums = new ReplySums();
	let missing = unreadable;
	// One after another, as each is read as a whole.
	for (const { id } of conversations) {
		const opened = await store.open(id);
		if (opened.kind === 'opened') {
			sums.add(opened.conversation);
		} else if (opened.kind !== 'missing') {
			missing++;
		}
	}
	return { used: sums.used(), unreadable: missing };
}

/** Adds up replies by connection, month, model and provider. */
export class ReplySums {
	private readonly connections = new Map<string | undefined, Map<string, Map<string, ModelReplies>>>();

	/** Adds all replies, also those that are no longer shown, because they were paid for. */
	add({ turns, encryption }: Pick<Conversation, 'turns' | 'encryption'>): void {
		for (const reply of turns.flatMap(turn => turn.replies)) {
			if (reply.usage !== undefined || reply.text !== '') {
				this.addReply(reply, reply.connection ?? encryption?.connection);
			}
		}
	}

	used(): ChatUse['used'] {
		return Array.from(this.connections, ([connection, months]) => ({
			connection,
			months: Array.from(months, ([month, parts]) => ({ month, parts: [...parts.values()] })),
		}));
	}

	private addReply(reply: Reply, connection: string | undefined): void {
		const months = entryOf(this.connections, connection, () => new Map<string, Map<string, ModelReplies>>());
		const parts = entryOf(months, monthOf(reply.startedAt), () => new Map<string, ModelReplies>());
		const model = servedModel(reply).model ?? reply.asked?.model ?? '';
		const { provider } = reply;
		const cost = knownCost(costOf(reply));
		// Replies without a price are counted separately, as among the tasks.
		const key = JSON.stringify([model, provider, cost.known]);
		const before = parts.get(key);
		const usages = usagesOf(reply);
		parts.set(key, {
			model,
			provider,
			count: (before?.count ?? 0) + 1,
			inputTokens: (before?.inputTokens ?? 0) + usages.reduce((sum, usage) => sum + (usage?.prompt ?? 0), 0),
			outputTokens: (before?.outputTokens ?? 0) + usages.reduce((sum, usage) => sum + (usage?.completion ?? 0), 0),
			cost: addCosts(before ? [before.cost, cost] : [cost]) ?? cost,
		});
	}
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
	const value = map.get(key) ?? make();
	map.set(key, value);
	return value;
}
