import { type ChatCompletion, type ChatRequest, chatRequestSchema } from '../contract/chat.ts';
import { routes } from '../contract/routes.ts';
import { ChatDecoder, readCompletion } from './chatDecoder.ts';
import type { Client } from './client.ts';
import { BatchedStream } from './core/batchedStream.ts';
import { type Caller, readJson } from './core/caller.ts';
import { ClientError } from './core/errors.ts';
import { EventStream } from './core/eventStream.ts';
import { checkRequest, outOfRange } from './core/requestCheck.ts';
import { contextLengthOf } from './modelName.ts';
import type { ChatStreamEvent } from './types.ts';

/** Chat completions (contract: inference.md). */
export function createChat(caller: Caller): Client['chat'] {
	const check = (request: ChatRequest): ChatRequest => {
		checkRequest(chatRequestSchema, request);
		const contextLength = contextLengthOf(caller.connection, request.model);
		const { max_tokens: maximum } = request;
		if (maximum !== undefined && contextLength !== undefined && maximum >= contextLength) {
			throw outOfRange(
				'max_tokens',
				maximum,
				`a whole number from 1 to ${contextLength - 1}, below the context length`,
			);
		}
		return request;
	};

	return {
		async complete(request, { signal } = {}): Promise<ChatCompletion> {
			// `stream` is not sent: without it the reply is whole.
			const { stream: _, ...body } = check(request);
			const reply = await caller.json({
				route: routes.chatCompletions,
				body,
				firstByteMs: caller.limits.replyFirstByteMs,
				retry: 'turned-away',
				signal,
			});
			return readCompletion(reply);
		},
		stream: (request, { signal } = {}) =>
			new BatchedStream(signal, own => readStream(caller, () => check(request), own)),
	};
}

async function* readStream(
	caller: Caller,
	check: () => ChatRequest,
	signal: AbortSignal,
): AsyncGenerator<ChatStreamEvent[], void> {
	const { limits } = caller;
	const exchange = await caller.stream({
		route: routes.chatCompletions,
		body: { ...check(), stream: true },
		firstByteMs: limits.streamFirstByteMs,
		retry: 'turned-away',
		signal,
	});
	let isWhole = false;
	try {
		const type = exchange.header('content-type') ?? '';
		if (/\bjson\b/i.test(type)) {
			yield new ChatDecoder().decodeWhole(await readJson(exchange, limits.jsonBytes));
		} else if (/\bhtml\b/i.test(type)) {
			throw new ClientError('bad-response', 'a page came in place of a stream', { status: exchange.status });
		} else {
			yield* readEvents(
				new EventStream(exchange, { maximumEventLength: limits.eventLength, clock: caller.clock, life: 'bytes' }),
			);
		}
		isWhole = true;
	} finally {
		if (isWhole) {
			// Not awaited: the reply is whole, and its connection serves the next request if the server ends it well.
			void exchange.drain();
		} else {
			exchange.close();
		}
	}
}

/** contract: not shown. Ends with `[DONE]`, or with a clean close after a `finish_reason`; anything else is `truncated` (unspecified.md). */
async function* readEvents(stream: EventStream): AsyncGenerator<ChatStreamEvent[], void> {
	const decoder = new ChatDecoder();
	while (!decoder.isEnded) {
		const events: ChatStreamEvent[] = [];
		let failure: unknown;
		try {
			const received = await stream.next();
			if (received === undefined) {
				decoder.decodeRest(stream.rest(), events);
				if (!decoder.isEnded) {
					throw truncated();
				}
			}
			for (const event of received ?? []) {
				decoder.decode(event, events);
			}
		} catch (error) {
			failure = ClientError.is(error, 'offline') ? truncated(error) : error;
		}
		// What came before a failure is delivered before it is thrown.
		yield events;
		if (failure !== undefined) {
			throw failure;
		}
	}
}

function truncated(cause?: unknown): ClientError {
	return new ClientError('truncated', 'the reply broke off before its end', { retryable: true, cause });
}
