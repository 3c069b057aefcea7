// Adds up the use of the replies of all conversations, month by month.
import { monthOf, ReplySums, type ReplyUse } from '../../base/replySums.ts';
import { allReplies, type Conversation } from '../model/conversation.ts';
import { knownCost } from '../model/cost.ts';
import { costOf, servedModel, usagesOf } from '../model/replyFacts.ts';
import type { ConversationStore } from '../storage/conversationStore.ts';

/** Rejects with the system's error if the folder of the conversations cannot be listed. */
export async function readChatUse(store: Pick<ConversationStore, 'list' | 'open'>): Promise<ReplyUse> {
	const { conversations, unreadable, newer } = await store.list();
	const sums = new ReplySums();
	let missing = unreadable + newer;
	// They are read one after another, because each is read as a whole.
	for (const { id } of conversations) {
		const opened = await store.open(id);
		if (opened.kind === 'opened') {
			addReplies(sums, opened.conversation);
		} else if (opened.kind !== 'missing') {
			missing++;
		}
	}
	return { used: sums.used(), unreadable: missing };
}

function addReplies(sums: ReplySums, conversation: Conversation): void {
	const { encryption } = conversation;
	for (const reply of allReplies(conversation)) {
		if (reply.usage !== undefined || reply.text !== '') {
			const usages = usagesOf(reply);
			sums.add(reply.connection ?? encryption?.connection, monthOf(reply.startedAt), {
				model: servedModel(reply).model ?? reply.asked?.model ?? '',
				provider: reply.provider,
				inputTokens: usages.reduce((sum, usage) => sum + (usage?.prompt ?? 0), 0),
				outputTokens: usages.reduce((sum, usage) => sum + (usage?.completion ?? 0), 0),
				cost: knownCost(costOf(reply)),
			});
		}
	}
}
