// Requests in the Messages form, and their conversion to chat requests.
import * as z from 'zod';
import { append } from '../base/append.ts';
import { defined } from '../base/defined.ts';
import { type Fields, fieldsOf, isFields, objectsOf, only } from '../base/fields.ts';
import { type ChatMessage, type ChatRequest, type ChatTool, PARAMETERS, type ToolCall } from './chatRequest.ts';
import { OMITTED_PART } from './foreignNames.ts';
import { type MessagesHints, type ThinkingBlock, type Thought, UNSIGNED } from './messages.ts';

const text = z.string();
const name = text.min(1);

/** The blocks that are understood here. Other types are no fault of the request: servers know more of them. */
const BLOCKS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
	['text', z.looseObject({ text })],
	['image', z.looseObject({ source: z.looseObject({ type: text }) })],
	['thinking', z.looseObject({ thinking: text })],
	['redacted_thinking', z.looseObject({ data: text })],
	['tool_use', z.looseObject({ id: name, name, input: z.record(text, z.unknown()) })],
	['tool_result', z.looseObject({ tool_use_id: name })],
]);

const blockSchema = z.looseObject({ type: text }).superRefine((block, context) => {
	for (const { path, message } of BLOCKS.get(block.type)?.safeParse(block).error?.issues ?? []) {
		context.addIssue({ code: 'custom', path, message });
	}
});

const contentSchema = z.union([text, z.array(blockSchema)], 'allowed: a text, or a list of blocks');

/** The frame of a request. Fields that chat also has are checked as chat. */
export const messagesRequestSchema = z.looseObject({
	model: name,
	messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: contentSchema })).min(1),
	system: contentSchema.nullish(),
});
export type MessagesRequest = z.output<typeof messagesRequestSchema>;

/** The fields that mean the same in chat, including those that the form's own service does not know. */
const SAME = [
	'models',
	'provider',
	'stream',
	...PARAMETERS.filter(field => field !== 'tools' && field !== 'tool_choice'),
];

const READ: ReadonlySet<string> = new Set([
	...SAME,
	...['model', 'messages', 'system', 'stop_sequences', 'tools', 'tool_choice', 'thinking', 'output_config'],
]);

/** Fields about how a service may run, bill, label or shorten a request, or where its own tools run. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
	...['cache_control', 'container', 'context_management', 'diagnostics', 'inference_geo', 'mcp_servers', 'metadata'],
	...['service_tier', 'speed', 'user_profile_id', 'workspace_id'],
]);

export interface ChatOfMessages {
	/** In the form of the contract; its values are not checked. */
	request: ChatRequest;
	mayCallSeveral: boolean;
	/** By the index of the message in `request`. */
	thoughts: ReadonlyMap<number, Thought>;
	hints: MessagesHints;
}

/**
 * Converts a request to chat. `note` gets the places of everything left out, in words of our own: clients add fields
 * and blocks with each release, and can do nothing about a refusal.
 */
