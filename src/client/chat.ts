import type { ChatCompletion } from '../contract/chatReply.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import { routes } from '../contract/routes.ts';
import { readCompletion } from './chatDecoder.ts';
import { checkChatRequest } from './chatRequestCheck.ts';
import { streamChat } from './chatStream.ts';
import type { Caller } from './core/caller.ts';
import type { Client } from './types.ts';

/** Chat completions (contract: inference.md). */
export function createChat(caller: Caller): Client['chat'] {
	return {
		complete: async (request, { signal } = {}) => completeChat(caller, request, signal),
		stream: (request, { signal } = {}) => streamChat(caller, routes.chatCompletions, request, signal),
	};
}

/** Returns the whole reply to a chat request. */
export async function completeChat(
	caller: Caller,
	request: ChatRequest,
	signal: AbortSignal | undefined,
): Promise<ChatCompletion> {
	// `stream` is not sent: without it the service sends a whole reply.
	const { stream: _, ...body } = checkChatRequest(caller.connection, request);
	const reply = await caller.json({
		route: routes.chatCompletions,
		body,
		mayHoldError: true,
		firstByteMs: caller.limits.replyFirstByteMs,
		retry: 'turned-away',
		signal,
	});
	return readCompletion(reply);
}
