import { routes } from '../contract/routes.ts';
import { searchModelOf } from '../contract/search.ts';
import { streamChat } from './chatStream.ts';
import type { Caller } from './core/caller.ts';
import type { Client } from './types.ts';

/**
 * Answers with web sources (contract: inference.md, Web search). The model's name never has a prefix, which this path
 * does not understand.
 */
export function createSearch(caller: Caller): Client['search'] {
	return {
		stream: (messages, { signal, ...others } = {}) => {
			const request = { ...others, model: searchModelOf(caller.connection), messages: [...messages] };
			// This path accepts the same requests as the endpoint's other path (contract: inference.md, Endpoints).
			return streamChat(caller, routes.chatCompletionsV1, request, signal);
		},
	};
}
