import type { ChatMessage, ChatRequest } from '../../contract/chatRequest.ts';
import { withAttachments } from '../context/model/attachment.ts';
import { type Conversation, currentReply, findTurn, shownReply, turnsUpTo } from './conversation.ts';

/** Said to the model, never shown: models answer this in the language of the text before it. */
const GO_ON =
	'Your last reply was cut off. Go on exactly where its text ends, in the middle of the sentence or code if need be. Repeat nothing and write no introduction.';

/**
 * What led to the turn `turnId`, which is asked, as a chat request. A reply without text is left out; its question
 * stays, joined with the next one, because many models refuse two user messages in a row. Pictures are left out with
 * their prompts: to a language model their addresses say nothing; and an image model is told its prompt alone.
 */
export function toRequest(conversation: Conversation, turnId: string, model: string): ChatRequest {
	const last = findTurn(conversation, turnId);
	if (last?.mode === 'image') {
		return { model, messages: [{ role: 'user', content: last.question }] };
	}
	const messages: ChatMessage[] = [];
	let question = '';
	for (const turn of turnsUpTo(conversation, turnId)) {
		if (turn.mode === 'image') {
			continue;
		}
		const asked = withAttachments(turn.question, turn.attachments);
		question = question === '' ? asked : `${question}\n\n${asked}`;
		if (turn.id === turnId) {
			break;
		}
		const answer = shownReply(turn).text;
		if (answer.trim() !== '') {
			messages.push({ role: 'user', content: question }, { role: 'assistant', content: answer });
			question = '';
		}
	}
	messages.push({ role: 'user', content: question });
	return { model, messages };
}

/** Asks the model to go on with the current reply of the turn `turnId`. */
export function toContinuationRequest(conversation: Conversation, turnId: string, model: string): ChatRequest {
	const { messages } = toRequest(conversation, turnId, model);
	const turn = turnsUpTo(conversation, turnId).at(-1);
	const text = turn ? currentReply(turn).text : '';
	return {
		model,
		messages: [...messages, { role: 'assistant', content: text }, { role: 'user', content: GO_ON }],
	};
}
