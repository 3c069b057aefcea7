// A model server without a model: it answers by a script that the prompt names, so that agents can run offline.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The agent's instructions. Paths are relative to the tree. */
export type Step =
	| { do: 'read'; path: string }
	| { do: 'edit'; path: string; from: string; to: string }
	| { do: 'write'; path: string; content: string }
	| { do: 'run'; command: string }
	/** A tool with this agent's own names for it and its fields. */
	| { do: 'call'; tool: string; input: object }
	| { do: 'say'; text: string };

/** A tool as an agent offers it. */
export interface Tool {
	name: string;
	properties: Record<string, { type?: string; items?: { properties?: Record<string, unknown> } }>;
	required: readonly string[];
}

interface Call {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

interface Message {
	role: string;
	content: string;
}

/** A call of an agent to its model. */
export interface ModelRequest {
	path: string;
	model: unknown;
	/** The number of tool results after the last prompt. Undefined for a call without tools, such as one for a title. */
	step: number | undefined;
	/** The last tool result. */
	result: string | undefined;
	body: Record<string, unknown>;
}

const TOOL_NAMES: Readonly<Record<Exclude<Step['do'], 'say' | 'call'>, readonly string[]>> = {
	read: ['read', 'read_file', 'Read'],
	edit: ['edit', 'replace', 'edit_file', 'Edit'],
	write: ['write', 'write_file', 'Write'],
	run: ['bash', 'run_shell_command', 'shell', 'exec_command', 'run', 'Bash'],
};
/** The names that agents give to the fields of these tools. */
const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
	path: ['filePath', 'file_path', 'absolute_path', 'path'],
	content: ['content', 'contents', 'text'],
	from: ['oldString', 'old_string', 'oldText', 'old'],
	to: ['newString', 'new_string', 'newText', 'new'],
	command: ['command', 'cmd'],
};

/** The forms in which it is asked, by the ends of their paths, each with the method that replies. */
const FORMS = [
	{ end: '/chat/completions', reply: 'reply' },
	{ end: '/messages', reply: 'replyInMessages' },
	{ end: '/responses', reply: 'replyInResponses' },
] as const;

export interface ScriptedModelOptions {
	/** The scripts by name: `[[script <name>]]` in the prompt, or the name itself if it is a sentence. */
	scripts: Readonly<Record<string, readonly Step[]>>;
	/** The folder of the tree as the agent sees it. */
	tree: string;
	/** The model's name. */
	model?: string;
}

export class ScriptedModel {
	readonly requests: ModelRequest[] = [];
	/** The time between the words of a reply, in milliseconds. */
	pauseMs = 0;
	private readonly options: ScriptedModelOptions;
	private readonly server: Server;
	private calls = 0;

	private constructor(options: ScriptedModelOptions) {
		this.options = options;
		this.server = createServer((request, response) => {
			void this.answer(request, response).catch(() => response.destroy());
		});
	}

	static async start(options: ScriptedModelOptions): Promise<ScriptedModel> {
		const model = new ScriptedModel(options);
		await new Promise<void>(resolve => model.server.listen(0, '127.0.0.1', resolve));
		return model;
	}

	/** The base address, which ends in `/v1`. */
	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	get name(): string {
		return this.options.model ?? 'scripted-model';
	}

	/** The results of the tools that agents have run, in order. */
	get results(): string[] {
		return this.requests.flatMap(({ result }) => result ?? []);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = (request.url ?? '').split('?', 1)[0] ?? '';
		if (path.endsWith('/models')) {
			json(response, 200, { object: 'list', data: [{ id: this.name, object: 'model' }] });
			return;
		}
		let text = '';
		for await (const piece of request.setEncoding('utf8')) {
			text += piece;
		}
		const form = FORMS.find(({ end }) => path.endsWith(end));
		if (form === undefined) {
			json(response, 404, { error: { message: `There is no ${path} here.` } });
			return;
		}
		const body = JSON.parse(text) as Record<string, unknown>;
		const messages = messagesOf(body);
		const tools = toolsOf(body);
		const { step, index } = this.next(messages, tools);
		const results = messages.filter(({ role }) => role === 'tool');
		this.requests.push({ path, model: body['model'], step: index, result: results.at(-1)?.content, body });
		await this[form.reply](response, body, step, tools);
	}

