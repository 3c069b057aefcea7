import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import type { IndexedToolCall } from '../../client/core/toolCallIndexes.ts';
import type { Annotation, Usage } from '../../contract/chatReply.ts';
import { ProviderFailure, type ReasoningDetail, type ReplyChoice, type ReplyChunk } from './provider.ts';

interface WholeToolCall {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

export interface WholeMessage {
	role: string;
	content: string;
	tool_calls: WholeToolCall[] | null;
	function_call: null;
	reasoning?: string;
	reasoning_content?: string;
	annotations?: Annotation[];
	reasoning_details?: ReasoningDetail[];
}

interface WholeChoice {
	index: number;
	message: WholeMessage;
	finish_reason: string | null;
	provider_specific_fields: { native_finish_reason: string | null };
	logprobs?: unknown;
}

export interface WholeReply {
	choices: WholeChoice[];
	usage?: Usage;
	/** The name of the resolved model, if the provider sent one. */
	model?: string;
}

interface Draft {
	choice: WholeChoice;
	calls: Map<number, WholeToolCall>;
	logprobs: unknown[];
}

/**
 * The maximum number of characters in all chunks, so that a provider that never ends its reply cannot fill the memory.
 */
const MAXIMUM_SIZE = 32 * 1024 * 1024;

/**
 * Merges the chunks of a reply into one that was not streamed, as the contract defines it.
 * @throws ProviderFailure if the reply is too large, or what the chunks throw.
 */
export async function wholeReply(chunks: AsyncIterable<ReplyChunk>): Promise<WholeReply> {
	const drafts = new Map<number, Draft>();
	let usage: Usage | undefined;
	let model: string | undefined;
	let size = 0;
	for await (const chunk of chunks) {
		size += JSON.stringify(chunk).length;
		if (size > MAXIMUM_SIZE) {
			throw new ProviderFailure('upstream_error', 'The reply is larger than what the service puts together.');
		}
		usage = chunk.usage ?? usage;
		model = chunk.model ?? model;
		for (const choice of chunk.choices) {
			let draft = drafts.get(choice.index);
			if (draft === undefined) {
				draft = newDraft(choice.index);
				drafts.set(choice.index, draft);
			}
			add(draft, choice);
		}
	}
	const choices = [...drafts.values()].map(finished).sort((one, other) => one.index - other.index);
	return { choices, ...defined({ usage, model }) };
}

function newDraft(index: number): Draft {
	return {
		choice: {
			index,
			message: { role: 'assistant', content: '', tool_calls: null, function_call: null },
			finish_reason: null,
			provider_specific_fields: { native_finish_reason: null },
		},
		calls: new Map(),
		logprobs: [],
	};
}

function add(draft: Draft, { delta, finish_reason, provider_specific_fields, logprobs }: ReplyChoice): void {
	const { choice } = draft;
	const { message } = choice;
	message.role = delta.role || message.role;
	message.content += delta.content ?? '';
	for (const field of ['reasoning', 'reasoning_content'] as const) {
		if (delta[field]) {
			message[field] = (message[field] ?? '') + delta[field];
		}
	}
	if (delta.annotations?.length) {
		message.annotations ??= [];
		append(message.annotations, delta.annotations);
	}
	if (delta.reasoning_details?.length) {
		message.reasoning_details ??= [];
		append(message.reasoning_details, delta.reasoning_details);
	}
	for (const fragment of delta.tool_calls ?? []) {
		addCall(draft.calls, fragment);
	}
	if (finish_reason !== null) {
		choice.finish_reason = finish_reason;
		const native = provider_specific_fields?.native_finish_reason ?? finish_reason;
		choice.provider_specific_fields = { native_finish_reason: native };
	}
	const tokens: unknown = Reflect.get(Object(logprobs), 'content');
	if (Array.isArray(tokens)) {
		append(draft.logprobs, tokens);
	}
}

function addCall(calls: Draft['calls'], { index, id, function: called }: IndexedToolCall): void {
	const begun = calls.get(index);
	calls.set(index, {
		id: begun?.id || id || '',
		type: 'function',
		function: {
			name: begun?.function.name || called?.name || '',
			arguments: (begun?.function.arguments ?? '') + (called?.arguments ?? ''),
		},
	});
}

function finished({ choice, calls, logprobs }: Draft): WholeChoice {
	const toolCalls = [...calls].sort(([one], [other]) => one - other).map(([, call]) => call);
	choice.message.tool_calls = toolCalls.length === 0 ? null : toolCalls;
	return { ...choice, ...defined({ logprobs: logprobs.length === 0 ? undefined : { content: logprobs } }) };
}
