// Converts a chat request into one of the Messages API.
import { append } from '../../../base/append.ts';
import { defined } from '../../../base/defined.ts';
import { ClientError } from '../../../base/errors.ts';
import { type Fields, isFields } from '../../../base/fields.ts';
import { parseJson } from '../../../base/json.ts';
import type { ChatMessage, ChatTool, Parameter } from '../../../contract/chatRequest.ts';
import { estimateRequestTokens } from '../../../contract/requestTokens.ts';
import type { ModelOffer, ProviderRequest } from '../provider.ts';

/** The chat parameters that the Messages API has as well. */
export const MESSAGES_PARAMETERS: readonly Parameter[] = [
	'max_tokens',
	'temperature',
	'top_p',
	'top_k',
	'stop',
	'tools',
	'tool_choice',
	'response_format',
	'user',
];

/** The Messages API requires a limit. This one, which every model can serve, is for models whose limit is not known. */
const USUAL_LIMIT = 8_192;

/** The least limit that is asked for, however long the request is, as its length is an estimate. */
const LEAST_LIMIT = 1_024;

/** Asks the server to cache everything up to this point for the next request, which begins the same way. */
const CACHE = { cache_control: { type: 'ephemeral' } } as const;

type Block = Fields & { type: string };

interface Turn {
	role: 'user' | 'assistant';
	content: Block[];
}

/** The known lengths of a model, in tokens. */
export type ModelLengths = Pick<ModelOffer, 'contextLength' | 'maxOutputTokens'>;

/**
 * Returns the body of a streamed request.
 * @throws ClientError `invalid-request` for a `response_format` that the Messages API does not have.
 */
export function messagesBody(request: ProviderRequest, lengths: ModelLengths): Fields {
	const { max_tokens = limitFor(request, lengths), temperature, top_p, top_k, stop, user, hints } = request;
	return {
		...countedBody(request),
		...defined({ max_tokens, top_p, top_k, stop_sequences: stop }),
		// The maximum is 1 here and 2 in chat. The best-known service clamps it the same way on its chat endpoint.
		...defined({
			temperature: temperature === undefined ? undefined : Math.min(1, temperature),
			metadata: user === undefined ? undefined : { user_id: user },
		}),
		...outputOf(request.response_format, hints?.effort),
		stream: true,
	};
}

/** Servers refuse a request whose length and limit together exceed the context, even if its reply would be short. */
function limitFor(request: ProviderRequest, { contextLength, maxOutputTokens = USUAL_LIMIT }: ModelLengths): number {
	return contextLength === undefined
		? maxOutputTokens
		: Math.min(maxOutputTokens, Math.max(LEAST_LIMIT, contextLength - estimateRequestTokens(request)));
}

/** Returns the content of a request, whose tokens servers count. */
export function countedBody({ model, messages, tools = [], tool_choice: choice, hints }: ProviderRequest): Fields {
	const begin = messages.findIndex(({ role }) => role !== 'system');
	const preamble = messages.slice(0, begin === -1 ? messages.length : begin);
	const system = preamble.flatMap(({ content }) => textBlocks(content));
	const turns = turnsOf(messages.slice(preamble.length));
	const declared: Fields[] = tools.map(toolOf);
	// Caching covers the tools first, then the system text, then the turns. The previous request ended where the last
	// turn begins.
	const asked = turns.filter(({ role }) => role === 'user').slice(-2);
	for (const list of [system.length > 0 ? system : declared, ...asked.map(({ content }) => content)]) {
		const last = list.at(-1);
		if (last !== undefined) {
			Object.assign(last, CACHE);
		}
	}
	return {
		model,
		messages: turns,
		...defined({ system: system.length === 0 ? undefined : system }),
		...(declared.length === 0 ? {} : { tools: declared, ...defined({ tool_choice: choiceOf(choice) }) }),
		...defined({ thinking: hints?.thinking }),
	};
}

