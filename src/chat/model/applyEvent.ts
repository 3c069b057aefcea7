import { defined } from '../../base/defined.ts';
import type { ChatStreamEvent } from '../../client/types.ts';
import type { Usage } from '../../contract/chatReply.ts';
import type { ReasoningItem } from '../../contract/responses.ts';
import type { AgentWork } from './agentWork.ts';
import { addSources } from './citations.ts';
import type { Reply } from './conversation.ts';
import type { ReplyUsage } from './cost.ts';
import type { ReplyImage } from './images.ts';

/** The number of token probabilities that are stored, because each save writes the whole streaming reply. */
export const MAXIMUM_TOKENS = 500;
const MAXIMUM_TOP = 20;

/** The most characters of reasoning items that are stored as JSON, for the same reason. A model does without them. */
const MAXIMUM_REASONING = 1_000_000;

/**
 * An event that changes a reply: an event of the client's stream, the reasoning that is sent back with the next
 * message, the image loaded from the address in an image model's reply, or the agent's work so far.
 */
export type ReplyEvent =
	| ChatStreamEvent
	| { type: 'reasoningItems'; items: readonly ReasoningItem[] }
	| { type: 'image'; image: ReplyImage }
	| { type: 'work'; work: AgentWork };

/** Returns the reply after one event of its stream, or the same value if the event changes nothing that is stored. */
export function applyEvent(reply: Reply, event: ReplyEvent): Reply {
	switch (event.type) {
		case 'text':
			return event.text === '' ? reply : { ...reply, text: reply.text + event.text };
		case 'reasoning':
			return event.text === '' ? reply : { ...reply, reasoning: (reply.reasoning ?? '') + event.text };
		case 'reasoningItems':
			return JSON.stringify(event.items).length > MAXIMUM_REASONING ? reply : { ...reply, reasoningItems: event.items };
		case 'served':
			return {
				...reply,
				...defined({
					model: event.model || undefined,
					provider: event.provider || undefined,
					serviceId: event.id || undefined,
					leftOut: event.leftOut || undefined,
					created: event.created ?? reply.created,
					fingerprint: event.fingerprint ?? reply.fingerprint,
				}),
			};
		case 'usage':
			return { ...reply, usage: toReplyUsage(event.usage) };
		case 'logprobs': {
			const { logprobs = [] } = reply;
			const room = MAXIMUM_TOKENS - logprobs.length;
			const tokens = event.tokens
				.slice(0, room)
				.map(({ top, ...token }) => ({ ...token, top: top.slice(0, MAXIMUM_TOP) }));
			return tokens.length === 0 ? reply : { ...reply, logprobs: [...logprobs, ...tokens] };
		}
		case 'annotations': {
			// The service counts positions from the beginning of the text that it sent itself.
			const offset = reply.continuations?.at(-1)?.offset ?? 0;
			const sources = addSources(reply.sources ?? [], event.annotations, offset);
			return sources.length === 0 ? reply : { ...reply, sources };
		}
		case 'image':
			return { ...reply, image: event.image };
		case 'work':
			return reply.work === event.work ? reply : { ...reply, work: event.work };
		// Chat offers no tools, so a tool call carries nothing that belongs to the reply.
		case 'toolCall':
			return reply;
		// The finish reason is evaluated at the end of the stream.
		case 'finish':
			return event.nativeReason === undefined ? reply : { ...reply, nativeReason: event.nativeReason };
	}
}

function toReplyUsage(usage: Usage): ReplyUsage {
	const prompt = countOf(usage.prompt_tokens);
	const cached = countOf(usage.prompt_tokens_details?.cached_tokens);
	const completion = countOf(usage.completion_tokens);
	const reasoning = countOf(usage.completion_tokens_details?.reasoning_tokens);
	return defined({ prompt, cached, completion, reasoning });
}

/** Values that are not a valid number of tokens are dropped, because costs are computed from them. */
function countOf(tokens: number | null | undefined): number | undefined {
	return Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? Number(tokens) : undefined;
}
