import { ClientError } from '../../../base/errors.ts';
import { type ReceivedChunk, readChatEvent } from '../../../client/core/chatEvent.ts';
import { throwErrorIn } from '../../../client/core/replyData.ts';
import type { SseEvent } from '../../../client/core/sse.ts';
import type { ReplyDecoder } from '../../../client/core/streamedReply.ts';
import {
	annotationSchema,
	chatCompletionSchema,
	receivedToolCallSchema,
	usageSchema,
} from '../../../contract/chatReply.ts';
import { isAbsent, lenient, lenientArray } from '../../../contract/lenient.ts';
import type { ReplyChoice, ReplyChunk, ReplyDelta } from '../provider.ts';

const toolCallsSchema = lenientArray(receivedToolCallSchema);
const annotationsSchema = lenientArray(annotationSchema);
const lenientUsageSchema = lenient(usageSchema);

type ReceivedChoice = ReceivedChunk['choices'][number];
type ReceivedDelta = NonNullable<ReceivedChoice['delta']>;

/** Converts an upstream's stream into a provider's chunks. Fields that do not fit are left out. */
export class UpstreamDecoder implements ReplyDecoder<ReplyChunk> {
	isEnded = false;
	/** contract: not shown. A clean close after a `finish_reason` ends a reply too (unspecified.md, "chunk objects"). */
	mayClose = false;
	private readonly requested: string;

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
			return;
		}
		const choices = chunk.choices.map(choice => choiceOf(choice, choice.delta));
		this.mayClose ||= choices.some(({ finish_reason }) => finish_reason !== null);
		this.push(chunk, choices, into);
	}

	/** An upstream that does not stream answers with a whole completion. */
	decodeWhole(value: unknown): ReplyChunk[] {
		throwErrorIn(value);
		const completion = chatCompletionSchema.safeParse(value).data;
		if (completion === undefined || completion.choices.length === 0) {
			throw new ClientError('bad-response', 'the reply is no completion');
		}
		const chunks: ReplyChunk[] = [];
		this.push(
			completion,
			completion.choices.map(choice => choiceOf(choice, choice.message)),
			chunks,
		);
		this.isEnded = true;
		return chunks;
	}

	private push(
		{ model, usage: told }: Pick<ReceivedChunk, 'model' | 'usage'>,
		choices: ReplyChoice[],
		into: ReplyChunk[],
	): void {
		const usage = told === undefined || told === null ? undefined : lenientUsageSchema.parse(told);
		if (choices.length === 0 && usage === undefined) {
			return;
		}
		const isOther = !isAbsent(model) && model !== this.requested;
		into.push({ choices, ...(usage === undefined ? {} : { usage }), ...(isOther ? { model } : {}) });
	}
}

function choiceOf(choice: Omit<ReceivedChoice, 'delta'>, message: ReceivedDelta | null | undefined): ReplyChoice {
	const { index, finish_reason } = choice;
	const logprobs: unknown = Reflect.get(choice, 'logprobs');
	const native: unknown = Reflect.get(Object(choice.provider_specific_fields), 'native_finish_reason');
	return {
		index: index ?? 0,
		delta: deltaOf(message),
		finish_reason: isAbsent(finish_reason) ? null : finish_reason,
		...(typeof native === 'string' ? { provider_specific_fields: { native_finish_reason: native } } : {}),
		...(isAbsent(logprobs) ? {} : { logprobs }),
	};
}

function deltaOf(message: ReceivedDelta | null | undefined): ReplyDelta {
	if (!message) {
		return {};
	}
	const { content, reasoning, reasoning_content, tool_calls, annotations } = message;
	const role: unknown = Reflect.get(message, 'role');
	const delta: ReplyDelta = {};
	if (typeof role === 'string') {
		delta.role = role;
	}
	if (content !== undefined) {
		delta.content = content;
	}
	if (!isAbsent(reasoning)) {
		delta.reasoning = reasoning;
	}
	if (!isAbsent(reasoning_content)) {
		delta.reasoning_content = reasoning_content;
	}
	const calls = isAbsent(tool_calls) ? [] : toolCallsSchema.parse(tool_calls);
	if (calls.length > 0) {
		delta.tool_calls = calls;
	}
	const sources = isAbsent(annotations) ? [] : annotationsSchema.parse(annotations);
	if (sources.length > 0) {
		delta.annotations = sources;
	}
	return delta;
}
