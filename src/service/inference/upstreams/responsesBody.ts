// Converts a chat request into one of the Responses API.
import { createHash } from 'node:crypto';
import { defined } from '../../../base/defined.ts';
import { type Fields, isFields } from '../../../base/fields.ts';
import type { ChatMessage, ChatTool, Parameter } from '../../../contract/chatRequest.ts';
import { openReasoningItem, type ResponsesHints, sealedReasoningItem } from '../../../contract/responses.ts';
import type { ModelOffer, ProviderRequest } from '../provider.ts';

/** The chat parameters that the Responses API has as well. */
export const RESPONSES_PARAMETERS: readonly Parameter[] = [
	...(['max_tokens', 'temperature', 'top_p', 'tools', 'tool_choice', 'response_format', 'user'] as const),
];

/** Returns the body of a streamed request, of which the server keeps nothing. */
export function responsesBody(
	request: ProviderRequest,
	{ takesReasoning }: Pick<ModelOffer, 'takesReasoning'>,
): Fields {
	const { model, messages, tools = [], tool_choice: choice, response_format: format, ...parameters } = request;
	const { max_tokens: max_output_tokens, temperature, top_p, user, reasoning_effort: effort } = parameters;
	const { responses = hintsOf(messages) } = parameters;
	const { input, text: hints, ...others } = responses;
	const text = { ...hints, ...defined({ format: format && flatFormat(format) }) };
	return {
		...defined({ reasoning: effort === undefined ? undefined : { effort } }),
		prompt_cache_key: cacheKeyOf(responses),
		...others,
		model,
		input: takesReasoning ? input : input.filter(item => item['type'] !== 'reasoning' || 'encrypted_content' in item),
		...defined({ max_output_tokens, temperature, top_p, user }),
		...(tools.length === 0 ? {} : { tools: tools.map(toolOf), ...defined({ tool_choice: choiceOf(choice) }) }),
		...(Object.keys(text).length === 0 ? {} : { text }),
		include: ['reasoning.encrypted_content'],
		store: false,
		stream: true,
	};
}

/**
 * Returns what all requests of one conversation have in common, so that the server finds their beginning in one cache.
 * A conversation that a summary has replaced begins another way.
 */
function cacheKeyOf({ instructions, input: [first] }: ResponsesHints): string {
	return createHash('sha256')
		.update(JSON.stringify([instructions, first]))
		.digest('base64url')
		.slice(0, 32);
}

function hintsOf(messages: ProviderRequest['messages']): ResponsesHints {
	const begin = messages.findIndex(({ role }) => role !== 'system');
	const preamble = messages.slice(0, begin === -1 ? 0 : begin);
	const instructions = preamble.map(({ content }) => textOf(content)).join('\n\n');
	return {
		...defined({ instructions: instructions || undefined }),
		input: messages.slice(preamble.length).flatMap(itemsOf),
	};
}

function itemsOf({ role, content, ...message }: ProviderRequest['messages'][number]): Fields[] {
	const { tool_call_id: call_id, tool_calls: calls = [], thinking = [], reasoning } = message;
	switch (role) {
		case 'tool':
			return [{ type: 'function_call_output', call_id, output: contentOf(content) }];
		case 'assistant': {
			const sealed = thinking.flatMap(block => ('data' in block ? block.data : []));
			const said = textOf(content);
			return [
				...sealed.map(sealedReasoningItem),
				...(sealed.length > 0 || reasoning === undefined ? [] : [openReasoningItem(reasoning)]),
				...(said === '' ? [] : [{ role, content: said }]),
				...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
			];
		}
		default:
			return [{ role, content: contentOf(content) }];
	}
}

function contentOf(content: ChatMessage['content']): string | Fields[] {
	return typeof content === 'string'
		? content
		: content.map(part =>
				part.type === 'text'
					? { type: 'input_text', text: part.text }
					: { type: 'input_image', image_url: part.image_url.url, detail: 'auto' },
			);
}

function textOf(content: ChatMessage['content']): string {
	return typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')).join('');
}

/** A tool without `strict` would be strict, unlike in chat, and many schemas do not meet its rules. */
function toolOf({ function: { name, description, parameters } }: ChatTool): Fields {
	return {
		type: 'function',
		name,
		...defined({ description }),
		parameters: parameters ?? { type: 'object', properties: {} },
		strict: false,
	};
}

function choiceOf(choice: ProviderRequest['tool_choice']): unknown {
	return typeof choice === 'object' ? { type: 'function', name: choice.function.name } : choice;
}

/** A schema's description is nested in chat and flat here. */
function flatFormat({ type, json_schema: description }: NonNullable<ProviderRequest['response_format']>): Fields {
	return { type, ...(isFields(description) ? description : {}) };
}
