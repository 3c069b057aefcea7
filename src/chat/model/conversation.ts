// The conversation as the host owns it. Values are never changed in place: a change makes a new value.
import type { Explanation } from '../../platform/notify.ts';

/** Tokens, as the service counted them. */
export interface ReplyUsage {
	prompt?: number;
	cached?: number;
	completion?: number;
}

/** `cutOff`: the stream or the window ended before the reply did. */
export type ReplyState = 'streaming' | 'done' | 'stopped' | 'cutOff' | 'failed';

/** One answer of a model. Times are milliseconds since the epoch. */
export interface Reply {
	readonly state: ReplyState;
	readonly startedAt: number;
	readonly endedAt?: number;
	readonly text: string;
	readonly reasoning?: string;
	/** The model that answered, or was asked while nothing came back yet. */
	readonly model?: string;
	/** The provider that served the reply, as the service named it. */
	readonly provider?: string;
	readonly usage?: ReplyUsage;
	/** Why the reply ended as it did, where the state alone does not say it. */
	readonly explanation?: Explanation;
}

/** One user message and all that answers it. The last reply is the current one; earlier ones are kept, never shown away. */
export interface Turn {
	readonly id: string;
	readonly askedAt: number;
	readonly question: string;
	readonly replies: readonly [Reply, ...Reply[]];
}

/** Where a conversation belongs, so that it is found again. Folders are URIs. */
export interface WorkspaceTag {
	readonly name?: string;
	readonly folders: readonly string[];
	/** The fetch URL of `origin`, without credentials. */
	readonly remote?: string;
}

export interface Conversation {
	readonly id: string;
	readonly createdAt: number;
	readonly workspace: WorkspaceTag;
	/** The conversation that this one went on from when another window wrote to the same file. */
	readonly branchedFrom?: string;
	readonly turns: readonly Turn[];
}

export function newConversation(id: string, createdAt: number, workspace: WorkspaceTag): Conversation {
	return { id, createdAt, workspace, turns: [] };
}

export function addTurn(conversation: Conversation, turn: Turn): Conversation {
	return { ...conversation, turns: [...conversation.turns, turn] };
}

export function addReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => ({ ...turn, replies: [...turn.replies, reply] }));
}

/** Puts `reply` in the place of the turn's current reply. */
export function replaceReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => withCurrentReply(turn, reply));
}

export function findTurn(conversation: Conversation, turnId: string): Turn | undefined {
	return conversation.turns.find(turn => turn.id === turnId);
}

/**
 * The reply a reader sees: the current one, or, while it has no text, the newest earlier one that has.
 * So a retry that fails at once takes nothing away.
 */
export function shownReply(turn: Turn): Reply {
	return turn.replies.findLast(reply => reply.text !== '') ?? currentReply(turn);
}

export function currentReply(turn: Turn): Reply {
	return turn.replies.at(-1) ?? turn.replies[0];
}

/** A reply that streams in a conversation just read from disk lost its window: nothing will ever finish it. */
export function markCutOff(conversation: Conversation): Conversation {
	const turns = conversation.turns.map(turn => {
		const reply = currentReply(turn);
		return reply.state === 'streaming' ? withCurrentReply(turn, { ...reply, state: 'cutOff' }) : turn;
	});
	return { ...conversation, turns };
}

function changeTurn(conversation: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
	// From the end: while a reply streams, this is called for each word of the last turn.
	const index = conversation.turns.findLastIndex(turn => turn.id === turnId);
	const turn = conversation.turns[index];
	return turn ? { ...conversation, turns: conversation.turns.with(index, change(turn)) } : conversation;
}

function withCurrentReply(turn: Turn, reply: Reply): Turn {
	const [first, ...others] = turn.replies;
	return { ...turn, replies: others.length === 0 ? [reply] : [first, ...others.slice(0, -1), reply] };
}
