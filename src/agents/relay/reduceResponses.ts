// Responses requests as agents send them. Whatever a service can ignore is left out, as in chat requests.
import { defined } from '../../base/defined.ts';
import { type Fields, isFields, objectsOf, only } from '../../base/fields.ts';
import { OMITTED_PART, roleOf } from '../../contract/foreignNames.ts';
import {
	customInputAsArguments,
	customToolAsFunction,
	type ForeignTool,
	functionName,
	nameIn,
} from './foreignTools.ts';

/** An agent's request in the form of the contract; its values are not checked. */
export interface ReducedResponses {
	/** `model`, `stream` and `previous_response_id` are present only if the agent's request has them. */
	request: Fields;
	/** The agent's tools that are functions of another form or name in `request`, by that name. */
	foreignTools: ReadonlyMap<string, ForeignTool>;
}

/**
 * Returns the parts of an agent's responses request that have a meaning in the contract. A reasoning item is kept
 * unchanged if `isKept` returns true for it.
 */
export function reduceResponses(body: Fields, isKept: (reasoning: Fields) => boolean): ReducedResponses {
	const { tool_choice: choice, instructions } = body;
	const { preamble, items } = withoutPreamble(itemsOf(body['input'], isKept));
	const texts = [...(typeof instructions === 'string' ? [instructions] : []), ...preamble];
	const foreignTools = new Map<string, ForeignTool>();
	const tools = objectsOf(body['tools']).flatMap(tool => toolsOf(tool, foreignTools));
	return {
		request: {
			...only(['model', 'stream', 'parallel_tool_calls', 'previous_response_id'], body),
			store: false,
			...defined({ input: items, instructions: texts.length === 0 ? undefined : texts.join('\n\n') }),
			...(tools.length === 0 ? {} : { tools, ...defined({ tool_choice: choiceOf(choice) }) }),
		},
		foreignTools,
	};
}

/** Returns the functions for a declaration, which may be a group of tools, and adds those that change to `foreign`. */
function toolsOf(tool: Fields, foreign: Map<string, ForeignTool>, namespace?: string): Fields[] {
	const { type } = tool;
	if (type === 'namespace' && namespace === undefined) {
		return objectsOf(tool['tools']).flatMap(member => toolsOf(member, foreign, nameIn(tool)));
	}
	if (type !== 'function' && type !== 'custom') {
		return [];
	}
	const name = functionName(tool['name'], namespace);
	if (type === 'custom' || namespace !== undefined) {
		foreign.set(nameIn({ name }), { name: nameIn(tool), isCustom: type === 'custom', ...defined({ namespace }) });
	}
	const declared = type === 'custom' ? customToolAsFunction(tool) : tool;
	return [{ ...only(['type', 'description', 'parameters'], declared), ...defined({ name }) }];
}

function choiceOf(choice: unknown): unknown {
	if (isFields(choice) && (choice['type'] === 'function' || choice['type'] === 'custom')) {
		return { type: 'function', name: choice['name'] };
	}
	return choice === 'none' ? choice : undefined;
}

/** Returns the items that have a meaning here. A result is kept only together with its call. */
function itemsOf(input: unknown, isKept: (reasoning: Fields) => boolean): unknown {
	if (typeof input === 'string') {
		return [{ role: 'user', content: input }];
	}
	if (!Array.isArray(input)) {
		return input;
	}
	const items = objectsOf(input).flatMap(item => itemOf(item, isKept));
	const called = new Set(items.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : [])));
	return items.filter(({ type, call_id: id }) => type !== 'function_call_output' || called.has(id));
}

function itemOf(item: Fields, isKept: (reasoning: Fields) => boolean): Fields[] {
	const { type, role, content, call_id, output } = item;
	const name = functionName(item['name'], item['namespace']);
	switch (type) {
		case undefined:
		case 'message':
			return [{ type: 'message', role: roleOf(role), content: partsOf(content, role) }];
		case 'function_call':
			return [{ type, call_id, name, arguments: item['arguments'] }];
		case 'custom_tool_call':
			return [{ type: 'function_call', call_id, name, arguments: customInputAsArguments(item['input']) }];
		case 'function_call_output':
		case 'custom_tool_call_output':
			return [{ type: 'function_call_output', call_id, output: textOf(output) }];
		case 'reasoning':
			return isKept(item) ? [item] : [];
		default:
			return [];
	}
}

function partsOf(content: unknown, role?: unknown): Fields[] {
	const parts = typeof content === 'string' ? [{ text: content }] : objectsOf(content);
	const type = role === 'assistant' ? 'output_text' : 'input_text';
	return parts.map(({ text }) => ({ type, text: typeof text === 'string' ? text : OMITTED_PART }));
}

function textOf(output: unknown): string {
	return typeof output === 'string'
		? output
		: partsOf(output)
				.map(({ text }) => text)
				.join('\n');
}

/** Many models accept only a single system message, at the beginning. Agents send several there. */
function withoutPreamble(items: unknown): { preamble: string[]; items: unknown } {
	if (!Array.isArray(items)) {
		return { preamble: [], items };
	}
	const end = items.findIndex(({ role }: Fields) => role !== 'system');
	// A conversation must not become empty.
	const count = end === -1 ? 0 : end;
	return { preamble: items.slice(0, count).map(({ content }) => textOf(content)), items: items.slice(count) };
}
