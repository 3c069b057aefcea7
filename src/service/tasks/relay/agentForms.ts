// Requests as agents send them. They have fields beyond the contract, and more with each release, and an agent whose
// request is refused can do nothing about it. So what a gateway can ignore is left out instead of refused.
import { defined } from '../../../base/defined.ts';
import { chatRequestSchema } from '../../../contract/chatRequest.ts';
import { eachObject, type Fields, isFields } from '../../inference/foreignFields.ts';
import type { GatewayRequest } from '../../inference/provider.ts';
import { readChatRequest } from '../../inference/readChatRequest.ts';

/** What stands in place of a part that no model here gets, such as a sound. */
export const OMITTED_PART = '(a part that cannot be passed on)';

const CHAT_FIELDS = [...Object.keys(chatRequestSchema.shape), 'max_completion_tokens'];
const MESSAGE_FIELDS = ['role', 'reasoning', 'reasoning_content'];

/** Returns a copy with those of the fields that are there and not null. */
export function only(names: readonly string[], fields: Fields): Fields {
	const kept: Fields = {};
	for (const name of names) {
		if (fields[name] != null) {
			kept[name] = fields[name];
		}
	}
	return kept;
}

/** Returns the objects of a list, or an empty list. */
export function objectsOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter(isFields) : [];
}

/**
 * Reads the body of an agent's chat request. Without a model, it is for `model`.
 * @throws RequestRefused 400 naming the field that is missing or out of its range.
 */
export function readAgentChat(body: unknown, model: string): GatewayRequest {
	if (!isFields(body)) {
		return readChatRequest(body);
	}
	const { messages, tools, tool_choice: choice, ...rest } = only(CHAT_FIELDS, body);
	const kept = objectsOf(tools).flatMap(({ type, function: called }) =>
		type === 'function' && isFields(called)
			? [{ type, function: only(['name', 'description', 'parameters'], called) }]
			: [],
	);
	return readChatRequest({
		model,
		...rest,
		...defined({ messages: eachObject(messages, messageOf) }),
		// Some servers refuse an empty list, and a choice where there is nothing to choose.
		...(kept.length === 0 ? {} : { tools: kept, ...defined({ tool_choice: choice }) }),
	});
}

function messageOf(message: Fields): Fields {
	const { content, role, tool_call_id, tool_calls } = message;
	const calls = objectsOf(tool_calls).map(({ id, function: called }) => ({
		id,
		type: 'function',
		function: isFields(called) ? only(['name', 'arguments'], called) : called,
	}));
	// A request can have hundreds of thousands of messages, so no further object is made of each.
	const kept = only(MESSAGE_FIELDS, message);
	kept['content'] = Array.isArray(content) ? eachObject(content, partOf) : (content ?? '');
	if (role === 'tool') {
		kept['tool_call_id'] = tool_call_id;
	}
	if (calls.length > 0) {
		kept['tool_calls'] = calls;
	}
	return kept;
}

function partOf(part: Fields): Fields {
	const { type, text, image_url: image } = part;
	if (type === 'image_url' && isFields(image)) {
		return { type, image_url: only(['url'], image) };
	}
	return { type: 'text', text: typeof text === 'string' ? text : OMITTED_PART };
}
