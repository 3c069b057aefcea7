import { type ChatTool, checkedChatBody, chosenTool, contentText, messagesOf, toolsOf } from './chatRequest.ts';
import { isObject, type JsonObject, refuse } from './checks.ts';
import {
	type Call,
	eventReply,
	inferenceError,
	jsonReply,
	type Reply,
	type Route,
	type SentEvent,
} from './exchange.ts';
import { absentText, annotations, chatReply, chatUsage, imageDigest, imageUrl, searchModel } from './fixtures.ts';
import { route, type Served } from './providerRouting.ts';

/** The content of an answer, whether it is streamed or sent whole. */
interface Answer {
	served: Served;
	scenario: string;
	pieces: string[];
	calls: ToolCall[];
	/** The value for an absent field: null, or the text that sample payloads show. */
	absent: unknown;
	fingerprint: unknown;
}

export interface ToolCall {
	id: string;
	name: string;
	arguments: string;
}

export function chatRoutes(account: { zeroDataRetention: boolean }): Route[] {
	return ['/chat/completions', '/v1/chat/completions'].map(path => ({
		hosts: ['public', 'enterprise'],
		method: 'POST',
		path,
		key: 'inference',
		errorBody: inferenceError,
		handle: call => complete(call, path === '/chat/completions', account.zeroDataRetention),
	}));
}

function complete({ request }: Call, isPrefixPath: boolean, accountZeroDataRetention: boolean): Reply {
	const body = checkedChatBody(request.json);
	const isEnterprise = request.host === 'enterprise';
	const place = { isEnterprise, takesPrefixes: isEnterprise && isPrefixPath, accountZeroDataRetention };
	const served = route(body, place);
	const { kinds, contextLength, id } = served.model;
	if (!kinds.some(kind => kind === 'chat' || kind === 'search' || kind === 'image')) {
		refuse(`model: ${id} is not served by chat completions`);
	}
	if (typeof body['max_tokens'] === 'number' && body['max_tokens'] >= contextLength) {
		refuse(`max_tokens must be an integer in [1, ${contextLength})`);
	}
	if (kinds.includes('image')) {
		return image(body, served);
	}
	const answer = answerTo(body, served);
	return body['stream'] === true ? eventReply(chunks(answer)) : jsonReply(whole(answer));
}

function image(body: JsonObject, served: Served): Reply {
	const [prompt, ...others] = messagesOf(body);
	if (
		others.length > 0 ||
		prompt?.['role'] !== 'user' ||
		typeof prompt['content'] !== 'string' ||
		prompt['content'] === ''
	) {
		refuse('messages must be one user message whose content is the prompt');
	}
	if (body['stream'] === true) {
		refuse('stream is not for image models, whose reply is a whole completion');
	}
	const answer = { served, scenario: 'text', pieces: [imageUrl], calls: [], absent: null, fingerprint: null };
	return jsonReply({ ...whole(answer), model: `${served.model.id}:${imageDigest}`, usage: withoutTokens(chatUsage) });
}

function withoutTokens(usage: object): JsonObject {
	return Object.fromEntries(
		Object.entries(usage).map(([field, count]) => [field, isObject(count) ? withoutTokens(count) : 0]),
	);
}

function answerTo(body: JsonObject, served: Served): Answer {
	const messages = messagesOf(body);
	const scenario = contentText(messages.findLast(({ role }) => role === 'user')?.['content']).trim();
	const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
	const calls = results.length > 0 ? [] : toolCalls(toolsOf(body), body['tool_choice'], scenario);
	const pieces =
		results.length > 0 ? ['The tools said: ', ...results.map(({ content }) => `${content};`)] : chatReply.pieces;
	return {
		served,
		scenario,
		pieces: calls.length > 0 ? [] : pieces,
		calls,
		absent: scenario === 'none' ? absentText : null,
		fingerprint: scenario === 'none' ? absentText : scenario === 'null' ? null : chatReply.system_fingerprint,
	};
}

/**
 * Returns the calls for the scenario and `tool_choice`. A choice that forbids or demands a call takes precedence over
 * the scenario.
 */
export function toolCalls(tools: ChatTool[], choice: unknown, scenario: string): ToolCall[] {
	const named = isObject(choice) ? (chosenTool(choice) ?? choice['name']) : undefined;
	const called =
		choice === 'none'
			? []
			: named !== undefined
				? tools.filter(({ name }) => name === named)
				: scenario === 'tools'
					? tools.slice(0, 2)
					: choice === 'required'
						? tools.slice(0, 1)
						: [];
	return called.map((tool, index) => ({
		id: `call_${index}_${tool.name}`,
		name: tool.name,
		arguments: JSON.stringify(argumentsFor(tool.parameters)),
	}));
}

/** Returns a value for every property that the schema of the parameters names. */
function argumentsFor(parameters: JsonObject): JsonObject {
	const properties = isObject(parameters['properties']) ? parameters['properties'] : {};
	return Object.fromEntries(
		Object.entries(properties).map(([name, property], index) => {
			const { type } = (isObject(property) ? property : {}) as { type?: unknown };
			switch (type) {
				case 'integer':
				case 'number':
					return [name, index + 1];
				case 'boolean':
					return [name, true];
				case 'array':
					return [name, []];
				case 'object':
					return [name, {}];
				default:
					return [name, `the "${name}" ✓`];
			}
		}),
	);
}

