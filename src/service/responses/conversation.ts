// Converts the items of a responses request into the messages of a chat request (contract: inference.md, Responses
// request).
import { defined } from '../../base/defined.ts';
import { type Fields, isFields, only } from '../../base/fields.ts';
import type { ChatParameters, ChatTool, ToolCall } from '../../contract/chatRequest.ts';
import {
	type InputItem,
	openReasoningItem,
	type ResponsesHints,
	type ResponsesRequest,
	sealedReasoningItem,
} from '../../contract/responses.ts';
import type { GatewayRequest } from '../inference/provider.ts';
import { isServerSealed } from '../inference/serverSeal.ts';
import type { ReasoningSeal } from './reasoningSeal.ts';
import { refusal } from './responsesRequest.ts';

type Message = GatewayRequest['messages'][number];

/** One turn of the model. Several items describe it, while chat has a single message for it. */
interface AssistantTurn {
	reasoning: string[];
	text: string | undefined;
	calls: ToolCall[];
}

/**
 * Converts a responses request. `parameters` are those of its fields that the contract defines for chat only, and `body`
 * is the request before it was read.
 * @throws RequestRefused 400 naming the invalid item.
 */
export function chatRequestOf(
	request: ResponsesRequest,
	seal: ReasoningSeal,
	parameters: ChatParameters = {},
	body: Fields = {},
): GatewayRequest {
	const { model, instructions, input, tools = [], tool_choice: choice, parallel_tool_calls } = request;
	const messages = messagesOf(input, seal);
	if (typeof choice === 'object' && !tools.some(({ name }) => name === choice.name)) {
		throw refusal('tool_choice.name: it names a tool that is not in tools');
	}
	return {
		...parameters,
		...defined({ parallel_tool_calls }),
		model,
		responses: hintsOf(request, body, seal),
		messages: instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages],
		...defined({ tools: tools.length === 0 ? undefined : tools.map(nestedTool) }),
		// Without tools there is nothing to choose, and some servers then refuse a request with a choice.
		...defined({
			tool_choice:
				tools.length === 0 || choice === undefined
					? undefined
					: typeof choice === 'object'
						? { type: 'function' as const, function: { name: choice.name } }
						: choice,
		}),
	};
}

function nestedTool({ name, description, parameters }: NonNullable<ResponsesRequest['tools']>[number]): ChatTool {
	return {
		type: 'function',
		function: {
			name,
			...defined({ description, parameters }),
		},
	};
}

function messagesOf(input: readonly InputItem[], seal: ReasoningSeal): Message[] {
	const entries: (Message | AssistantTurn)[] = [];
	const results = new Map<string, string>();
	const called = new Map<string, number>();
	let turn: AssistantTurn | undefined;
	const openTurn = (): AssistantTurn => {
		if (turn === undefined) {
			turn = { reasoning: [], text: undefined, calls: [] };
			entries.push(turn);
		}
		return turn;
	};
	for (const [index, item] of input.entries()) {
		switch (item.type) {
			case 'reasoning': {
				const reasoning = openReasoning(item, index, seal);
				if (reasoning !== undefined) {
					openTurn().reasoning.push(reasoning);
				}
				break;
			}
			case 'function_call':
				if (called.has(item.call_id)) {
					throw refusal(`input[${index}].call_id: another function_call has it too`);
				}
				called.set(item.call_id, index);
				openTurn().calls.push({
					id: item.call_id,
					type: 'function',
					function: { name: item.name, arguments: item.arguments },
				});
				break;
			case 'function_call_output':
				if (!called.has(item.call_id) || results.has(item.call_id)) {
					const why = results.has(item.call_id)
						? 'the call has an output already'
						: 'no function_call before it has it';
					throw refusal(`input[${index}].call_id: ${why}`);
				}
				results.set(item.call_id, item.output);
				turn = undefined;
				break;
			default: {
				const content = typeof item.content === 'string' ? item.content : item.content.map(({ text }) => text).join('');
				if (item.role !== 'assistant') {
					turn = undefined;
					entries.push({ role: item.role, content });
					break;
				}
				if (turn?.text !== undefined || (turn?.calls.length ?? 0) > 0) {
					turn = undefined;
				}
				openTurn().text = content;
			}
		}
	}
	for (const [id, index] of called) {
		if (!results.has(id)) {
			throw refusal(`input[${index}].call_id: the call has no function_call_output after it`);
		}
	}
	return entries.flatMap(entry => ('role' in entry ? [entry] : messagesOfTurn(entry, results)));
}

/** The result of each call directly follows the message with the call, as chat requires. */
function messagesOfTurn({ reasoning, text, calls }: AssistantTurn, results: ReadonlyMap<string, string>): Message[] {
	if (text === undefined && calls.length === 0) {
		// Chat has no message for reasoning that led to nothing.
		return [];
	}
	return [
		{
			role: 'assistant',
			content: text ?? '',
			...defined({
				tool_calls: calls.length === 0 ? undefined : calls,
				reasoning: reasoning.length === 0 ? undefined : reasoning.join('\n\n'),
			}),
		},
		...calls.map(({ id }): Message => ({ role: 'tool', tool_call_id: id, content: results.get(id) ?? '' })),
	];
}

/** Returns undefined for reasoning that only the model's own server can read. */
function openReasoning({ encrypted_content: sealed }: Fields, index: number, seal: ReasoningSeal): string | undefined {
	if (isServerSealed(sealed)) {
		return undefined;
	}
	const reasoning = typeof sealed === 'string' ? seal.open(sealed) : undefined;
	if (reasoning === undefined) {
		throw refusal(
			`input[${index}].encrypted_content: it was not sealed by this service, or was changed since; send reasoning items back as they came, or leave them out`,
		);
	}
	return reasoning;
}

/**
 * Returns what a model server with the same API gets of a request as it is. `body` is the request before it was read. A
 * service tier and a longer retention are not among it: the user's prices and data policy would no longer hold.
 */
function hintsOf({ instructions, input }: ResponsesRequest, body: Fields, seal: ReasoningSeal): ResponsesHints {
	const text = isFields(body['text']) ? only(['verbosity'], body['text']) : {};
	return {
		...only(['reasoning', 'prompt_cache_key', 'safety_identifier'], body),
		...defined({ instructions }),
		text,
		input: input.map((item, index) => {
			if (item.type !== 'reasoning') {
				return { ...item };
			}
			const reasoning = openReasoning(item, index, seal);
			return reasoning === undefined
				? sealedReasoningItem(String(item['encrypted_content']))
				: openReasoningItem(reasoning);
		}),
	};
}
