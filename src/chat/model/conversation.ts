// The conversation as the host owns it. Values are immutable: a change makes a new value.
import type * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Immutable } from '../../base/immutable.ts';
import type { TokenProbability } from '../../client/types.ts';
import type { ReasoningItem } from '../../contract/responses.ts';
import { type AgentWork, endedWork } from './agentWork.ts';
import type { replySchema, turnSchema, workspaceSchema } from './conversationSchema.ts';
import type { Encryption } from './encryption.ts';
import type { TurnMode } from './mode.ts';
import type { ConversationSettings, ReplySettings } from './settings.ts';

/** One reply of a model. */
export interface Reply
	extends Immutable<Omit<z.output<typeof replySchema>, 'reasoningItems' | 'asked' | 'logprobs' | 'work'>> {
	readonly reasoningItems?: readonly ReasoningItem[];
	readonly asked?: ReplySettings;
	readonly logprobs?: readonly TokenProbability[];
	readonly work?: AgentWork;
}

export type FinishProblem = NonNullable<Reply['problem']>;

/**
 * One user message and all replies to it. The last reply is the current one; earlier ones are kept. Turns that follow
 * the same turn are versions of one message, which the user edited and sent again.
 */
export interface Turn extends Immutable<Omit<z.output<typeof turnSchema>, 'replies'>> {
	readonly replies: readonly [Reply, ...Reply[]];
}

/** A step of an agent's turn, with whose files the agent of another turn begins. */
export type TurnStart = NonNullable<Turn['from']>;

/** The context that is sent with a message. */
export type TurnContext = Pick<Turn, 'attachments' | 'instructions' | 'from'>;

export type WorkspaceTag = Immutable<z.output<typeof workspaceSchema>>;

export interface Conversation {
	readonly id: string;
	readonly createdAt: number;
	readonly workspace: WorkspaceTag;
	/** The title that the user gave. Without it, the model's title is used, or else the first message. */
	readonly title?: string;
	/**
	 * The reply to the one request for a title. Its text is the title, or empty. It is streaming while the request runs.
	 */
	readonly titleReply?: Reply;
	/** The mode of messages that do not name one themselves; absent for chat. */
	readonly mode?: Exclude<TurnMode, 'chat'>;
	/** The conversation that this one branched off from when another window wrote to the same file. */
	readonly branchedFrom?: string;
	/** Absent if the conversation is not encrypted. It is set at the start or never, and is never removed. */
	readonly encryption?: Encryption;
	/** The conversation's own choices of model, routing and parameters. */
	readonly settings?: ConversationSettings;
	/**
	 * The last turn that is shown; absent while there is none. A reader sees the path from the first turn to this one.
	 */
	readonly head?: string;
	/**
	 * A tree: every turn comes after the one that it follows, and otherwise turns are in the order in which they were
	 * asked.
	 */
	readonly turns: readonly Turn[];
}

export function newConversation(id: string, createdAt: number, workspace: WorkspaceTag): Conversation {
	return { id, createdAt, workspace, turns: [] };
}

/** Sets fields that a conversation need not have; undefined ones are removed. */
export function withFields(
	conversation: Conversation,
	fields: { [K in 'title' | 'titleReply' | 'mode' | 'settings']?: Conversation[K] | undefined },
): Conversation {
	return defined({ ...conversation, ...fields });
}

/** Adds a turn and shows it. The turn itself says which turn it follows. */
export function addTurn(conversation: Conversation, turn: Turn): Conversation {
	return { ...conversation, head: turn.id, turns: [...conversation.turns, turn] };
}

export function addReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => ({ ...turn, replies: [...turn.replies, reply] }));
}

/** Replaces the turn's current reply with `reply`. */
export function replaceReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => withCurrentReply(turn, reply));
}

/** Replaces the reply `before` with `after`, wherever it is in the turn by now. */
export function exchangeReply(conversation: Conversation, turnId: string, before: Reply, after: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => {
		const [first, ...others] = turn.replies.map(reply => (reply === before ? after : reply));
		return first ? { ...turn, replies: [first, ...others] } : turn;
	});
}

