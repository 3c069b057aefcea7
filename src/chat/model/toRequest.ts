import type { ChatMessage, ChatRequest } from '../../contract/chatRequest.ts';
import { type Conversation, shownReply } from './conversation.ts';

/**
 * The conversation up to the turn `turnId`, which is asked, as a chat request. A reply without text is left out; its
 * question stays, joined with the next one, because many models refuse two user messages in a row.
 */
export function toRequest(conversation: Conversation, turnId: string, model: string): ChatRequest {
	const messages: ChatMessage[] = [];
	let question = '';
	for (const turn of conversation.turns) {
		question = question === '' ? turn.question : `${question}\n\n${turn.question}`;
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
