import { routes } from '../contract/routes.ts';
import { searchModelOf } from '../contract/search.ts';
import { streamChat } from './chatStream.ts';
import type { Client } from './client.ts';
import type { Caller } from './core/caller.ts';

/** Answers with sources of the web (contract: inference.md, Web search). The model's name never has a prefix: this path knows none. */
export function createSearch(caller: Caller): Client['search'] {
	return {
		stream: (messages, { signal } = {}) =>
			streamChat(
				caller,
				routes.chatCompletionsV1,
				{ model: searchModelOf(caller.connection), messages: [...messages] },
				signal,
			),
	};
}
