import { defined } from '../base/defined.ts';
import {
	type Annotation,
	annotationSchema,
	logprobsSchema,
	receivedToolCallSchema,
	saidContent,
	usageSchema,
} from '../contract/chatReply.ts';
import { PARAMETERS, type Parameter } from '../contract/chatRequest.ts';
import { isAbsent, lenientArray } from '../contract/lenient.ts';
import {
	ChoiceReader,
	hasCalls,
	type ReceivedChunk,
	type ReceivedMessage,
	readChatEvent,
	readCompletion,
	type SplitContent,
	throwErrorOfChoice,
} from './core/chatChunks.ts';
import type { SseEvent } from './core/sse.ts';
import type { ReplyDecoder } from './core/streamedReply.ts';
import type { IndexedToolCall } from './core/toolCallIndexes.ts';
import type { ChatStreamEvent } from './types.ts';

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
export class ChatDecoder implements ReplyDecoder<ChatStreamEvent> {
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
		const known = present(reason);
		if (known === undefined || known === '') {
			return;
		}
		this.mayClose = true;
		this.end(into);
		const native =
			typeof fields === 'object' && fields !== null ? Reflect.get(fields, 'native_finish_reason') : undefined;
		into.push({
			type: 'finish',
			reason: known,
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