export function findTurn(conversation: Conversation, turnId: string): Turn | undefined {
	return conversation.turns.findLast(turn => turn.id === turnId);
}

/** Returns the turns from the first message up to the turn `end`, in order. */
export function turnsUpTo(conversation: Conversation, end: string | undefined): Turn[] {
	const turns = new Map(conversation.turns.map(turn => [turn.id, turn]));
	const path: Turn[] = [];
	for (let id = end; id !== undefined; ) {
		const turn = turns.get(id);
		if (!turn) {
			break;
		}
		path.push(turn);
		// A turn is removed once visited, so that a cycle cannot keep the loop running.
		turns.delete(id);
		id = turn.previous;
	}
	return path.reverse();
}

/** Returns all replies, including those that are not shown, because they were paid for, and the title's. */
export function allReplies({ turns, titleReply }: Pick<Conversation, 'turns' | 'titleReply'>): Reply[] {
	return [...turns.flatMap(({ replies }) => replies), ...(titleReply ? [titleReply] : [])];
}

export function shownTurns(conversation: Conversation): Turn[] {
	return turnsUpTo(conversation, conversation.head);
}

/** Returns all versions of a message, oldest first. */
export function versionsOf(conversation: Conversation, turn: Turn): Turn[] {
	return conversation.turns.filter(other => other.previous === turn.previous);
}

/** Shows the turn and, below it, the latest turns that followed. */
export function showVersion(conversation: Conversation, turnId: string): Conversation {
	let head = turnId;
	for (;;) {
		const next = conversation.turns.findLast(turn => turn.previous === head);
		if (!next) {
			return { ...conversation, head };
		}
		head = next.id;
	}
}

/**
 * Returns the reply that a reader sees: the current one or, while it has no text, the latest earlier one that has. A
 * retry that fails at once therefore hides nothing. An agent's work is shown even without text.
 */
export function shownReply(turn: Turn): Reply {
	return turn.replies.findLast(reply => reply.text !== '' || reply.work !== undefined) ?? currentReply(turn);
}

export function currentReply(turn: Turn): Reply {
	return turn.replies.at(-1) ?? turn.replies[0];
}

/**
 * Returns whether the reply has a text and ended before the model had finished, so that it can be continued. An agent
 * is continued with another message instead.
 */
export function isUnfinished({ state, text, problem, work }: Reply): boolean {
	const endedEarly = state === 'cutOff' || state === 'stopped' || state === 'failed' || problem === 'length';
	return text.trim() !== '' && state !== 'streaming' && endedEarly && work === undefined;
}

/** Returns the reply after the model has been asked to continue it. */
export function continueReply(reply: Reply, resumedAt: number): Reply {
	const { endedAt, usage, cost, explanation: _, problem: __, continuations = [], ...others } = reply;
	const continuation = {
		offset: reply.text.length,
		after: reply.state,
		resumedAt,
		...defined({ pausedAt: endedAt, usage, cost }),
	};
	return { ...others, state: 'streaming', continuations: [...continuations, continuation] };
}

/**
 * Marks replies as cut off that are still streaming in a conversation just read from disk: their window is gone, so
 * nothing will ever finish them.
 */
export function markCutOff(conversation: Conversation): Conversation {
	const turns = conversation.turns.map(turn => {
		const reply = currentReply(turn);
		return reply.state === 'streaming' ? withCurrentReply(turn, cutOff(reply)) : turn;
	});
	return { ...conversation, turns };
}

function cutOff(reply: Reply): Reply {
	const { work } = reply;
	return { ...reply, state: 'cutOff', ...defined({ work: work && endedWork(work, undefined) }) };
}

function changeTurn(conversation: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
	// The search starts from the end, because this is called for every chunk while the last turn's reply streams.
	const index = conversation.turns.findLastIndex(turn => turn.id === turnId);
	const turn = conversation.turns[index];
	return turn ? { ...conversation, turns: conversation.turns.with(index, change(turn)) } : conversation;
}

function withCurrentReply(turn: Turn, reply: Reply): Turn {
	const [first, ...others] = turn.replies;
	return { ...turn, replies: others.length === 0 ? [reply] : [first, ...others.slice(0, -1), reply] };
}
