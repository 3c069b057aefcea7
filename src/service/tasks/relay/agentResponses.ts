// The responses endpoint as agents use it.
import { defined } from '../../../base/defined.ts';
import { type Fields, isFields } from '../../inference/foreignFields.ts';
import { RequestRefused } from '../../replies.ts';
import type { ReasoningSeal } from '../../responses/reasoningSeal.ts';
import { readResponsesRequest } from '../../responses/responsesRequest.ts';
import type { ForeignResponses } from '../../responses/responsesRoutes.ts';
import { OMITTED_PART, objectsOf, only } from './agentForms.ts';
import { CustomCalls, customInputAsArguments, customToolAsFunction } from './customTools.ts';

/**
 * Creates the form in which agents use the responses endpoint. A request without a model is for `model`. Fields, tools
 * and items that a gateway can ignore are left out; free-form tools become functions and their calls free-form again;
 * reasoning that was not sealed by this service is left out.
 */
export function agentResponses(model: string, seal: ReasoningSeal): ForeignResponses {
	return {
		read(body) {
			const received = isFields(body) ? body : {};
			const { input, tools, tool_choice: choice, instructions, previous_response_id: previous } = received;
			if (typeof previous === 'string') {
				throw new RequestRefused(400, 'Unsupported parameter: previous_response_id');
			}
			const custom = new Set(objectsOf(tools).flatMap(({ type, name }) => (type === 'custom' ? [String(name)] : [])));
			const { preamble, items } = withoutPreamble(itemsOf(input, seal));
			const texts = [...(typeof instructions === 'string' ? [instructions] : []), ...preamble];
			const read = readResponsesRequest(
				{
					...only(['model', 'parallel_tool_calls'], received),
					model: received['model'] ?? model,
					store: false,
					...defined({ stream: received['stream'] }),
					input: items,
					tools: objectsOf(tools).flatMap(toolOf),
					...defined({
						instructions: texts.length === 0 ? undefined : texts.join('\n\n'),
						tool_choice: choiceOf(choice),
					}),
				},
				() => false,
			);
			const calls = new CustomCalls(custom);
			return { ...read, present: events => calls.present(events) };
		},
	};
}

function toolOf(tool: Fields): Fields[] {
	switch (tool['type']) {
		case 'function':
			return [only(['type', 'name', 'description', 'parameters'], tool)];
		case 'custom':
			return [customToolAsFunction(tool)];
		default:
			return [];
	}
}

function choiceOf(choice: unknown): unknown {
	if (isFields(choice) && (choice['type'] === 'function' || choice['type'] === 'custom')) {
		return { type: 'function', name: choice['name'] };
	}
	return choice === 'none' ? choice : undefined;
}

/** Returns the items that have a meaning here. A result is kept only with its call. */
function itemsOf(input: unknown, seal: ReasoningSeal): unknown {
	if (typeof input === 'string') {
		return [{ role: 'user', content: input }];
	}
	if (!Array.isArray(input)) {
		return input;
	}
	const items = objectsOf(input).flatMap(item => itemOf(item, seal));
	const called = new Set(items.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : [])));
	return items.filter(({ type, call_id: id }) => type !== 'function_call_output' || called.has(id));
}

function itemOf(item: Fields, seal: ReasoningSeal): Fields[] {
	const { type, role, content, call_id, name, output, encrypted_content: sealed } = item;
	switch (type) {
		case undefined:
		case 'message':
			return [{ type: 'message', role, content: partsOf(content) }];
		case 'function_call':
			return [{ type, call_id, name, arguments: item['arguments'] }];
		case 'custom_tool_call':
			return [{ type: 'function_call', call_id, name, arguments: customInputAsArguments(item['input']) }];
		case 'function_call_output':
		case 'custom_tool_call_output':
			return [{ type: 'function_call_output', call_id, output: textOf(output) }];
		case 'reasoning':
			return typeof sealed === 'string' && seal.open(sealed) !== undefined ? [item] : [];
		default:
			return [];
	}
}

function partsOf(content: unknown): Fields[] {
	const parts = typeof content === 'string' ? [{ text: content }] : objectsOf(content);
	return parts.map(({ text }) => ({ type: 'input_text', text: typeof text === 'string' ? text : OMITTED_PART }));
}

function textOf(output: unknown): string {
	return typeof output === 'string'
		? output
		: partsOf(output)
				.map(({ text }) => text)
				.join('\n');
}

/** Many models accept a single system message, at the beginning. Agents send several there. */
function withoutPreamble(items: unknown): { preamble: string[]; items: unknown } {
	if (!Array.isArray(items)) {
		return { preamble: [], items };
	}
	const isSystem = ({ role }: Fields) => role === 'system' || role === 'developer';
	const end = items.findIndex(item => !isSystem(item));
	// A conversation must not become empty.
	const count = end === -1 ? 0 : end;
	return { preamble: items.slice(0, count).map(({ content }) => textOf(content)), items: items.slice(count) };
}
