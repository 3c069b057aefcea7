// The conversation as the host owns it. Values are never changed in place: a change makes a new value.
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { Attachment } from './attachment.ts';
import type { Source } from './citations.ts';
import type { ConversationSettings } from './conversationSettings.ts';
import type { Cost, ReplyUsage } from './cost.ts';
import type { Encryption } from './encryption.ts';
import type { TurnMode } from './mode.ts';
import type { Picture } from './picture.ts';
import type { AskedWith } from './policy.ts';

/** `cutOff`: the stream or the window ended before the reply did. */
export type ReplyState = 'streaming' | 'done' | 'stopped' | 'cutOff' | 'failed';

/** Ways to end that are no error of the service and still need a word. */
export type FinishProblem = 'empty' | 'length' | 'filtered';

/** Where a reply that had ended too early went on. */
export interface Continuation {
	/** The length of the text, in UTF-16 code units, before it went on. */
	readonly offset: number;
	/** How the part before had ended. */
	readonly after: ReplyState;
	/** When the part before ended, where that is known, and when the next one was asked for. */
	readonly pausedAt?: number;
	readonly resumedAt: number;
	/** Of the part before. */
	readonly usage?: ReplyUsage;
	readonly cost?: Cost;
}

/** One answer of a model. Times are milliseconds since the epoch. */
export interface Reply {
	readonly state: ReplyState;
	readonly startedAt: number;
	/** When the first word came, of the text or the reasoning. */
	readonly firstAt?: number;
	readonly endedAt?: number;
	readonly text: string;
	readonly reasoning?: string;
	/** The model that answered, or was asked while nothing came back yet. */
	readonly model?: string;
	/** The provider that served the reply, as the service named it. */
	readonly provider?: string;
	/** The completion's id, as the service gave it. */
	readonly serviceId?: string;
	/** What it was asked with. */
	readonly asked?: AskedWith;
	/** What could be said of it when it was asked. */
	readonly retention?: ZeroDataRetention;
	/** Of the last part, where the reply was continued. */
	readonly usage?: ReplyUsage;
	/** By the prices of its time; of the last part, where the reply was continued. */
	readonly cost?: Cost;
	/** Why the reply ended as it did, where the state alone does not say it. */
	readonly explanation?: Explanation;
	readonly problem?: FinishProblem;
	/** In order of their offsets. */
	readonly continuations?: readonly Continuation[];
	/** Of a searched answer, as the service gave them. */
	readonly sources?: readonly Source[];
	/** Of an image model, whose text is the picture's address. Absent until it was loaded. */
	readonly picture?: Picture;
}

/**
 * One user message and all that answers it. The last reply is the current one; earlier ones are kept, never shown away.
 * Turns that follow the same one are versions of one message: the user changed it and sent it again.
 */
export interface Turn {
	readonly id: string;
	/** The id of the turn before; absent for the first message. */
	readonly previous?: string;
	readonly askedAt: number;
	readonly question: string;
	/** Context that went with the message, as it was then. */
	readonly attachments?: readonly Attachment[];
	/** Absent in a chat. */
	readonly mode?: Exclude<TurnMode, 'chat'>;
	/** Asked in an encrypted conversation: in no other one may it be sent. */
	readonly encrypted?: true;
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
	/** What the user called it; otherwise its first message stands for it. */
	readonly title?: string;
	/** What a message asks for when it does not say so itself; absent for chat. */
	readonly mode?: Exclude<TurnMode, 'chat'>;
	/** The conversation that this one went on from when another window wrote to the same file. */
	readonly branchedFrom?: string;
	/** Absent for one that is not encrypted. It never comes and never goes. */
	readonly encryption?: Encryption;
	/** What it chose for itself: model, routing, parameters. */
	readonly settings?: ConversationSettings;
	/** The last turn that is shown; absent while there is none. The way to the first turn from there is what a reader sees. */
	readonly head?: string;
	/** A tree, every turn after the one that it follows, otherwise in the order in which they were asked. */
	readonly turns: readonly Turn[];
}

export function newConversation(id: string, createdAt: number, workspace: WorkspaceTag): Conversation {
	return { id, createdAt, workspace, turns: [] };
}

/** What its messages ask for from now on. */
export function withMode({ mode: _, ...conversation }: Conversation, mode: TurnMode): Conversation {
	return mode === 'chat' ? conversation : { ...conversation, mode };
}

