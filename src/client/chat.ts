import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import type { ChatCompletion } from '../contract/chatReply.ts';
import { type ChatRequest, chatRequestSchema } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import { imageRequestSchema, readImageUrl, splitDigest } from '../contract/images.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { type Route, routes } from '../contract/routes.ts';
import { routingProblem, routingReasonText } from '../contract/routing.ts';
import { searchModelOf } from '../contract/search.ts';
import { ChatDecoder } from './chatDecoder.ts';
import { BatchedStream } from './core/batchedStream.ts';
import type { Caller } from './core/caller.ts';
import { readCompletion } from './core/chatChunks.ts';
import { checkRequest, outOfRange } from './core/requestCheck.ts';
import { StreamedReply } from './core/streamedReply.ts';
import type { ChatStreamEvent, Client } from './types.ts';

/** Chat completions (contract: inference.md). */
export function createChat(caller: Caller): Client['chat'] {
	return {
		complete: async (request, { signal } = {}) => completeChat(caller, request, signal, completion => completion),
		stream: (request, { signal } = {}) => streamChat(caller, routes.chatCompletions, request, signal),
	};
}

/** Resolves with the value that `read` returns for the whole reply to a chat request. */
export async function completeChat<T>(
	caller: Caller,
	request: ChatRequest,
	signal: AbortSignal | undefined,
	read: (completion: ChatCompletion) => T,
): Promise<T> {
	// `stream` is not sent, so that the reply is whole.
	const { stream: _, ...body } = checkChatRequest(caller.connection, request);
	const call = {
		route: routes.chatCompletions,
		body,
		firstByteMs: caller.limits.replyFirstByteMs,
		retry: 'turned-away' as const,
		signal,
	};
	return caller.json(call, value => read(readCompletion(value)));
}

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

/** Image generation through the chat endpoint (contract: inference.md, Endpoints). */
export function createImages(caller: Caller): Client['images'] {
	return {
		async generate(request, { signal } = {}) {
			const { model, prompt } = checkRequest(imageRequestSchema, request);
			const messages = [{ role: 'user' as const, content: prompt }];
			return completeChat(caller, { model, messages }, signal, reply => {
				const content = reply.choices[0]?.message?.content ?? '';
				const url = readImageUrl(content);
				if (url === undefined) {
					const said = content.trim();
					throw new ClientError('bad-response', 'the reply is no address of an image', {
						serviceMessage: said || undefined,
					});
				}
				const { provider, id, usage } = reply;
				return { url, ...splitDigest(reply.model ?? model, model), ...defined({ provider, id, usage }) };
			});
		},
	};
}

/** Streams the reply to a chat request on either path of the endpoint. An invalid request throws at the first read. */
function streamChat(
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

/**
 * Checks a chat request before it is sent and returns it unchanged. Throws `invalid-request` for values that are out of
 * range or leave no provider, and `not-supported` for a prefix or an alias that the host does not understand. Both
 * errors name the field, its value and what is allowed.
 */
export function checkChatRequest(connection: Connection, request: ChatRequest): ChatRequest {
	checkRequest(chatRequestSchema, request);
	const problem = routingProblem(connection, request);
	if (problem) {
		const { field, value, reason } = problem;
		const code = reason.kind === 'nobody' ? 'invalid-request' : 'not-supported';
		const message = `${field} is ${JSON.stringify(value)}; not allowed: ${routingReasonText(reason)}`;
		throw new ClientError(code, message, { unsent: true });
	}
	const { model, max_tokens: maximum } = request;
	const contextLength = findModel(connection, model)?.contextLength;
	if (maximum !== undefined && contextLength !== undefined && maximum >= contextLength) {
		const range = contextLength > 1 ? `a whole number from 1 to ${contextLength - 1}` : 'none';
		throw outOfRange('max_tokens', maximum, `${range}, below the context length`);
	}
	return request;
}
