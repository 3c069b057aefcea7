import { defined } from '../../base/defined.ts';
import type { Attachment } from '../model/attachment.ts';
import {
	addReply,
	addTurn,
	type Conversation,
	continueReply,
	currentReply,
	type Reply,
	replaceReply,
	type Turn,
	type TurnContext,
	type WorkspaceTag,
} from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import { toContinuationRequest, toRequest } from '../model/toRequest.ts';
import { MAXIMUM_MESSAGE_LENGTH } from '../protocol/protocol.ts';
import type { SendRefusal } from './chatOptions.ts';

/** A reply that is about to begin. */
export interface Beginning {
	/** Adds the reply to its turn, and the turn if it is new. */
	add(conversation: Conversation): Conversation;
	reply: Reply;
	toRequest: typeof toRequest;
}

/** The parts of a turn that is about to begin. */
export interface NewTurn {
	id: string;
	text: string;
	mode: TurnMode;
	context: TurnContext;
	/** The turn that it follows. */
	previous: string | undefined;
}

/** The conversation and the workspace in which a turn begins. */
export interface TurnPlace {
	conversation: Conversation;
	workspace(): WorkspaceTag;
}

/** Returns why a message cannot be sent in a mode, whatever the connection is; undefined if it can. */
export function messageRefusal(
	text: string,
	mode: TurnMode,
	attachments: readonly Attachment[],
): SendRefusal | undefined {
	if (text.trim() === '') {
		return { reason: 'empty' };
	}
	if (text.length > MAXIMUM_MESSAGE_LENGTH) {
		return { reason: 'too-long' };
	}
	if (mode === 'image' && attachments.length > 0) {
		return { reason: 'image-context' };
	}
	if (mode === 'agent' && attachments.some(({ image }) => image !== undefined)) {
		return { reason: 'agent-images' };
	}
	return undefined;
}

/** Begins the first reply to a new turn. `startedAt` is in milliseconds since the epoch, here and below. */
export function beginTurn(newTurn: NewTurn, place: TurnPlace, model: string, startedAt: number): Beginning {
	const { id, text, mode, context, previous } = newTurn;
	const { attachments = [], instructions = [], from } = context;
	const { turns, encryption } = place.conversation;
	// The first message sets the workspace, because by now the git extension may know the remote.
	const workspace = turns.length === 0 ? place.workspace() : undefined;
	const reply = newReply(model, startedAt);
	const turn: Turn = {
		id,
		askedAt: startedAt,
		question: text,
		...defined({
			previous,
			attachments: attachments.length === 0 ? undefined : attachments,
			// An image model gets only the prompt.
			instructions: instructions.length === 0 || mode === 'image' ? undefined : instructions,
			mode: mode === 'chat' ? undefined : mode,
			from: mode === 'agent' ? from : undefined,
			encrypted: encryption ? (true as const) : undefined,
		}),
		replies: [reply],
	};
	const add = (conversation: Conversation) => addTurn({ ...conversation, ...defined({ workspace }) }, turn);
	return { add, reply, toRequest };
}

/** Begins a further reply to a turn. */
export function beginRetry({ id }: Turn, model: string, startedAt: number): Beginning {
	const reply = newReply(model, startedAt);
	return { add: conversation => addReply(conversation, id, reply), reply, toRequest };
}

/** Begins the continuation of a turn's reply. */
export function beginContinuation(turn: Turn, resumedAt: number): Beginning {
	const reply = continueReply(currentReply(turn), resumedAt);
	return {
		add: conversation => replaceReply(conversation, turn.id, reply),
		reply,
		toRequest: toContinuationRequest,
	};
}

function newReply(model: string, startedAt: number): Reply {
	return { state: 'streaming', startedAt, text: '', model };
}
