// Builds the prompt that an agent gets with a message.
import type { PromptResource } from '../../agents/session/agentSession.ts';
import { type Conversation, findTurn, shownReply, type Turn, turnsUpTo } from './conversation.ts';

/** The length of a summary of earlier turns, and of each part of it, in UTF-16 code units. */
const MAXIMUM_SUMMARY = 12_000;
const MAXIMUM_PART = 2_000;

/** The number of the last steps that a summary lists. */
const MAXIMUM_DONE = 50;

/**
 * Returns the message of a turn, with the context that is attached to it except images. `pathOf` returns the agent's path
 * of a file, if any.
 */
export function promptOf(
	conversation: Conversation,
	turnId: string,
	pathOf: (uri: string) => string | undefined,
): { text: string; resources: PromptResource[] } {
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
	const path = turnsUpTo(conversation, turnId);
	const before = path.slice(0, -1);
	const ends = new Map(path.flatMap(({ from }) => (from ? [[from.turn, from.step]] : [])));
	const parts: string[] = [];
	let length = 0;
	for (const turn of before.reverse()) {
		const end = ends.get(turn.id);
		const text = (end === undefined ? undefined : textUntil(turn, end)) ?? beginning(shownReply(turn).text);
		const part = `User: ${beginning(turn.question)}\nYou: ${text || '(no answer)'}`;
		length += part.length;
		if (length > MAXIMUM_SUMMARY && parts.length > 0) {
			parts.push('…');
			break;
		}
		parts.push(part);
	}
	return parts.length === 0 ? undefined : parts.reverse().join('\n\n');
}

/** Returns what an agent had said and done in a turn until the end of a step; undefined if it is not there any more. */
function textUntil({ replies }: Turn, end: string): string | undefined {
	for (const { text, work } of replies) {
		const last = work?.steps.findIndex(({ id }) => id === end) ?? -1;
		if (work && last >= 0) {
			const done = work.steps.slice(0, last + 1).slice(-MAXIMUM_DONE);
			return [
				beginning(text.slice(0, work.steps[last]?.offset)),
				'What you had done until then. The files are as they were after the last of it:',
				...done.map(({ title }) => `- ${title}`),
			].join('\n');
		}
	}
	return undefined;
}

function beginning(text: string): string {
	const trimmed = text.trim();
	return trimmed.length <= MAXIMUM_PART ? trimmed : `${trimmed.slice(0, MAXIMUM_PART).toWellFormed()} …`;
}
