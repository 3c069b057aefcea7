// What the chat page is told of an encrypted conversation. Plain types: the page has no zod.

export interface EncryptionView {
	/** What may be said of it, without a full stop. */
	label: string;
	/** More of it; each without a full stop. */
	details: string[];
	/** It is being opened. */
	isConnecting: boolean;
	/** It does not go on, or could not be opened. */
	isRefused: boolean;
	/** Nothing of it is written. The page keeps nothing of it either. */
	isKept: boolean;
	/** What stands in the place of its turns while there are none, in sentences. */
	emptyText: string;
	/** In a snapshot: what was typed in it and not sent, when it was shown last. */
	draft?: string;
}
