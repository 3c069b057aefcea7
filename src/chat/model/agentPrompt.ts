// Builds the prompt that an agent gets with a message.
import type { PromptResource } from '../../agents/session/agentSession.ts';
import { type Conversation, findTurn, shownReply, turnsUpTo } from './conversation.ts';

/** The length of a summary of earlier turns, and of each part of it, in UTF-16 code units. */
const MAXIMUM_SUMMARY = 12_000;
const MAXIMUM_PART = 2_000;

export interface AgentPrompt {
	text: string;
	/** The context that is attached to the message. */
	resources: PromptResource[];
}

/**
 * Returns the message of a turn with its context except images. `pathOf` returns the agent's path of a file, if any.
 */
export function promptOf(
	conversation: Conversation,
	turnId: string,
	pathOf: (uri: string) => string | undefined,
): AgentPrompt {
	const turn = findTurn(conversation, turnId);
	const resources = (turn?.attachments ?? [])
		.filter(({ image }) => image === undefined)
		.map(({ uri, path, label, text }) => ({ uri: (uri && pathOf(uri)) ?? path ?? uri ?? label, text }));
	return { text: turn?.question ?? '', resources };
}

/**
 * Returns the summary for an agent without a memory of the conversation: the latest turns, each with its question and
 * the beginning of its answer. Undefined for the first turn.
 */
export function summaryBefore(conversation: Conversation, turnId: string): string | undefined {
	const before = turnsUpTo(conversation, turnId).slice(0, -1);
	const parts: string[] = [];
	let length = 0;
	for (const turn of before.reverse()) {
		const { text } = shownReply(turn);
		const part = `User: ${beginning(turn.question)}\nYou: ${beginning(text) || '(no answer)'}`;
		length += part.length;
		if (length > MAXIMUM_SUMMARY && parts.length > 0) {
			parts.push('…');
			break;
		}
		parts.push(part);
	}
	return parts.length === 0 ? undefined : parts.reverse().join('\n\n');
}

function beginning(text: string): string {
	const trimmed = text.trim();
	return trimmed.length <= MAXIMUM_PART ? trimmed : `${trimmed.slice(0, MAXIMUM_PART).toWellFormed()} …`;
}
