import { defined } from '../../base/defined.ts';
import { chatRequestSchema } from '../../contract/chatRequest.ts';
import { parseOrRefuse } from '../replies.ts';
import {
	anything,
	eachObject,
	exactly,
	type Fields,
	isFields,
	roleOf,
	TOLERATED_IN_TOOL,
	type Tolerated,
	without,
} from './foreignFields.ts';
import type { ProviderRequest } from './provider.ts';

const TOLERATED: Tolerated = {
	// The usage is always sent.
	stream_options: anything,
	n: exactly(1),
	store: exactly(false),
	parallel_tool_calls: exactly(true),
	logprobs: exactly(false),
};

/** Fields of a reply, from this or another service, in a message that is sent back unchanged. */
const TOLERATED_IN_MESSAGE: Tolerated = { annotations: anything, reasoning: anything, reasoning_content: anything };

const TOLERATED_IN_CALL: Tolerated = { index: anything };

/**
 * Reads the body of a chat request, in the form of the contract or in that of clients following public practice
 * (contract: inference.md, Chat completion request).
 * @throws RequestRefused 400 naming the invalid field.
 */
export function readChatRequest(body: unknown): ProviderRequest {
	if (!isFields(body)) {
		return parseOrRefuse(chatRequestSchema, body);
	}
	const { max_completion_tokens: limit, stop, messages, tools, ...rest } = without(TOLERATED, body);
	const request = parseOrRefuse(chatRequestSchema, {
		...rest,
		...defined({
			max_tokens: rest['max_tokens'] ?? limit,
			stop: typeof stop === 'string' ? [stop] : stop,
			messages: eachObject(messages, messageOf),
			tools: eachObject(tools, toolOf),
		}),
	});
	return { ...request, messages: withReasoning(request.messages, messages) };
}

function messageOf(message: Fields): Fields {
	const { tool_calls: calls, ...rest } = without(TOLERATED_IN_MESSAGE, message);
	const isAssistant = rest['role'] === 'assistant';
	return {
		...rest,
		role: roleOf(rest['role']),
		// The content is missing if the message only called tools.
		...(isAssistant && rest['content'] === undefined && calls !== undefined ? { content: '' } : {}),
		...(calls === undefined ? {} : { tool_calls: eachObject(calls, call => without(TOLERATED_IN_CALL, call)) }),
	};
}

function toolOf(tool: Fields): Fields {
	const called = tool['function'];
	return isFields(called) ? { ...tool, function: without(TOLERATED_IN_TOOL, called) } : tool;
}

/** Adds the reasoning that messages came with, for models that accept it (Zero data retention 3). */
function withReasoning(messages: ProviderRequest['messages'], received: unknown): ProviderRequest['messages'] {
	return messages.map((message, index) => {
		const source: unknown = Array.isArray(received) ? received[index] : undefined;
		const said = isFields(source) ? (source['reasoning'] ?? source['reasoning_content']) : undefined;
		return message.role === 'assistant' && typeof said === 'string' && said !== ''
			? { ...message, reasoning: said }
			: message;
	});
}
