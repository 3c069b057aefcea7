import {
	type Check,
	checkedBody,
	either,
	filledText,
	flag,
	integer,
	isObject,
	type JsonObject,
	list,
	map,
	number,
	object,
	oneOf,
	refuse,
	shape,
	text,
} from './checks.ts';
import { providers } from './fixtures.ts';

const slug = oneOf(...providers.map(provider => provider.slug));

const provider = shape({
	sort: either(oneOf('price', 'throughput', 'latency'), object),
	order: list(slug),
	only: list(slug),
	ignore: list(slug),
	allow_fallbacks: flag,
	require_parameters: flag,
	data_collection: oneOf('allow', 'deny'),
	quantizations: list(filledText),
	preferred_min_throughput: either(number({ from: 0 }), object),
	preferred_max_latency: either(number({ from: 0 }), object),
	zdr: flag,
});

const toolCall = shape(
	{
		id: filledText,
		type: oneOf('function'),
		function: shape({ name: filledText, arguments: text }, ['name', 'arguments']),
	},
	['id', 'type', 'function'],
);

/** contract: not shown. The parts are texts and images, in the form that OpenAI-compatible services accept. */
const parts = list((value, name) => {
	const type = isObject(value) ? value['type'] : undefined;
	const image = shape({ url: filledText, detail: oneOf('auto', 'low', 'high') }, ['url']);
	const check =
		type === 'image_url'
			? shape({ type: text, image_url: image }, ['image_url'])
			: shape({ type: oneOf('text'), text }, ['type', 'text']);
	check(value, name);
}, 1);

const message: Check = (value, name) => {
	if (!isObject(value)) {
		refuse(`${name} must be an object`);
	}
	const { role } = value;
	oneOf('system', 'user', 'assistant', 'tool')(role, `${name}.role`);
	const own: Record<string, Check> =
		role === 'tool' ? { tool_call_id: filledText } : role === 'assistant' ? { tool_calls: list(toolCall, 1) } : {};
	const content = role === 'user' && Array.isArray(value['content']) ? parts : text;
	const required = role === 'tool' ? ['role', 'content', 'tool_call_id'] : ['role', 'content'];
	shape({ role: text, content, ...own }, required)(value, name);
};

const tool = shape(
	{
		type: oneOf('function'),
		function: shape({ name: filledText, description: text, parameters: object }, ['name']),
	},
	['type', 'function'],
);

const tokenBiases: Check = (value, name) => {
	map(number())(value, name);
	const wrong = Object.keys(value as object).find(key => !/^\d+$/.test(key));
	if (wrong !== undefined) {
		refuse(`${name}.${wrong} is not a token ID`);
	}
};

const responseFormat: Check = (value, name) => {
	object(value, name);
	filledText((value as JsonObject)['type'], `${name}.type`);
};

const fields: Record<string, Check> = {
	model: filledText,
	messages: list(message, 1),
	models: list(filledText),
	provider,
	stream: flag,
	max_tokens: integer({ from: 1 }),
	temperature: number({ from: 0, to: 2 }),
	seed: integer(),
	top_p: number({ above: 0, to: 1 }),
	top_k: integer({ from: 1 }),
	frequency_penalty: number({ from: -2, to: 2 }),
	presence_penalty: number({ from: -2, to: 2 }),
	repetition_penalty: number({ above: 0, to: 2 }),
	logit_bias: tokenBiases,
	top_logprobs: integer({ from: 0 }),
	min_p: number({ from: 0, to: 1 }),
	top_a: number({ from: 0, to: 1 }),
	stop: list(text),
	tools: list(tool),
	tool_choice: either(
		oneOf('none', 'auto', 'required'),
		shape({ type: oneOf('function'), function: shape({ name: filledText }, ['name']) }, ['type', 'function']),
	),
	response_format: responseFormat,
	user: text,
};

export interface ChatTool {
	name: string;
	parameters: JsonObject;
}

/** Returns the body after checking every field against the request table. The caller checks the model's own limit. */
export function checkedChatBody(json: unknown): JsonObject {
	const body = checkedBody(json, fields, ['model', 'messages']);
	checkToolResults(messagesOf(body));
	const names = toolsOf(body).map(({ name }) => name);
	const choice = body['tool_choice'];
	if ((choice === 'required' || isObject(choice)) && names.length === 0) {
		refuse('tool_choice asks for a tool and tools has none');
	}
	if (isObject(choice) && !names.includes(chosenTool(choice) ?? '')) {
		refuse('tool_choice names a tool that tools does not have');
	}
	return body;
}

export function messagesOf(body: JsonObject): JsonObject[] {
	return body['messages'] as JsonObject[];
}

export function toolsOf(body: JsonObject): ChatTool[] {
	const tools = (body['tools'] ?? []) as { function: { name: string; parameters?: JsonObject } }[];
	return tools.map(({ function: { name, parameters } }) => ({ name, parameters: parameters ?? {} }));
}

export function chosenTool(choice: JsonObject): string | undefined {
	const { function: named } = choice as { function?: { name?: string } };
	return named?.name;
}

/** Returns the text of a message, whether its content is a string or parts. */
export function contentText(content: unknown): string {
	return Array.isArray(content)
		? content.map((part: JsonObject) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
		: String(content ?? '');
}

/** Checks that every tool result belongs to a call of an earlier assistant message. */
function checkToolResults(messages: JsonObject[]): void {
	const calls = new Set<unknown>();
	for (const [index, { role, tool_calls: made, tool_call_id: id }] of messages.entries()) {
		if (role === 'tool' && !calls.has(id)) {
			refuse(`messages[${index}].tool_call_id answers no call of an earlier message`);
		}
		for (const call of (made ?? []) as JsonObject[]) {
			calls.add(call['id']);
		}
	}
}
