import type { MonthlyUse } from '../contract/agents.ts';
import type { ConnectionName, ModelPart } from './model/monthlyCosts.ts';

/** The use by the chat, and how many of its conversations could not be read. */
export interface ChatUse {
	/** The connection is undefined where a reply does not say it. */
	used: { connection: string | undefined; months: { month: string; parts: Omit<ModelPart, 'kind'>[] }[] }[];
	unreadable: number;
}

/** The parts that the root provides to this feature. */
export interface CostsDependencies {
	/** Returns the connections of the settings, the local one first. */
	connections(): Promise<ConnectionName[]>;
	/** Returns what the tasks of the local service have used. Starts the service if needed. */
	taskUse(): Promise<MonthlyUse>;
	/** Returns what the replies have used that the conversations on this machine hold. */
	chatUse(): Promise<ChatUse>;
}
