// Chat requests as agents send them. They have fields beyond the contract, and more with each release, and an agent
// cannot do anything about a refusal. Whatever a service can ignore is therefore left out instead of refused.
import { defined } from '../../base/defined.ts';
import { eachObject, type Fields, isFields, objectsOf, only } from '../../base/fields.ts';
import { chatRequestSchema } from '../../contract/chatRequest.ts';
import { OMITTED_PART, roleOf, withDocumentedNames } from '../../contract/foreignNames.ts';

const CHAT_FIELDS = [...Object.keys(chatRequestSchema.shape), 'max_completion_tokens'];
const OWN_FIELDS = [...CHAT_FIELDS, 'reasoning_effort'];
const REASONING_FIELDS = ['reasoning', 'reasoning_content', 'reasoning_details'];

/**
 * Returns the fields of an agent's chat request that a service can use; their values are not checked. The result has
 * the form of the contract, unless `isForOwnService`: our own service also reads how much to reason, the reasoning of
 * messages, and the names of public practice, which it passes on unchanged.
 */
export function reduceChat(body: Fields, isForOwnService: boolean): Fields {
	const { messages, tools, tool_choice: choice, ...rest } = only(isForOwnService ? OWN_FIELDS : CHAT_FIELDS, body);
	const kept = objectsOf(tools).flatMap(({ type, function: called }) =>
		type === 'function' && isFields(called)
			? [{ type, function: only(['name', 'description', 'parameters'], called) }]
			: [],
	);
	const messageFields = isForOwnService ? REASONING_FIELDS : [];
	return {
		...(isForOwnService ? rest : withDocumentedNames(rest)),
		...defined({ messages: eachObject(messages, message => messageOf(message, messageFields)) }),
		// Some servers refuse an empty list, and a choice when there is nothing to choose.
		...(kept.length === 0 ? {} : { tools: kept, ...defined({ tool_choice: choice }) }),
	};
}

function messageOf(message: Fields, fields: readonly string[]): Fields {
	const { content, role, tool_call_id, tool_calls } = message;
	const calls = objectsOf(tool_calls).map(({ id, function: called }) => ({
		id,
		type: 'function',
		function: isFields(called) ? only(['name', 'arguments'], called) : called,
	}));
	// A request can have hundreds of thousands of messages, so no further object is created for each.
	const kept = only(fields, message);
	kept['role'] = roleOf(role);
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
