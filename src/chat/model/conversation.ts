// The conversation as the host owns it. Values are immutable: a change makes a new value.
import { defined } from '../../base/defined.ts';
import type { TokenProbability } from '../../client/types.ts';
import type { ReasoningItem } from '../../contract/responses.ts';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { Explanation } from '../../platform/notify.ts';
import { type AgentWork, endedWork } from './agentWork.ts';
import type { Attachment } from './attachment.ts';
import type { Source } from './citations.ts';
import type { Cost, ReplyUsage } from './cost.ts';
import type { Encryption } from './encryption.ts';
import type { ReplyImage } from './images.ts';
import type { TurnMode } from './mode.ts';
import type { ConversationSettings, ReplySettings } from './settings.ts';

/** `cutOff`: the stream or the window ended before the reply did. */
export type ReplyState = 'streaming' | 'done' | 'stopped' | 'cutOff' | 'failed';

/** Reasons for an end that are not errors of the service but still need an explanation. */
export type FinishProblem = 'empty' | 'length' | 'filtered';

/** The point at which a reply that had ended too early was continued. */
export interface Continuation {
	/** The length of the text before the continuation, in UTF-16 code units. */
	readonly offset: number;
	/** The state in which the previous part had ended. */
	readonly after: ReplyState;
	/** `pausedAt` is when the previous part ended, if known. `resumedAt` is when the next part was requested. */
	readonly pausedAt?: number;
	readonly resumedAt: number;
	/** The usage of the previous part. */
	readonly usage?: ReplyUsage;
	readonly cost?: Cost;
}

/** One reply of a model. Times are in milliseconds since the epoch. */
export interface Reply {
	readonly state: ReplyState;
	readonly startedAt: number;
	/** The time of the first text or reasoning. */
	readonly firstAt?: number;
	readonly endedAt?: number;
	readonly text: string;
	readonly reasoning?: string;
	/** The model's reasoning, as the responses endpoint sent it. It goes back to the model with the next message. */
	readonly reasoningItems?: readonly ReasoningItem[];
	/** The model that answered or, as long as nothing has come back, the model that was asked. */
	readonly model?: string;
	/** The provider that served the reply, as the service named it. */
	readonly provider?: string;
	/** The completion's id, as the service gave it. */
	readonly serviceId?: string;
	/** The parameters of the request that the model does not support, according to the service. */
	readonly leftOut?: readonly string[];
	/** The time at which the service created the reply, by its own clock, in Unix seconds. */
	readonly created?: number;
	/** The service's name for the state of the model's server. */
	readonly fingerprint?: string;
	/** The reason why the reply ended, in the provider's own word. */
	readonly nativeReason?: string;
	/** The name of the connection that was asked, in the settings of that time. */
	readonly connection?: string;
	/** The model, routing and parameters that the reply was requested with. */
	readonly asked?: ReplySettings;
	/** The facts known about zero data retention when the reply was requested. */
	readonly retention?: ZeroDataRetention;
	/** The usage of the last part, if the reply was continued. */
	readonly usage?: ReplyUsage;
	/** The cost by the prices at that time. If the reply was continued, it is the cost of the last part. */
	readonly cost?: Cost;
	/** Explains why the reply ended, if the state alone does not. */
	readonly explanation?: Explanation;
	readonly problem?: FinishProblem;
	/** Sorted by offset. */
	readonly continuations?: readonly Continuation[];
	/** The sources of a search answer, as the service gave them. */
	readonly sources?: readonly Source[];
	/** The first tokens of the text with their probabilities, if they were requested. */
	readonly logprobs?: readonly TokenProbability[];
	/** The image of an image model, whose text is the image's address. Absent until it has been loaded. */
	readonly image?: ReplyImage;
	/** The work of the agent that gave the reply. */
	readonly work?: AgentWork;
}

/** A step of an agent's turn, with whose files the agent of another turn begins. */
export interface TurnStart {
	readonly turn: string;
	readonly step: string;
	/** The title of the step. */
	readonly title: string;
	/** For each repository, the commit of these files, and the one of what the user's files had of the agent's changes. */
	readonly states: readonly { readonly repository: string; readonly commit: string; readonly taken: string }[];
}

/**
 * One user message and all replies to it. The last reply is the current one; earlier ones are kept. Turns that follow
 * the same turn are versions of one message, which the user edited and sent again.
 */
export interface Turn {
	readonly id: string;
	/** The id of the preceding turn; absent for the first message. */
	readonly previous?: string;
	readonly askedAt: number;
	readonly question: string;
	/** Context that was attached to the message, as it was at that time. */
	readonly attachments?: readonly Attachment[];
	/** The instruction files that were sent with the message, as they were at that time; the last one wins. */
	readonly instructions?: readonly Attachment[];
	/** Absent for chat. */
	readonly mode?: Exclude<TurnMode, 'chat'>;
	/** Set if the turn's agent goes on from a step of the turn before, and not from its end. */
	readonly from?: TurnStart;
	/** Set if the turn belongs to an encrypted conversation; it must never be sent in another one. */
	readonly encrypted?: true;
	readonly replies: readonly [Reply, ...Reply[]];
}

/** The context that is sent with a message. */
export type TurnContext = Pick<Turn, 'attachments' | 'instructions' | 'from'>;

/** The workspace of a conversation, by which it is found again. Folders are URIs. */
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
	const continuation: Continuation = {
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
