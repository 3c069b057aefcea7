import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import {
	type Annotation,
	annotationSchema,
	type ChatCompletion,
	chatCompletionSchema,
	logprobsSchema,
	receivedToolCallSchema,
	saidContent,
	usageSchema,
} from '../contract/chatReply.ts';
import { PARAMETERS, type Parameter } from '../contract/chatRequest.ts';
import { isAbsent, lenientArray } from '../contract/lenient.ts';
import { type ReceivedChunk, readChatEvent } from './core/chatEvent.ts';
import { throwErrorIn } from './core/replyData.ts';
import type { SseEvent } from './core/sse.ts';
import type { ReplyDecoder } from './core/streamedReply.ts';
import type { ChatStreamEvent } from './types.ts';

const toolCallsSchema = lenientArray(receivedToolCallSchema);
const annotationsSchema = lenientArray(annotationSchema);

/** A fragment's index names its call, and readers may keep a list by it, so the index is limited. */
const MAXIMUM_TOOL_CALLS = 1024;

/** The local service names the parameters of the request that the model does not take. */
function leftOutOf(reply: object): Parameter[] | undefined {
	const told: unknown = Reflect.get(reply, 'left_out');
	const names = Array.isArray(told) ? PARAMETERS.filter(name => told.includes(name)) : [];
	return names.length === 0 ? undefined : names;
}

type Delta = NonNullable<ReceivedChunk['choices'][number]['delta']>;

/**
 * Converts the chunks of one reply into the events of its stream. Only the first of several choices is read, because
 * the contract has no request for more. Fields that are missing, null or `None` give no event.
 */
export class ChatDecoder implements ReplyDecoder<ChatStreamEvent> {
	/** `[DONE]` has come. */
	isEnded = false;
	/** contract: not shown. A clean close after a `finish_reason` also ends a reply (unspecified.md, chunk objects). */
	mayClose = false;
	private provider: string | undefined;
	private model: string | undefined;
	private id: string | undefined;
	private lastToolCall = -1;

	/** Appends the events in `event` to `into`. Throws the error that it carries, or `bad-response`. */
	decode(event: SseEvent, into: ChatStreamEvent[]): void {
		const chunk = this.isEnded ? undefined : readChatEvent(event);
		if (chunk === undefined) {
			return;
		}
		if (chunk === 'end') {
			this.isEnded = true;
			return;
		}
		this.readServed(chunk, into);
		for (const choice of chunk.choices) {
			if ((choice.index ?? 0) === 0) {
				this.readDelta(choice.delta, into);
				readLogprobs(choice.logprobs, into);
				this.readFinish(choice.finish_reason, choice.provider_specific_fields, into);
			}
		}
		readUsage(chunk.usage, into);
	}

	/** Returns the events of a whole completion that came instead of a stream. Throws as `decode` does. */
	decodeWhole(value: unknown): ChatStreamEvent[] {
		throwErrorIn(value);
		const completion = readCompletion(value);
		const events: ChatStreamEvent[] = [];
		const { choices, usage } = completion;
		this.readServed(completion, events);
		const [choice] = choices;
		this.readDelta(choice?.message, events);
		readLogprobs(choice?.['logprobs'], events);
		this.readFinish(choice?.finish_reason, choice?.provider_specific_fields, events);
		readUsage(usage, events);
		this.isEnded = true;
		return events;
	}

	private readServed(reply: { provider?: Maybe; model?: Maybe; id?: Maybe }, into: ChatStreamEvent[]): void {
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
			...defined({ provider: this.provider, model: this.model, id: this.id, leftOut: leftOutOf(reply) }),
		});
	}

	private readDelta(delta: Delta | null | undefined, into: ChatStreamEvent[]): void {
		if (!delta) {
			return;
		}
		const { content, tool_calls: toolCalls, annotations } = delta;
		const reasoning = present(delta.reasoning) || present(delta.reasoning_content);
		if (reasoning) {
			into.push({ type: 'reasoning', text: reasoning });
		}
		const hasToolCalls = Array.isArray(toolCalls) && toolCalls.length > 0;
		const said = saidContent(content, hasToolCalls);
		if (said) {
			into.push({ type: 'text', text: said });
		}
		if (hasToolCalls) {
			for (const call of toolCallsSchema.parse(toolCalls)) {
				this.readToolCall(call, into);
			}
		}
		if (Array.isArray(annotations) && annotations.length > 0) {
			const known: Annotation[] = annotationsSchema.parse(annotations);
			if (known.length > 0) {
				into.push({ type: 'annotations', annotations: known });
			}
		}
	}

	/** A fragment without an index belongs to the last call, unless it has an id, which begins the next call. */
	private readToolCall(call: ReturnType<typeof toolCallsSchema.parse>[number], into: ChatStreamEvent[]): void {
		const { id, function: called } = call;
		const index = call.index ?? Math.max(0, id === undefined ? this.lastToolCall : this.lastToolCall + 1);
		if (!Number.isInteger(index) || index < 0 || index >= MAXIMUM_TOOL_CALLS) {
			throw new ClientError('bad-response', 'a tool call of the reply has an impossible index');
		}
		this.lastToolCall = index;
		into.push({
			type: 'toolCall',
			index,
			...defined({ id }),
			...defined({ name: called?.name }),
			arguments: called?.arguments ?? '',
		});
	}

	private readFinish(reason: Maybe, fields: unknown, into: ChatStreamEvent[]): void {
		const known = present(reason);
		if (known === undefined || known === '') {
			return;
		}
		this.mayClose = true;
		const native =
			typeof fields === 'object' && fields !== null ? Reflect.get(fields, 'native_finish_reason') : undefined;
		into.push({
			type: 'finish',
			reason: known,
			...(typeof native === 'string' && !isAbsent(native) ? { nativeReason: native } : {}),
		});
	}
}

/** Reads a whole completion. Throws `bad-response` for anything else. */
export function readCompletion(value: unknown): ChatCompletion {
	const completion = chatCompletionSchema.safeParse(value).data;
	if (!completion || completion.choices.length === 0) {
		throw new ClientError('bad-response', 'the reply has no choices');
	}
	return completion;
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
