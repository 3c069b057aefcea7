import { defined } from '../../base/defined.ts';
import { eachObject, type Fields, isFields, objectsOf } from '../../base/fields.ts';
import { chatRequestSchema } from '../../contract/chatRequest.ts';
import { roleOf, withDocumentedNames } from '../../contract/foreignNames.ts';
import type { ThinkingBlock } from '../../contract/messages.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';
import {
	anything,
	exactly,
	honoured,
	type NoteField,
	readField,
	TOLERATED_HINTS,
	TOLERATED_IN_TOOL,
	type Tolerated,
	without,
} from './foreignFields.ts';
import type { GatewayRequest, ProviderRequest } from './provider.ts';
import { isServerSealed } from './serverSeal.ts';

const TOLERATED: Tolerated = {
	...TOLERATED_HINTS,
	reasoning_effort: honoured,
	verbosity: anything,
	// Usage is always sent.
	usage: anything,
	// Nothing is stored here, whatever the request says.
	store: value => typeof value === 'boolean',
	n: exactly(1),
	modalities: value => Array.isArray(value) && value.every(exactly('text')),
	parallel_tool_calls: exactly(true),
	logprobs: exactly(false),
};

/** Fields that a message may have, for example because a reply of this or another service is sent back unchanged. */
const TOLERATED_IN_MESSAGE: Tolerated = {
	name: value => typeof value === 'string',
	annotations: anything,
	parsed: anything,
	reasoning: honoured,
	reasoning_content: honoured,
	reasoning_details: honoured,
};

/** Some clients move fields of a reply's message into its text part. */
const TOLERATED_IN_PART: Tolerated = {
	annotations: anything,
	audio: anything,
	function_call: anything,
	parsed: anything,
	reasoning: anything,
	reasoning_content: anything,
	refusal: anything,
	role: anything,
	tool_calls: anything,
};

const TOLERATED_IN_IMAGE: Tolerated = { detail: anything };
const TOLERATED_IN_CALL: Tolerated = { index: anything };
const TOLERATED_IN_CALLED: Tolerated = { parsed_arguments: anything };

/**
 * Reads the body of a chat request, in the form of the contract or in that of clients following public practice
 * (contract: inference.md, Chat completion request).
 * @throws RequestRefused 400 naming the invalid field.
 */
export function readChatRequest(body: unknown, note: NoteField = () => {}): GatewayRequest {
	if (!isFields(body)) {
		return parseOrRefuse(chatRequestSchema, body);
	}
	if (body['logprobs'] === false && body['top_logprobs'] != null) {
		throw new RequestRefused(400, 'top_logprobs: it asks for log probabilities, and logprobs is false.');
	}
	const fields = withDocumentedNames(without(TOLERATED, body, '', note));
	const { messages, tools, logprobs, parallel_tool_calls: parallel, ...rest } = fields;
	const request = parseOrRefuse(chatRequestSchema, {
		...rest,
		...defined({
			messages: eachObject(messages, message => messageOf(message, note)),
			tools: eachObject(tools, tool =>
				readField(tool, 'function', called => without(TOLERATED_IN_TOOL, called, 'tools.function.', note)),
			),
			// The contract requests log probabilities by their number alone.
			top_logprobs: rest['top_logprobs'] ?? (logprobs === true ? 0 : undefined),
			logprobs: logprobs === true ? undefined : logprobs,
			parallel_tool_calls: parallel === false ? undefined : parallel,
		}),
	});
	const { max_tokens: older, max_completion_tokens: newer, reasoning_effort: effort } = body;
	return {
		...request,
		messages: withReasoning(request.messages, messages),
		...defined({
			limitName: older == null && newer != null ? ('max_completion_tokens' as const) : undefined,
			parallel_tool_calls: parallel === false ? false : undefined,
			reasoning_effort: typeof effort === 'string' ? effort : undefined,
		}),
	};
}

function messageOf(message: Fields, note: NoteField): Fields {
	const kept = without(TOLERATED_IN_MESSAGE, message, 'messages.', note);
	const { role, content, tool_calls: calls } = kept;
	const hasCalls = calls !== undefined;
	if (!hasCalls && !Array.isArray(content) && roleOf(role) === role) {
		return kept;
	}
	return {
		...kept,
		role: roleOf(role),
		...defined({
			content: content === undefined ? undefined : eachObject(content, part => partOf(part, note)),
			tool_calls: hasCalls ? eachObject(calls, call => callOf(call, note)) : undefined,
		}),
		// A message that only called tools may lack its content.
		...defined({ content: hasCalls && role === 'assistant' && content === undefined ? '' : undefined }),
	};
}

function partOf(part: Fields, note: NoteField): Fields {
	const kept = without(TOLERATED_IN_PART, part, 'messages.content.', note);
	return readField(kept, 'image_url', image => without(TOLERATED_IN_IMAGE, image, 'messages.content.image_url.', note));
}

function callOf(call: Fields, note: NoteField): Fields {
	const kept = without(TOLERATED_IN_CALL, call, 'messages.tool_calls.', note);
	return readField(kept, 'function', called =>
		without(TOLERATED_IN_CALLED, called, 'messages.tool_calls.function.', note),
	);
}

/** Adds the reasoning that messages came with, for models that accept it (Zero data retention 3). */
function withReasoning(messages: ProviderRequest['messages'], received: unknown): ProviderRequest['messages'] {
	return messages.map((message, index) => {
		const source: unknown = Array.isArray(received) ? received[index] : undefined;
		if (!isFields(source) || message.role !== 'assistant') {
			return message;
		}
		const said = source['reasoning'] ?? source['reasoning_content'];
		const reasoning = typeof said === 'string' ? said : '';
		const thinking = thinkingIn(objectsOf(source['reasoning_details']), reasoning);
		return reasoning === '' && thinking.length === 0
			? message
			: {
					...message,
					...defined({ reasoning: reasoning || undefined, thinking: thinking.length > 0 ? thinking : undefined }),
				};
	});
}

/**
 * Clients may send what another service has signed or sealed. A signature without text covers the whole reasoning, if it
 * is the only one.
 */
function thinkingIn(details: readonly Fields[], reasoning: string): ThinkingBlock[] {
	const known = details.filter(({ data, signature }) => isServerSealed(data ?? signature));
	const isOnly = known.filter(({ signature }) => signature !== undefined).length === 1;
	return known.flatMap(({ data, signature, text }): ThinkingBlock[] => {
		if (typeof data === 'string') {
			return [{ type: 'redacted_thinking', data }];
		}
		const thinking = typeof text === 'string' ? text : isOnly ? reasoning : undefined;
		return typeof signature === 'string' && thinking !== undefined ? [{ type: 'thinking', thinking, signature }] : [];
	});
}
