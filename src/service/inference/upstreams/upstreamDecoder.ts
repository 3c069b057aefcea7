import { defined } from '../../../base/defined.ts';
import {
	ChoiceReader,
	hasCalls,
	isFinish,
	type ReceivedChunk,
	type ReceivedMessage,
	readChatEvent,
	readCompletion,
	type SplitContent,
	type ThinkingSplitter,
	throwErrorOfChoice,
} from '../../../client/core/chatChunks.ts';
import type { SseEvent } from '../../../client/core/sse.ts';
import type { ReplyDecoder } from '../../../client/core/streamedReply.ts';
import type { IndexedToolCall } from '../../../client/core/toolCallIndexes.ts';
import { annotationSchema, receivedToolCallSchema, usageSchema } from '../../../contract/chatReply.ts';
import { isAbsent, lenient, lenientArray } from '../../../contract/lenient.ts';
import type { ReplyChoice, ReplyChunk, ReplyDelta } from '../provider.ts';

const toolCallsSchema = lenientArray(receivedToolCallSchema);
const annotationsSchema = lenientArray(annotationSchema);
const lenientUsageSchema = lenient(usageSchema);

type Received = Pick<ReceivedChunk, 'model' | 'usage'> & {
	choices: readonly { finish_reason?: string | null | undefined }[];
};
type ReceivedChoice = Omit<ReceivedChunk['choices'][number], 'delta' | 'message'>;

/** Converts an upstream's stream into a provider's chunks. Fields that do not fit are left out. */
export class UpstreamDecoder implements ReplyDecoder<ReplyChunk> {
	isEnded = false;
	/** contract: not shown. A clean close after a `finish_reason` ends a reply too (unspecified.md, "chunk objects"). */
	mayClose = false;
	private readonly requested: string;
	private readonly choices = new Map<number, ChoiceReader>();

	/** `requested` is the model's name in the request to the upstream. */
	constructor(requested: string) {
		this.requested = requested;
	}

	decode(event: SseEvent, into: ReplyChunk[]): void {
		const chunk = this.isEnded ? undefined : readChatEvent(event);
		if (chunk === undefined) {
			return;
		}
		if (chunk === 'end') {
			this.isEnded = true;
			this.end(into);
			return;
		}
		const choices = chunk.choices.map(choice => {
			const reader = this.readerOf(choice);
			const message = reader.messageOf(choice);
			const calls = message && hasCalls(message) ? toolCallsSchema.parse(message.tool_calls) : [];
			return choiceOf(choice, message, reader, calls.length === 0 ? [] : reader.calls.ofFragments(calls));
		});
		this.mayClose ||= choices.some(({ finish_reason }) => finish_reason !== null);
		this.pushUnlessFailed(chunk, choices, into);
	}

	/** An upstream that does not stream answers with a whole completion. */
	decodeWhole(value: unknown, into: ReplyChunk[]): void {
		const completion = readCompletion(value);
		const choices = completion.choices.map(choice => {
			const reader = this.readerOf(choice);
			return choiceOf(choice, choice.message, reader, reader.calls.ofWhole(choice.message?.tool_calls ?? []));
		});
		this.pushUnlessFailed(completion, choices, into);
		this.isEnded = true;
		this.end(into);
	}

	end(into: ReplyChunk[]): void {
		for (const [index, { thinking }] of this.choices) {
			const delta: ReplyDelta = {};
			addSplit(delta, thinking.end());
			if (Object.keys(delta).length > 0) {
				into.push({ choices: [{ index, delta, finish_reason: null }] });
			}
		}
	}

	private readerOf({ index }: ReceivedChoice): ChoiceReader {
		const known = this.choices.get(index ?? 0);
		if (known !== undefined) {
			return known;
		}
		const reader = new ChoiceReader();
		this.choices.set(index ?? 0, reader);
		return reader;
	}

	/** Before anything has been said, another provider can still be tried. */
	private pushUnlessFailed(chunk: Received, choices: ReplyChoice[], into: ReplyChunk[]): void {
		if (choices.some(({ delta }) => delta.content || delta.reasoning || delta.reasoning_content)) {
			this.push(chunk, choices, into);
			chunk.choices.forEach(throwErrorOfChoice);
		} else {
			chunk.choices.forEach(throwErrorOfChoice);
			this.push(chunk, choices, into);
		}
	}

	private push({ model, usage: told }: Received, choices: ReplyChoice[], into: ReplyChunk[]): void {
		const usage = told === undefined || told === null ? undefined : lenientUsageSchema.parse(told);
		if (choices.length === 0 && usage === undefined) {
			return;
		}
		const isOther = !isAbsent(model) && model !== this.requested;
		into.push({ choices, ...defined({ usage, model: isOther ? model : undefined }) });
	}
}

function choiceOf(
	choice: ReceivedChoice,
	message: ReceivedMessage | null | undefined,
	{ thinking }: ChoiceReader,
	calls: IndexedToolCall[],
): ReplyChoice {
	const { index, finish_reason } = choice;
	const logprobs: unknown = Reflect.get(choice, 'logprobs');
	const native: unknown = Reflect.get(Object(choice.provider_specific_fields), 'native_finish_reason');
	const delta = message ? deltaOf(message, calls, thinking) : {};
	const isLast = isFinish(finish_reason);
	if (isLast && !thinking.isOver) {
		addSplit(delta, thinking.end());
	}
	return {
		index: index ?? 0,
		delta,
		finish_reason: isLast ? finish_reason : null,
		...defined({
			provider_specific_fields: typeof native === 'string' ? { native_finish_reason: native } : undefined,
			logprobs: isAbsent(logprobs) ? undefined : logprobs,
		}),
	};
}

function deltaOf(message: ReceivedMessage, calls: IndexedToolCall[], thinking: ThinkingSplitter): ReplyDelta {
	const { content, reasoning, reasoning_content, annotations } = message;
	const role: unknown = Reflect.get(message, 'role');
	const delta: ReplyDelta = {};
	if (typeof role === 'string') {
		delta.role = role;
	}
	if (!isAbsent(reasoning)) {
		delta.reasoning = reasoning;
	}
	if (!isAbsent(reasoning_content)) {
		delta.reasoning_content = reasoning_content;
	}
	if (content && !thinking.isOver) {
		addSplit(delta, thinking.split(content));
	} else if (content !== undefined) {
		delta.content = content;
	}
	if (calls.length > 0) {
		delta.tool_calls = calls;
	}
	const sources = isAbsent(annotations) ? [] : annotationsSchema.parse(annotations);
	if (sources.length > 0) {
		delta.annotations = sources;
	}
	return delta;
}

/** Adds the reasoning and text found in a content, the reasoning in the field that the delta already uses for it. */
function addSplit(delta: ReplyDelta, { reasoning, text }: SplitContent): void {
	if (reasoning !== '') {
		const field = delta.reasoning ? 'reasoning' : 'reasoning_content';
		delta[field] = (delta[field] ?? '') + reasoning;
	}
	if (text !== '') {
		delta.content = (delta.content ?? '') + text;
	}
}
