import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import { fieldOf } from '../base/fields.ts';
import {
	type Annotation,
	annotationSchema,
	type ChatCompletion,
	logprobsSchema,
	receivedToolCallSchema,
	saidContent,
	usageSchema,
} from '../contract/chatReply.ts';
import { type ChatRequest, chatRequestSchema, PARAMETERS, type Parameter } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import { imageRequestSchema, readImageUrl, splitDigest } from '../contract/images.ts';
import { isAbsent, lenientArray } from '../contract/lenient.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { type Route, routes } from '../contract/routes.ts';
import { routingProblem, routingReasonText } from '../contract/routing.ts';
import { searchModelOf } from '../contract/search.ts';
import { BatchedStream } from './core/batchedStream.ts';
import type { Caller } from './core/caller.ts';
import {
	ChoiceReader,
	hasCalls,
	isFinish,
	type ReceivedChunk,
	type ReceivedMessage,
	readChatEvent,
	readCompletion,
	type SplitContent,
	throwErrorOfChoice,
} from './core/chatChunks.ts';
import { checkRequest, outOfRange } from './core/requestCheck.ts';
import type { SseEvent } from './core/sse.ts';
import { type ReplyDecoder, StreamedReply } from './core/streamedReply.ts';
import type { IndexedToolCall } from './core/toolCallIndexes.ts';
import type { ChatStreamEvent, Client } from './types.ts';

/** Chat completions (contract: inference.md). */
export function createChat(caller: Caller): Client['chat'] {
	return {
		complete: async (request, { signal } = {}) => completeChat(caller, request, signal, completion => completion),
		stream: (request, { signal } = {}) => streamChat(caller, routes.chatCompletions, request, signal),
	};
}

