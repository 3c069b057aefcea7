import type { ChatTool } from './chatRequest.ts';
import {
	type Check,
	checkedBody,
	either,
	filledText,
	flag,
	isObject,
	type JsonObject,
	list,
	object,
	oneOf,
	refuse,
	shape,
	text,
} from './checks.ts';
import { Refusal } from './exchange.ts';
import type { FixtureModel } from './fixtureModel.ts';
import { aliasedModel, plainModel } from './providerRouting.ts';

const role = oneOf('system', 'user', 'assistant');

const message = shape(
	{
		type: oneOf('message'),
		role,
		content: list(shape({ type: oneOf('input_text', 'output_text'), text }, ['type', 'text']), 1),
	},
	['type', 'role', 'content'],
);

const simpleMessage = shape({ role, content: text }, ['role', 'content']);

const jsonText: Check = (value, name) => {
	text(value, name);
	try {
		JSON.parse(String(value));
	} catch {
		refuse(`${name} must be a JSON string`);
	}
};

const functionCall = shape({ type: text, name: filledText, call_id: filledText, arguments: jsonText }, [
	'name',
	'call_id',
	'arguments',
]);

const functionCallOutput = shape({ type: text, call_id: filledText, output: text }, ['call_id', 'output']);

/** Checks that an encrypted reasoning item is exactly one of those that were sent. */
function reasoning(issued: ReadonlySet<string>): Check {
	return (value, name) => {
		if (!issued.has(JSON.stringify(value))) {
			refuse(`${name} is no reasoning item of an earlier response, byte for byte`);
		}
	};
}

function inputItem(issued: ReadonlySet<string>): Check {
	return (value, name) => {
		if (!isObject(value)) {
			refuse(`${name} must be an object`);
		}
		const checks: Record<string, Check> = {
			message,
			function_call: functionCall,
			function_call_output: functionCallOutput,
			reasoning: reasoning(issued),
		};
		const { type } = value;
		const check = type === undefined ? simpleMessage : checks[String(type)];
		if (check === undefined) {
			refuse(`${name}.type must be message, function_call, function_call_output or reasoning`);
		}
		check(value, name);
	};
}

const flatTool = shape({ type: oneOf('function'), name: filledText, description: text, parameters: object }, [
	'type',
	'name',
]);

/** Returns the body and its model after checking every rule. The five documented error messages are used verbatim. */
export function checkedResponsesBody(
	json: unknown,
	issued: ReadonlySet<string>,
): { body: JsonObject; model: FixtureModel } {
	const given = isObject(json) ? json : {};
	for (const required of ['model', 'input']) {
		if (given[required] === undefined) {
			refuse(`Missing required parameter: ${required}`);
		}
	}
	if (given['previous_response_id'] !== undefined) {
		refuse('Unsupported parameter: previous_response_id');
	}
	if (typeof given['input'] === 'string') {
		refuse('Input must be a list');
	}
	const name = String(given['model']);
	const model = plainModel(name) ?? aliasedModel(name)?.model;
	if (!model?.kinds.includes('responses')) {
		throw new Refusal(404, `model: ${name} is not served by responses`);
	}
	const isCodeOriented = model.codeOriented === true;
	if (isCodeOriented && (typeof given['instructions'] !== 'string' || given['instructions'] === '')) {
		refuse('Instructions are required');
	}
	// Nothing is stored and everything is streamed for every model, but only the code-oriented models require the request
	// to say so.
	if (given['store'] !== false && (isCodeOriented || given['store'] !== undefined)) {
		refuse('Store must be set to false');
	}
	if (given['stream'] !== true && (isCodeOriented || given['stream'] !== undefined)) {
		refuse('Stream must be set to true');
	}
	const body = checkedBody(json, fields(issued), ['model', 'input']);
	checkCalls(inputOf(body));
	const { tool_choice: choice } = body;
	if (isObject(choice) && !flatTools(body).some(({ name }) => name === choice['name'])) {
		refuse('tool_choice names a tool that tools does not have');
	}
	return { body, model };
}

export function inputOf(body: JsonObject): JsonObject[] {
	return body['input'] as JsonObject[];
}

export function flatTools(body: JsonObject): ChatTool[] {
	const tools = (body['tools'] ?? []) as { name: string; parameters?: JsonObject }[];
	return tools.map(({ name, parameters }) => ({ name, parameters: parameters ?? {} }));
}

function fields(issued: ReadonlySet<string>): Record<string, Check> {
	return {
		model: filledText,
		instructions: text,
		input: list(inputItem(issued), 1),
		store: oneOf(false),
		stream: oneOf(true),
		tools: list(flatTool),
		tool_choice: either(oneOf('auto', 'none'), shape({ type: oneOf('function'), name: filledText }, ['type', 'name'])),
		parallel_tool_calls: flag,
		// The option is always on for the code-oriented models. It is not a field of the request table, and its only value
		// is harmless.
		include: list(oneOf('reasoning.encrypted_content')),
	};
}

/** Checks that every result belongs to an earlier call. */
function checkCalls(items: JsonObject[]): void {
	const calls = new Set<unknown>();
	for (const [index, { type, call_id: id }] of items.entries()) {
		if (type === 'function_call') {
			calls.add(id);
		}
		if (type === 'function_call_output' && !calls.has(id)) {
			refuse(`input[${index}].call_id answers no function_call before it`);
		}
	}
}