	/** The reply in the Responses form, with sealed reasoning before the text or the call of a tool. */
	private async replyInResponses(
		response: ServerResponse,
		body: Record<string, unknown>,
		step: Step,
		tools: readonly Tool[],
	): Promise<void> {
		const call = step.do === 'say' ? undefined : this.callFor(step, tools);
		const text = step.do === 'say' ? step.text : '';
		const number = ++this.calls;
		const thought = { type: 'reasoning', id: `rs_${number}`, summary: [], encrypted_content: `sealed-${number}` };
		const item = call
			? { type: 'function_call', id: `fc_${number}`, call_id: call.id, ...call.function, status: 'completed' }
			: { type: 'message', id: `msg_${number}`, role: 'assistant', content: [{ type: 'output_text', text }] };
		const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
		const head = { id: `resp_${number}`, object: 'response', model: body['model'], error: null };
		const whole = { ...head, status: 'completed', output: [thought, item], usage };
		if (body['stream'] !== true) {
			json(response, 200, whole);
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (type: string, fields: object) =>
			response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
		send('response.created', { response: { ...head, status: 'in_progress', output: [] } });
		send('response.output_item.added', { output_index: 0, item: { ...thought, encrypted_content: '' } });
		send('response.output_item.done', { output_index: 0, item: thought });
		const begun = call ? { ...item, arguments: '' } : { ...item, content: [] };
		send('response.output_item.added', { output_index: 1, item: begun });
		const place = { output_index: 1, item_id: item.id };
		if (call) {
			send('response.function_call_arguments.delta', { ...place, delta: call.function.arguments });
		}
		for (const delta of call ? [] : text.split(/(?<= )/)) {
			send('response.output_text.delta', { ...place, content_index: 0, delta });
			await delay(this.pauseMs);
		}
		send('response.output_item.done', { output_index: 1, item });
		send('response.completed', { response: whole });
		response.end();
	}

	/** The reply in the Messages form, with signed thinking before the text or the call of a tool. */
	private async replyInMessages(
		response: ServerResponse,
		body: Record<string, unknown>,
		step: Step,
		tools: readonly Tool[],
	): Promise<void> {
		const call = step.do === 'say' ? undefined : this.callFor(step, tools);
		const text = step.do === 'say' ? step.text : '';
		const block = call ? { type: 'tool_use', id: call.id, name: call.function.name } : { type: 'text', text };
		const input = call && JSON.parse(call.function.arguments);
		const stop = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
		const usage = { input_tokens: 1_000, output_tokens: 100 };
		const number = ++this.calls;
		const head = { id: `msg_${number}`, type: 'message', role: 'assistant', model: body['model'], usage };
		const [thinking, signature] = ['Hm.', `signed-${number}`];
		if (body['stream'] !== true) {
			const thought = { type: 'thinking', thinking, signature };
			json(response, 200, { ...head, ...stop, content: [thought, { ...block, ...(call && { input }) }] });
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (type: string, fields: object) =>
			response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
		send('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null } });
		send('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } });
		send('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking } });
		send('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature } });
		send('content_block_stop', { index: 0 });
		const begun = call ? { ...block, input: {} } : { type: 'text', text: '' };
		send('content_block_start', { index: 1, content_block: begun });
		const deltas = call
			? [{ type: 'input_json_delta', partial_json: call.function.arguments }]
			: text.split(/(?<= )/).map(word => ({ type: 'text_delta', text: word }));
		for (const delta of deltas) {
			send('content_block_delta', { index: 1, delta });
			await delay(this.pauseMs);
		}
		send('content_block_stop', { index: 1 });
		send('message_delta', { delta: stop, usage });
		send('message_stop', {});
		response.end();
	}

	/** Advances the script by one step per tool result, so that the server keeps no state of a conversation. */
	private next(messages: readonly Message[], tools: readonly Tool[]): { step: Step; index: number | undefined } {
		const at = messages.findLastIndex(({ role, content }) => role === 'user' && this.named(content) !== undefined);
		const script = this.options.scripts[this.named(messages[at]?.content ?? '') ?? ''];
		if (script === undefined || tools.length === 0) {
			// A chat has no tools, so a script for it says only one thing.
			const [only] = script?.length === 1 ? script : [];
			return { step: only?.do === 'say' ? only : { do: 'say', text: 'Nothing to do.' }, index: undefined };
		}
		const index = messages.slice(at + 1).filter(({ role }) => role === 'tool').length;
		return { step: script[Math.min(index, script.length - 1)] ?? { do: 'say', text: 'Done.' }, index };
	}

	/** Returns the name of the script in a message. */
	private named(content: string): string | undefined {
		const marked = [...content.matchAll(/\[\[script (\w+)\]\]/g)].at(-1)?.[1];
		return marked ?? Object.keys(this.options.scripts).find(name => name.includes(' ') && content.includes(name));
	}

	private async reply(
		response: ServerResponse,
		body: Record<string, unknown>,
		step: Step,
		tools: readonly Tool[],
	): Promise<void> {
		const head = { id: `chatcmpl-${++this.calls}`, created: 0, model: body['model'] };
		const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
		const call = step.do === 'say' ? undefined : this.callFor(step, tools);
		const text = step.do === 'say' ? step.text : '';
		const finish = call === undefined ? 'stop' : 'tool_calls';
		if (body['stream'] !== true) {
			const message = { role: 'assistant', content: text, ...(call && { tool_calls: [call] }) };
			const choices = [{ index: 0, finish_reason: finish, message }];
			json(response, 200, { ...head, object: 'chat.completion', choices, usage });
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (fields: object) =>
			response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`);
		const delta = (fields: object, finish_reason: string | null = null) =>
			send({ choices: [{ index: 0, delta: fields, finish_reason }] });
		delta({ role: 'assistant', content: '' });
		for (const word of text.split(/(?<= )/)) {
			delta({ content: word });
			if (this.pauseMs > 0) {
				await delay(this.pauseMs);
			}
		}
		if (call !== undefined) {
			delta({ tool_calls: [{ index: 0, ...call }] });
		}
		delta({}, finish);
		send({ choices: [], usage });
		response.end('data: [DONE]\n\n');
	}

	private callFor(step: Exclude<Step, { do: 'say' }>, tools: readonly Tool[]): Call {
		const { name, input } = callOf(step, tools, this.options.tree);
		return { id: `call_${++this.calls}`, type: 'function', function: { name, arguments: JSON.stringify(input) } };
	}
}

/**
 * Returns a step as a call of one of an agent's tools, with that tool's own names for its fields. `tree` is the folder
 * of the tree as the agent sees it.
 */
export function callOf(
	step: Exclude<Step, { do: 'say' }>,
	tools: readonly Tool[],
	tree: string,
): { name: string; input: Record<string, unknown> } {
	if (step.do === 'call') {
		return { name: step.tool, input: { ...step.input } };
	}
	const names = TOOL_NAMES[step.do];
	const tool = tools.find(({ name }) => names.includes(name));
	if (tool === undefined && step.do !== 'run') {
		return callOf({ do: 'run', command: asCommand(step) }, tools, tree);
	}
	if (tool === undefined) {
		throw new Error(`The agent has no tool that runs a command: ${tools.map(({ name }) => name).join(', ')}`);
	}
	const fields: Record<string, unknown> = {};
	const put = (name: string, value: string, properties: Record<string, unknown> = tool.properties, into = fields) => {
		const known = FIELD_NAMES[name] ?? [name];
		into[known.find(candidate => candidate in properties) ?? name] = value;
	};
	if ('path' in step) {
		put('path', `${tree}/${step.path}`);
	}
	if (step.do === 'edit') {
		const edits = tool.properties['edits']?.items?.properties;
		const edit: Record<string, unknown> = {};
		put('from', step.from, edits, edit);
		put('to', step.to, edits, edit);
		Object.assign(fields, edits === undefined ? edit : { edits: [edit] });
	}
	if (step.do === 'write') {
		put('content', step.content);
	}
	if (step.do === 'run') {
		put('command', step.command);
	}
	for (const name of tool.required) {
		fields[name] ??= tool.properties[name]?.type === 'boolean' ? false : `${step.do} as asked`;
	}
	return { name: tool.name, input: fields };
}

/** Returns a shell command for a step for which an agent has no tool. */
function asCommand(step: Exclude<Step, { do: 'say' | 'run' | 'call' }>): string {
	const file = quoted(step.path);
	switch (step.do) {
		case 'read':
			return `cat ${file}`;
		case 'write':
			return `mkdir -p "$(dirname ${file})" && printf %s ${quoted(step.content)} > ${file}`;
		case 'edit': {
			const program =
				"const [f, from, to] = process.argv.slice(1); fs.writeFileSync(f, fs.readFileSync(f, 'utf8').replace(from, () => to))";
			return `node -e ${quoted(program)} ${[step.path, step.from, step.to].map(quoted).join(' ')}`;
		}
	}
}

/** Quotes a text for a shell. */
export function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the messages of a request's body. */
export function messagesOf(body: Record<string, unknown>): Message[] {
	const sent = body['messages'] ?? body['input'];
	const list = Array.isArray(sent) ? (sent as Record<string, unknown>[]) : [];
	return list.flatMap(({ type, role, content, output }) => {
		// The Responses form has the results of tools as items of their own.
		if (role === undefined) {
			return type === 'function_call_output' ? [{ role: 'tool', content: textOf(output) }] : [];
		}
		// The Messages form has the results of tools as blocks of the user's messages.
		const blocks = Array.isArray(content) ? (content as Record<string, unknown>[]) : [];
		const results = blocks.filter(({ type }) => type === 'tool_result');
		const rest = results.length === 0 ? content : blocks.filter(block => !results.includes(block));
		return [
			...results.map(result => ({ role: 'tool', content: textOf(result['content']) })),
			...(Array.isArray(rest) && rest.length === 0 ? [] : [{ role: String(role), content: textOf(rest) }]),
		];
	});
}

function textOf(content: unknown): string {
	if (Array.isArray(content)) {
		return content.map(part => String((part as { text?: unknown }).text ?? '')).join('\n');
	}
	return typeof content === 'string' ? content : '';
}

/** Returns the tools that a request offers. A tool of the Messages form has its name and its schema side by side. */
export function toolsOf(body: Record<string, unknown>): Tool[] {
	type Declared = Record<string, unknown>;
	const list = Array.isArray(body['tools']) ? (body['tools'] as (Declared & { function?: Declared })[]) : [];
	return list.map(tool => {
		const { name, parameters, input_schema: inputs } = tool.function ?? tool;
		const schema = (parameters ?? inputs ?? {}) as { properties?: Tool['properties']; required?: string[] };
		return { name: String(name), properties: schema.properties ?? {}, required: schema.required ?? [] };
	});
}

function json(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}