function finish({ calls }: Answer): { reason: string; nativeReason: string } {
	return calls.length > 0
		? { reason: 'tool_calls', nativeReason: chatReply.native_tool_finish_reason }
		: { reason: 'stop', nativeReason: chatReply.native_finish_reason };
}

function whole(answer: Answer): JsonObject {
	const { served, pieces, calls, absent, scenario } = answer;
	const { reason, nativeReason } = finish(answer);
	return {
		...head(answer, 'chat.completion'),
		choices: [
			{
				finish_reason: reason,
				index: 0,
				message: {
					content: calls.length > 0 ? absent : pieces.join(''),
					role: 'assistant',
					tool_calls: calls.length > 0 ? calls.map(wireCall) : absent,
					function_call: absent,
					...(served.model.id === searchModel.id ? { annotations } : {}),
					...(scenario === 'reasoning' ? { reasoning_content: chatReply.reasoningPieces.join('') } : {}),
				},
				provider_specific_fields: { native_finish_reason: nativeReason },
			},
		],
		usage: usage(answer),
	};
}

function wireCall({ id, name, arguments: text }: ToolCall): JsonObject {
	return { id, type: 'function', function: { name, arguments: text } };
}

/** Absent details are absent field by field, because the counts themselves are not nullable. */
function usage({ scenario, absent }: Answer): JsonObject {
	const { completion_tokens_details: completion, prompt_tokens_details: prompt, ...counts } = chatUsage;
	const blank = (details: object) => Object.fromEntries(Object.keys(details).map(field => [field, absent]));
	return scenario === 'none' || scenario === 'null'
		? { ...counts, completion_tokens_details: blank(completion), prompt_tokens_details: blank(prompt) }
		: chatUsage;
}

function head({ served, fingerprint }: Answer, object: string): JsonObject {
	return {
		id: chatReply.id,
		created: chatReply.created,
		model: served.model.id,
		object,
		system_fingerprint: fingerprint,
		provider: served.provider,
	};
}

/** contract: not shown, beyond the text of a delta. The chunks are those of OpenAI-compatible services. */
function chunks(answer: Answer): SentEvent[] {
	const { pieces, calls, absent, scenario, served } = answer;
	const start = head(answer, 'chat.completion.chunk');
	const chunk = (delta: JsonObject, ended: JsonObject = { finish_reason: absent }): SentEvent => ({
		data: { ...start, choices: [{ index: 0, delta, ...ended }] },
	});
	const events = [chunk({ role: 'assistant', content: '', tool_calls: absent, function_call: absent })];
	if (scenario === 'reasoning') {
		const [first, second] = chatReply.reasoningPieces;
		events.push(chunk({ reasoning: first }), chunk({ reasoning_content: second }));
	}
	const breaks = ['cut', 'error-midway', 'error-event'].includes(scenario);
	const sent = breaks ? pieces.slice(0, 2) : pieces;
	events.push(...sent.map(content => chunk({ content })));
	events.push(...interleaved(calls).map(fragment => chunk({ content: absent, tool_calls: [fragment] })));
	if (scenario === 'error-midway') {
		return [...events, { data: inferenceError(502, 'The provider broke off') }];
	}
	if (scenario === 'error-event') {
		return [...events, { event: 'error', data: inferenceError(502, 'The provider broke off') }];
	}
	if (breaks) {
		return events;
	}
	if (served.model.id === searchModel.id) {
		events.push(...annotations.map(annotation => chunk({ annotations: [annotation] })));
	}
	const { reason, nativeReason } = finish(answer);
	const native = { native_finish_reason: nativeReason };
	events.push(chunk({}, { finish_reason: reason, provider_specific_fields: native }));
	events.push({ data: { ...start, choices: [], usage: usage(answer) } });
	return scenario === 'no-done' ? events : [...events, { data: '[DONE]' }];
}

/**
 * Splits calls into fragments. Each call's first fragment has its id and name, the others have a part of its arguments,
 * and the fragments of several calls alternate.
 */
function interleaved(calls: ToolCall[]): JsonObject[] {
	const first = calls.map(({ id, name }, index) => ({
		index,
		id,
		type: 'function',
		function: { name, arguments: '' },
	}));
	const rest = calls.map(({ arguments: text }, index) =>
		thirds(text).map(piece => ({ index, function: { arguments: piece } })),
	);
	return [...first, ...[0, 1, 2].flatMap(place => rest.flatMap(fragments => fragments.slice(place, place + 1)))];
}

/** Splits a text into at most three parts, by character, so that none ends within a surrogate pair. */
export function thirds(text: string): string[] {
	const characters = [...text];
	const size = Math.max(1, Math.ceil(characters.length / 3));
	return [0, 1, 2]
		.map(place => characters.slice(place * size, (place + 1) * size).join(''))
		.filter(piece => piece !== '');
}
