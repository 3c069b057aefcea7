import type { ChatCompletion } from '../contract/chatReply.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import { routes } from '../contract/routes.ts';
import { readCompletion } from './chatDecoder.ts';
import { checkChatRequest } from './chatRequestCheck.ts';
import { streamChat } from './chatStream.ts';
import type { Caller } from './core/caller.ts';
import { throwErrorIn } from './core/replyData.ts';
import type { Client } from './types.ts';

/** Chat completions (contract: inference.md). */
export function createChat(caller: Caller): Client['chat'] {
	return {
		complete: async (request, { signal } = {}) => completeChat(caller, request, signal, completion => completion),
		stream: (request, { signal } = {}) => streamChat(caller, routes.chatCompletions, request, signal),
	};
}

/** What `read` makes of the whole reply to a chat request. */
export async function completeChat<T>(
	caller: Caller,
	request: ChatRequest,
	signal: AbortSignal | undefined,
	read: (completion: ChatCompletion) => T,
): Promise<T> {
	// `stream` is not sent: without it the reply is whole.
	const { stream: _, ...body } = checkChatRequest(caller.connection, request);
	const call = {
		route: routes.chatCompletions,
		body,
		firstByteMs: caller.limits.replyFirstByteMs,
		retry: 'turned-away' as const,
		signal,
	};
	return caller.json(call, value => {
		throwErrorIn(value);
		return read(readCompletion(value));
	});
}
