import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import type { IndexedToolCall } from '../../client/core/toolCallIndexes.ts';
import type { Annotation, Usage } from '../../contract/chatReply.ts';
import { ProviderFailure, type ReasoningDetail, type ReplyChoice, type ReplyChunk } from './provider.ts';

export interface WholeToolCall {
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

export interface WholeChoice {
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

/** Texts are collected in pieces, so that a long reply is joined once instead of being copied for each chunk. */
interface Draft {
	choice: Omit<WholeChoice, 'message'>;
	role: string;
	content: string[];
	reasoning: string[];
	reasoningContent: string[];
	calls: Map<number, WholeToolCall>;
	annotations: Annotation[];
	details: ReasoningDetail[];
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
		choice: { index, finish_reason: null, provider_specific_fields: { native_finish_reason: null } },
		role: 'assistant',
		content: [],
		reasoning: [],
		reasoningContent: [],
		calls: new Map(),
		annotations: [],
		details: [],
		logprobs: [],
	};
}

function add(draft: Draft, { delta, finish_reason, provider_specific_fields, logprobs }: ReplyChoice): void {
	draft.role = delta.role || draft.role;
	push(draft.content, delta.content);
	push(draft.reasoning, delta.reasoning);
	push(draft.reasoningContent, delta.reasoning_content);
	append(draft.annotations, delta.annotations ?? []);
	append(draft.details, delta.reasoning_details ?? []);
	for (const fragment of delta.tool_calls ?? []) {
		addCall(draft.calls, fragment);
	}
	if (finish_reason !== null) {
		draft.choice.finish_reason = finish_reason;
		const native = provider_specific_fields?.native_finish_reason ?? finish_reason;
		draft.choice.provider_specific_fields = { native_finish_reason: native };
	}
	const tokens = typeof logprobs === 'object' && logprobs !== null ? Reflect.get(logprobs, 'content') : undefined;
	if (Array.isArray(tokens)) {
		append(draft.logprobs, tokens);
	}
}

function push(pieces: string[], text: string | null | undefined): void {
	if (text) {
		pieces.push(text);
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

function finished({ choice, role, calls, ...draft }: Draft): WholeChoice {
	const reasoning = draft.reasoning.join('');
	const reasoningContent = draft.reasoningContent.join('');
	const toolCalls = [...calls].sort(([one], [other]) => one - other).map(([, call]) => call);
	return {
		...choice,
		message: {
			role,
			content: draft.content.join(''),
			tool_calls: toolCalls.length === 0 ? null : toolCalls,
			function_call: null,
			...defined({
				reasoning: reasoning || undefined,
				reasoning_content: reasoningContent || undefined,
				annotations: draft.annotations.length === 0 ? undefined : draft.annotations,
				reasoning_details: draft.details.length === 0 ? undefined : draft.details,
			}),
		},
		...defined({ logprobs: draft.logprobs.length === 0 ? undefined : { content: draft.logprobs } }),
	};
}
