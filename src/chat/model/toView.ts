import { commands } from '../../platform/ids.ts';
import type { ReplyView, TurnView } from '../protocol.ts';
import { type Conversation, currentReply, type Reply, shownReply, type Turn } from './conversation.ts';

/** What of a running reply is not part of the conversation. */
export interface LiveState {
	readonly turnId: string;
	/** Nothing has come for a while. */
	readonly waiting: boolean;
}

export function toTurnViews(conversation: Conversation, live: LiveState | undefined): TurnView[] {
	return conversation.turns.map(turn => toTurnView(conversation, turn, live));
}

export function toTurnView(conversation: Conversation, turn: Turn, live: LiveState | undefined): TurnView {
	const waiting = live?.turnId === turn.id && live.waiting;
	const canRetry = live === undefined && conversation.turns.at(-1) === turn;
	return {
		id: turn.id,
		askedAt: turn.askedAt,
		question: turn.question,
		reply: toReplyView(currentReply(turn), shownReply(turn), waiting, canRetry),
	};
}

function toReplyView(current: Reply, shown: Reply, waiting: boolean, canRetry: boolean): ReplyView {
	const { model = current.model, provider, usage } = shown;
	const { reasoning, explanation } = current;
	return {
		state: current.state,
		text: shown.text,
		earlier: shown !== current,
		waiting,
		canRetry,
		...(reasoning === undefined ? {} : { reasoning }),
		...(model === undefined ? {} : { model }),
		...(provider === undefined ? {} : { provider }),
		...(shown.endedAt === undefined ? {} : { duration: shown.endedAt - shown.startedAt }),
		...(usage === undefined ? {} : { usage }),
		...(explanation === undefined ? {} : { explanation: toExplanationView(explanation) }),
	};
}

function toExplanationView({
	message,
	action,
}: NonNullable<Reply['explanation']>): NonNullable<ReplyView['explanation']> {
	// Looking at the log mends nothing, so there the primary button is Retry.
	return action
		? { message, action: { label: action.label, primary: action.command !== commands.showLog } }
		: { message };
}
