// What the chat page shows of an encrypted conversation. Plain types, because the page has no zod.

export interface EncryptionView {
	/** What can be said about the channel, without a full stop. */
	label: string;
	/** Further details, each without a full stop. */
	details: string[];
	/** Whether the channel is being opened. */
	isConnecting: boolean;
	/** Whether the conversation has ended, or its channel could not be opened. */
	isRefused: boolean;
	/** Whether the conversation is not kept. The page then stores nothing of it either. */
	isKept: boolean;
	/** The sentences that are shown while there are no turns. */
	emptyText: string;
	/** The draft of the conversation when it was last shown. Only snapshots have it. */
	draft?: string;
}