/** What it has chosen; undefined is nothing. */
export function withSettings(
	{ settings: _, ...conversation }: Conversation,
	settings: ConversationSettings | undefined,
): Conversation {
	return settings === undefined ? conversation : { ...conversation, settings };
}

/** What is known of its way; undefined is a conversation that is not encrypted, and stays so. */
export function withEncryption(conversation: Conversation, encryption: Encryption | undefined): Conversation {
	return encryption === undefined ? conversation : { ...conversation, encryption };
}

/** Its id, title and origin; what is undefined is absent. */
export function named(
	{ title: _, branchedFrom: __, ...conversation }: Conversation,
	{ id, title, branchedFrom }: { id: string; title: string | undefined; branchedFrom: string | undefined },
): Conversation {
	return {
		...conversation,
		id,
		...(title === undefined ? {} : { title }),
		...(branchedFrom === undefined ? {} : { branchedFrom }),
	};
}

/** Adds a turn and shows it. It says itself which turn it follows. */
export function addTurn(conversation: Conversation, turn: Turn): Conversation {
	return { ...conversation, head: turn.id, turns: [...conversation.turns, turn] };
}

export function addReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => ({ ...turn, replies: [...turn.replies, reply] }));
}

/** Puts `reply` in the place of the turn's current reply. */
export function replaceReply(conversation: Conversation, turnId: string, reply: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => withCurrentReply(turn, reply));
}

/** Puts `after` in the place of `before`, wherever that stands in the turn by now. */
export function exchangeReply(conversation: Conversation, turnId: string, before: Reply, after: Reply): Conversation {
	return changeTurn(conversation, turnId, turn => {
		const [first, ...others] = turn.replies.map(reply => (reply === before ? after : reply));
		return first ? { ...turn, replies: [first, ...others] } : turn;
	});
}

export function findTurn(conversation: Conversation, turnId: string): Turn | undefined {
	return conversation.turns.findLast(turn => turn.id === turnId);
}

/** The turns from the first message to the turn `end`, in order: what led to it. */
export function turnsUpTo(conversation: Conversation, end: string | undefined): Turn[] {
	const turns = new Map(conversation.turns.map(turn => [turn.id, turn]));
	const path: Turn[] = [];
	for (let id = end; id !== undefined; ) {
		const turn = turns.get(id);
		if (!turn) {
			break;
		}
		path.push(turn);
		// Taken out, so that a circle could not keep this going.
		turns.delete(id);
		id = turn.previous;
	}
	return path.reverse();
}

export function shownTurns(conversation: Conversation): Turn[] {
	return turnsUpTo(conversation, conversation.head);
}

/** All versions of a message, oldest first. */
export function versionsOf(conversation: Conversation, turn: Turn): Turn[] {
	return conversation.turns.filter(other => other.previous === turn.previous);
}

/** Shows the turn, and below it what was asked last there. */
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
 * The reply a reader sees: the current one, or, while it has no text, the newest earlier one that has.
 * So a retry that fails at once takes nothing away.
 */
export function shownReply(turn: Turn): Reply {
	return turn.replies.findLast(reply => reply.text !== '') ?? currentReply(turn);
}

export function currentReply(turn: Turn): Reply {
	return turn.replies.at(-1) ?? turn.replies[0];
}

/** Whether the reply ended before the model had said all of it, with a text to go on from. */
export function isUnfinished({ state, text, problem }: Reply): boolean {
	const endedEarly = state === 'cutOff' || state === 'stopped' || state === 'failed' || problem === 'length';
	return text.trim() !== '' && state !== 'streaming' && endedEarly;
}

/** The reply as it stands when the model was asked to go on with it. */
export function continueReply(reply: Reply, resumedAt: number): Reply {
	const { endedAt, usage, cost, explanation: _, problem: __, continuations = [], ...others } = reply;
	const continuation: Continuation = {
		offset: reply.text.length,
		after: reply.state,
		resumedAt,
		...(endedAt === undefined ? {} : { pausedAt: endedAt }),
		...(usage === undefined ? {} : { usage }),
		...(cost === undefined ? {} : { cost }),
	};
	return { ...others, state: 'streaming', continuations: [...continuations, continuation] };
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