export function chatOfMessages(body: MessagesRequest, note: (place: string) => void = () => {}): ChatOfMessages {
	for (const field of Object.keys(body)) {
		if (!READ.has(field) && body[field] != null) {
			note(WITHOUT_EFFECT.has(field) ? field : 'other');
		}
	}
	const messages: ChatMessage[] = [];
	const thoughts = new Map<number, Thought>();
	const system = body.system == null ? '' : systemOf(body.system);
	if (system !== '') {
		messages.push({ role: 'system', content: system });
	}
	for (const { role, content } of body.messages) {
		const blocks: Fields[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
		if (role === 'user') {
			append(messages, userMessages(blocks, note));
		} else if (role === 'system') {
			messages.push({ role, content: textOf(blocks, '\n\n') });
		} else {
			addTurn(blocks, messages, thoughts, note);
		}
	}
	const tools = objectsOf(body['tools']).flatMap(tool => toolOf(tool, note));
	const choice = fieldsOf(body['tool_choice']);
	const { effort, format } = fieldsOf(body['output_config']);
	const { thinking, stop_sequences: stop } = body;
	return {
		request: {
			...only(SAME, body),
			model: body.model,
			messages,
			...defined({ stop: stop ?? undefined, response_format: formatOf(format) }),
			...(tools.length === 0 ? {} : { tools, ...defined({ tool_choice: choiceOf(choice) }) }),
		} as ChatRequest,
		mayCallSeveral: choice['disable_parallel_tool_use'] !== true,
		thoughts,
		hints: defined({
			thinking: isFields(thinking) ? thinking : undefined,
			effort: typeof effort === 'string' ? effort : undefined,
		}),
	};
}

/** An agent's accounting: a text among the instructions with a new value in each request, which no cache survives. */
const ACCOUNTING = /^x-anthropic-[\w-]+:/;

/** Most fields are unchecked: an object among them may have a `toString` that is no function. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function systemOf(system: string | Fields[]): string {
	const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
	return textOf(
		blocks.filter(({ text: said }) => !ACCOUNTING.test(textIn(said))),
		'\n\n',
	);
}

function textOf(blocks: readonly Fields[], separator: string): string {
	return blocks.flatMap(({ type, text: said }) => (type === 'text' ? [said] : [])).join(separator);
}

type Part = Exclude<ChatMessage['content'], string>[number];

/** Replaces an image in a tool's result: chat has images only in the messages of users. */
const IMAGE_FOLLOWS = '(an image, which follows)';

/** Puts the tool results first, as they answer the message before. */
function userMessages(blocks: readonly Fields[], note: (place: string) => void): ChatMessage[] {
	const results: ChatMessage[] = [];
	const images: Part[] = [];
	const parts: Part[] = [];
	for (const block of blocks) {
		if (block['type'] !== 'tool_result') {
			append(parts, partsOf(block, note));
			continue;
		}
		const { content, is_error, tool_use_id } = block;
		const given = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
		const texts = given
			.flatMap(part => partsOf(part, note))
			.map(part => {
				if (part.type === 'text') {
					return part.text;
				}
				images.push(part);
				return IMAGE_FOLLOWS;
			});
		// Chat has no marker for an error.
		const said = [...(is_error === true ? ['Error:'] : []), ...texts].join('\n');
		results.push({ role: 'tool', tool_call_id: textIn(tool_use_id), content: said });
	}
	const content = [...images, ...parts];
	return content.length === 0 ? results : [...results, { role: 'user', content: plainContent(content) }];
}

/** Returns a text if the parts are all text, because many servers do not understand a list of parts. */
function plainContent(parts: Part[]): ChatMessage['content'] {
	const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []));
	return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function partsOf(block: Fields, note: (place: string) => void): Part[] {
	const { type, text: said, title, source, content } = block;
	if (type === 'text') {
		return [{ type, text: textIn(said) }];
	}
	const { type: kind, media_type: media, data, url, content: inner } = fieldsOf(source);
	if (type === 'image' && kind === 'base64') {
		return [{ type: 'image_url', image_url: { url: `data:${textIn(media)};base64,${textIn(data)}` } }];
	}
	if (type === 'image' && kind === 'url') {
		return [{ type: 'image_url', image_url: { url: textIn(url) } }];
	}
	const heading: Part[] = typeof title === 'string' ? [{ type: 'text', text: title }] : [];
	if (type === 'document' && kind === 'text') {
		return [...heading, { type: 'text', text: textIn(data) }];
	}
	if (type === 'search_result' || (type === 'document' && kind === 'content')) {
		const within = type === 'search_result' ? content : inner;
		const known = typeof within === 'string' ? [{ type: 'text', text: within }] : objectsOf(within);
		return [...heading, ...known.flatMap(part => (part['type'] === type ? [] : partsOf(part, note)))];
	}
	note('messages.content.type');
	return [{ type: 'text', text: OMITTED_PART }];
}

/** Adds the text and calls of an assistant. Chat has no message for thinking that led to nothing. */
function addTurn(
	blocks: readonly Fields[],
	messages: ChatMessage[],
	thoughts: Map<number, Thought>,
	note: (place: string) => void,
): void {
	const calls: ToolCall[] = [];
	const reasoning: string[] = [];
	const thinking: ThinkingBlock[] = [];
	for (const { type, id, name: called, input, thinking: thought, signature, data } of blocks) {
		switch (type) {
			case 'text':
				break;
			case 'tool_use':
				calls.push({
					id: textIn(id),
					type: 'function',
					function: { name: textIn(called), arguments: JSON.stringify(input) },
				});
				break;
			case 'thinking':
				reasoning.push(textIn(thought));
				if (typeof signature === 'string' && signature !== '' && signature !== UNSIGNED) {
					thinking.push({ type, thinking: textIn(thought), signature });
				}
				break;
			case 'redacted_thinking':
				thinking.push({ type, data: textIn(data) });
				break;
			default:
				note('messages.content.type');
		}
	}
	const said = textOf(blocks, '');
	if (said === '' && calls.length === 0) {
		return;
	}
	const thought: Thought = defined({
		reasoning: reasoning.some(part => part !== '') ? reasoning.join('\n\n') : undefined,
		thinking: thinking.length === 0 ? undefined : thinking,
	});
	if (Object.keys(thought).length > 0) {
		thoughts.set(messages.length, thought);
	}
	messages.push({
		role: 'assistant',
		content: said,
		...defined({ tool_calls: calls.length === 0 ? undefined : calls }),
	});
}

/** Leaves out a tool of another type: it is one of the service's own, or only the service's models know its form. */
function toolOf(tool: Fields, note: (place: string) => void): ChatTool[] {
	const { type, name: called, description, input_schema: parameters } = tool;
	if (type != null && type !== 'custom') {
		note('tools.type');
		return [];
	}
	return [{ type: 'function', function: { name: called, ...defined({ description, parameters }) } } as ChatTool];
}

function choiceOf({ type, name: called }: Fields): ChatRequest['tool_choice'] {
	switch (type) {
		case 'any':
			return 'required';
		case 'none':
			return 'none';
		case 'tool':
			return { type: 'function', function: { name: textIn(called) } };
		default:
			return undefined;
	}
}

/** Chat requires a name for a schema. */
function formatOf(format: unknown): ChatRequest['response_format'] {
	const schema = isFields(format) && format['type'] === 'json_schema' ? format['schema'] : undefined;
	return schema === undefined
		? undefined
		: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } };
}
