// Asks a model that has only the responses endpoint for a reply of the chat (contract: inference.md, Responses).
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { ResponseOutput } from '../../client/responseOutput.ts';
import type { Client } from '../../client/types.ts';
import { usageSchema } from '../../contract/chatReply.ts';
import type { ChatRequest } from '../../contract/chatRequest.ts';
import {
	DEFAULT_INSTRUCTIONS,
	type InputItem,
	type OutputItem,
	type ReasoningItem,
	type ResponsesRequest,
} from '../../contract/responses.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';

/**
 * Converts a chat request without images. `reasoning` has the items of each reply in the request, in order; each
 * precedes the words that followed it.
 */
export function toResponsesRequest(
	{ model, messages }: Pick<ChatRequest, 'model' | 'messages'>,
	reasoning: readonly (readonly ReasoningItem[])[],
): ResponsesRequest {
	const instructions: string[] = [];
	const input: InputItem[] = [];
	const reasons = reasoning.values();
	for (const { role, content } of messages) {
		if (role === 'tool' || typeof content !== 'string') {
			throw new TypeError('The responses endpoint takes texts alone.');
		}
		if (role === 'system') {
			instructions.push(content);
			continue;
		}
		if (role === 'assistant') {
			append(input, reasons.next().value ?? []);
		}
		input.push({ role, content });
	}
	return { model, instructions: instructions.join('\n\n') || DEFAULT_INSTRUCTIONS, input };
}

/** Yields the events of a reply. Rejects with a ClientError. */
export async function* responsesReply(
	client: Pick<Client, 'responses'>,
	request: ResponsesRequest,
	signal: AbortSignal,
): AsyncGenerator<ReplyEvent> {
	const output = new ResponseOutput();
	let isWordless = true;
	for await (const event of client.responses.stream(request, { signal })) {
		output.add(event);
		if (event.type === 'response.output_text.delta' && event.delta) {
			isWordless = false;
			yield { type: 'text', text: event.delta };
		}
		if (event.type !== 'response.created' && event.type !== 'response.completed') {
			continue;
		}
		const { model, id, created_at: created, usage } = event.response ?? {};
		yield { type: 'served', ...defined({ model, id, created }) };
		if (event.type === 'response.created') {
			continue;
		}
		const items = output.items();
		if (isWordless) {
			yield { type: 'text', text: items.map(textOf).join('') };
		}
		yield { type: 'reasoningItems', items: items.filter(item => item.type === 'reasoning') };
		if (usage) {
			const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = usage;
			const counts = {
				prompt_tokens: input_tokens,
				completion_tokens: output_tokens,
				total_tokens,
				prompt_tokens_details: input_tokens_details,
				completion_tokens_details: output_tokens_details,
			};
			yield { type: 'usage', usage: usageSchema.parse(counts) };
		}
		yield { type: 'finish', reason: 'stop' };
	}
}

function textOf(item: OutputItem): string {
	return item.type === 'message' ? item.content.map(({ text = '' }) => text).join('') : '';
}
