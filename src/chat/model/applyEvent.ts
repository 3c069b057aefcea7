import type { ChatStreamEvent } from '../../client/types.ts';
import type { Usage } from '../../contract/chatReply.ts';
import type { Reply, ReplyUsage } from './conversation.ts';

/** The reply after one event of its stream. Returns the same value when the event changes nothing that is kept. */
export function applyEvent(reply: Reply, event: ChatStreamEvent): Reply {
	switch (event.type) {
		case 'text':
			return event.text === '' ? reply : { ...reply, text: reply.text + event.text };
		case 'reasoning':
			return event.text === '' ? reply : { ...reply, reasoning: (reply.reasoning ?? '') + event.text };
		case 'served':
			return {
				...reply,
				...(event.model ? { model: event.model } : {}),
				...(event.provider ? { provider: event.provider } : {}),
			};
		case 'usage':
			return { ...reply, usage: toReplyUsage(event.usage) };
		// Chat offers no tools and asks no search model, so these carry nothing that belongs to the reply.
		case 'toolCall':
		case 'annotations':
		// What a finish reason means for the reply is judged where the stream ends.
		case 'finish':
			return reply;
	}
}

function toReplyUsage(usage: Usage): ReplyUsage {
	const cached = usage.prompt_tokens_details?.cached_tokens;
	return {
		...(usage.prompt_tokens != null ? { prompt: usage.prompt_tokens } : {}),
		...(cached != null ? { cached } : {}),
		...(usage.completion_tokens != null ? { completion: usage.completion_tokens } : {}),
	};
}