function turnsOf(messages: ProviderRequest['messages']): Turn[] {
	const turns: Turn[] = [];
	for (const message of messages) {
		const role = message.role === 'assistant' ? 'assistant' : 'user';
		const content = blocksOf(message);
		const last = turns.at(-1);
		// The Messages API refuses an empty message.
		if (content.length === 0) {
			continue;
		}
		if (last?.role === role) {
			append(last.content, content);
		} else {
			turns.push({ role, content });
		}
	}
	const last = turns.at(-1);
	if (last?.role === 'assistant') {
		trimEnd(last.content);
	}
	return turns;
}

/** The Messages API refuses white space at the end of a reply that the model is to continue. */
function trimEnd(content: Block[]): void {
	const block = content.at(-1);
	if (block?.type === 'text') {
		block['text'] = String(block['text']).trimEnd();
	}
}

function blocksOf(message: ProviderRequest['messages'][number]): Block[] {
	const { role, content, tool_call_id: id = '', tool_calls: calls = [], thinking = [] } = message;
	switch (role) {
		case 'tool':
			return [{ type: 'tool_result', tool_use_id: callId(id), content: partBlocks(content) }];
		case 'assistant':
			return [
				...thinking.map(block => ({ ...block })),
				...textBlocks(content),
				...calls.map(call => ({
					type: 'tool_use',
					id: callId(call.id),
					name: call.function.name,
					input: inputOf(call.function.arguments),
				})),
			];
		default:
			return partBlocks(content);
	}
}

/** Ids in the Messages API have only letters, digits, hyphens and underscores; those of other models may have more. */
function callId(id: string): string {
	return id.replace(/[^\w-]/g, '_');
}

/** A model may have written arguments that are not an object. It is shown what it wrote. */
function inputOf(text: string): Fields {
	const input = text.trim() === '' ? {} : parseJson(text);
	return isFields(input) ? input : { arguments: text };
}

function partBlocks(content: ChatMessage['content']): Block[] {
	return typeof content === 'string'
		? textBlocks(content)
		: content.flatMap(part => (part.type === 'text' ? textBlocks(part.text) : [imageBlock(part.image_url.url)]));
}

/** The Messages API refuses an empty text. */
function textBlocks(content: ChatMessage['content']): Block[] {
	const texts =
		typeof content === 'string' ? [content] : content.flatMap(part => (part.type === 'text' ? [part.text] : []));
	return texts.filter(text => text.trim() !== '').map(text => ({ type: 'text', text }));
}

function imageBlock(url: string): Block {
	const [whole, media_type] = /^data:([\w/+.-]+);base64,/.exec(url) ?? [];
	return whole === undefined
		? { type: 'image', source: { type: 'url', url } }
		: { type: 'image', source: { type: 'base64', media_type, data: url.slice(whole.length) } };
}

function toolOf({ function: { name, description, parameters } }: ChatTool): Fields {
	const input_schema = { type: 'object', properties: {}, ...parameters };
	return { name, ...defined({ description }), input_schema };
}

function choiceOf(choice: ProviderRequest['tool_choice']): Fields | undefined {
	if (choice === undefined || typeof choice === 'object') {
		return choice && { type: 'tool', name: choice.function.name };
	}
	return { type: choice === 'required' ? 'any' : choice };
}

function outputOf(format: ProviderRequest['response_format'], effort: string | undefined): Fields {
	const nested = isFields(format?.['json_schema']) ? format['json_schema']['schema'] : undefined;
	if (format !== undefined && format.type !== 'text' && nested === undefined) {
		const message = 'response_format: servers of the Messages form take a JSON schema alone';
		throw new ClientError('invalid-request', message, { serviceMessage: message, unsent: true });
	}
	const config = defined({
		effort,
		format: nested === undefined ? undefined : { type: 'json_schema', schema: nested },
	});
	return Object.keys(config).length === 0 ? {} : { output_config: config };
}