/** Resolves with the value that `read` returns for the whole reply to a chat request. */
async function completeChat<T>(
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

const toolCallsSchema = lenientArray(receivedToolCallSchema);
const annotationsSchema = lenientArray(annotationSchema);

/** Returns the request's parameters that the model does not accept, which only the local service reports. */
function leftOutOf(reply: object): Parameter[] | undefined {
	const told: unknown = Reflect.get(reply, 'left_out');
	const names = Array.isArray(told) ? PARAMETERS.filter(name => told.includes(name)) : [];
	return names.length === 0 ? undefined : names;
}

/** The fields of a chunk or a completion besides its choices. The last two are unchecked in plain chunks. */
interface Head {
	provider?: Maybe;
	model?: Maybe;
	id?: Maybe;
	created?: unknown;
	system_fingerprint?: unknown;
}

type Choice = Omit<ReceivedChunk['choices'][number], 'delta' | 'message'>;

/**
 * Converts the chunks of one reply into the events of its stream. Only the first of several choices is read, because
 * the contract has no way to request more. Fields that are missing, null or `None` produce no event.
 */
class ChatDecoder implements ReplyDecoder<ChatStreamEvent> {
	/** True once `[DONE]` has come. */
	isEnded = false;
	/** contract: not shown. A clean close after a `finish_reason` also ends a reply (unspecified.md, chunk objects). */
	mayClose = false;
	private provider: string | undefined;
	private model: string | undefined;
	private id: string | undefined;
	private readonly choice = new ChoiceReader();

	/** Appends the events in `event` to `into`. Throws the error that `event` carries, or `bad-response`. */
	decode(event: SseEvent, into: ChatStreamEvent[]): void {
		const chunk = this.isEnded ? undefined : readChatEvent(event);
		if (chunk === undefined) {
			return;
		}
		if (chunk === 'end') {
			this.isEnded = true;
			this.end(into);
			return;
		}
		this.readServed(chunk, into);
		for (const choice of chunk.choices) {
			if ((choice.index ?? 0) === 0) {
				const message = this.choice.messageOf(choice);
				this.readChoice(choice, message, message ? this.callsOf(message) : [], into);
			}
		}
		readUsage(chunk.usage, into);
	}

	/** Appends the events of a whole completion that came instead of a stream. Throws like `decode`. */
	decodeWhole(value: unknown, into: ChatStreamEvent[]): void {
		const completion = readCompletion(value);
		const { choices, usage } = completion;
		this.readServed(completion, into);
		const [choice] = choices;
		if (choice !== undefined) {
			this.readChoice(choice, choice.message, this.choice.calls.ofWhole(choice.message?.tool_calls ?? []), into);
		}
		readUsage(usage, into);
		this.isEnded = true;
		this.end(into);
	}

	end(into: ChatStreamEvent[]): void {
		pushSplit(this.choice.thinking.end(), into);
	}

	private callsOf(message: ReceivedMessage): IndexedToolCall[] {
		return hasCalls(message) ? this.choice.calls.ofFragments(toolCallsSchema.parse(message.tool_calls)) : [];
	}

	private readServed(reply: Head, into: ChatStreamEvent[]): void {
		const { provider, model, id } = reply;
		const isNews =
			(this.provider === undefined && !isAbsent(provider)) || (this.model === undefined && !isAbsent(model));
		if (!isNews) {
			return;
		}
		this.provider ??= present(provider);
		this.model ??= present(model);
		this.id ??= present(id);
		into.push({
			type: 'served',
			...defined({
				...{ provider: this.provider, model: this.model, id: this.id, leftOut: leftOutOf(reply) },
				created: typeof reply.created === 'number' ? reply.created : undefined,
				fingerprint: typeof reply.system_fingerprint === 'string' ? present(reply.system_fingerprint) : undefined,
			}),
		});
	}

	private readChoice(
		choice: Choice,
		message: ReceivedMessage | null | undefined,
		calls: readonly IndexedToolCall[],
		into: ChatStreamEvent[],
	): void {
		if (message) {
			this.readMessage(message, calls, into);
		}
		readLogprobs(choice['logprobs'], into);
		throwErrorOfChoice(choice);
		this.readFinish(choice.finish_reason, choice.provider_specific_fields, into);
	}

	private readMessage(message: ReceivedMessage, calls: readonly IndexedToolCall[], into: ChatStreamEvent[]): void {
		const { content, annotations } = message;
		const { thinking } = this.choice;
		const reasoning = present(message.reasoning) || present(message.reasoning_content);
		if (reasoning) {
			into.push({ type: 'reasoning', text: reasoning });
		}
		const said = saidContent(content, hasCalls(message));
		if (said && thinking.isOver) {
			into.push({ type: 'text', text: said });
		} else if (said) {
			pushSplit(thinking.split(said), into);
		}
		for (const { index, id, function: called } of calls) {
			into.push({
				type: 'toolCall',
				index,
				...defined({ id, name: called?.name }),
				arguments: called?.arguments ?? '',
			});
		}
		if (Array.isArray(annotations) && annotations.length > 0) {
			const known: Annotation[] = annotationsSchema.parse(annotations);
			if (known.length > 0) {
				into.push({ type: 'annotations', annotations: known });
			}
		}
	}

	private readFinish(reason: Maybe, fields: unknown, into: ChatStreamEvent[]): void {
		if (!isFinish(reason)) {
			return;
		}
		this.mayClose = true;
		this.end(into);
		const native = fieldOf(fields, 'native_finish_reason');
		into.push({
			type: 'finish',
			reason,
			...defined({ nativeReason: typeof native === 'string' && !isAbsent(native) ? native : undefined }),
		});
	}
}

function pushSplit({ reasoning, text }: SplitContent, into: ChatStreamEvent[]): void {
	if (reasoning !== '') {
		into.push({ type: 'reasoning', text: reasoning });
	}
	if (text !== '') {
		into.push({ type: 'text', text });
	}
}

type Maybe = string | null | undefined;

function present(value: Maybe): string | undefined {
	return isAbsent(value) ? undefined : value;
}

function readLogprobs(logprobs: unknown, into: ChatStreamEvent[]): void {
	if (isAbsent(logprobs)) {
		return;
	}
	const { content = [] } = logprobsSchema.safeParse(logprobs).data ?? {};
	if (content.length > 0) {
		const plain = ({ token, logprob }: { token: string; logprob: number }) => ({ token, logprob });
		into.push({
			type: 'logprobs',
			tokens: content.map(({ top_logprobs: top, ...token }) => ({ ...plain(token), top: top.map(plain) })),
		});
	}
}

function readUsage(usage: unknown, into: ChatStreamEvent[]): void {
	if (isAbsent(usage)) {
		return;
	}
	const known = usageSchema.safeParse(usage);
	if (known.success) {
		into.push({ type: 'usage', usage: known.data });
	}
}
