import type { ChatRequest } from '../contract/chatRequest.ts';
import type { Route } from '../contract/routes.ts';
import { ChatDecoder } from './chatDecoder.ts';
import { checkChatRequest } from './chatRequestCheck.ts';
import { BatchedStream } from './core/batchedStream.ts';
import type { Caller } from './core/caller.ts';
import { StreamedReply } from './core/streamedReply.ts';
import type { ChatStreamEvent } from './types.ts';

/** Streams the reply to a chat request on either path of the endpoint. An invalid request throws at the first read. */
export function streamChat(
	caller: Caller,
	route: Route,
	request: ChatRequest,
	readerSignal: AbortSignal | undefined,
): AsyncIterable<ChatStreamEvent> {
	return new BatchedStream(
		readerSignal,
		signal =>
			new StreamedReply(caller, {
				call: () => ({ route, body: { ...checkChatRequest(caller.connection, request), stream: true }, signal }),
				decoder: new ChatDecoder(),
			}),
	);
}
