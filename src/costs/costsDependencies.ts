import type { UsedByReplies } from '../base/replySums.ts';
import type { MonthlyUse } from '../contract/agents.ts';
import type { ConnectionName } from './model/monthlyCosts.ts';

/** What replies have used, and how many of their records could not be read: conversations of the chat, or single replies. */
export interface ReplyUse {
	/** The connection is undefined where a reply does not say it. */
	used: UsedByReplies<string | undefined>;
	unreadable: number;
}

/** The parts that the root provides to this feature. */
export interface CostsDependencies {
	connections: {
		/** Returns the connections of the settings, the local one first. */
		all(): Promise<ConnectionName[]>;
	};
	localService: {
		/** Returns what the tasks of the local service have used. Starts the service if needed. */
		monthlyUse(): Promise<MonthlyUse>;
	};
	chat: {
		/** Returns what the replies have used that the conversations on this machine hold. */
		use(): Promise<ReplyUse>;
	};
	languageModels: {
		/** Returns what replies to the editor's chat and to other extensions have used. */
		use(): Promise<ReplyUse>;
	};
}
