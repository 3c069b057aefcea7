// A model server whose replies are decided by a test, one for each request, for chat completions and for responses.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from './waitFor.ts';

export interface ScriptedReply {
	text?: string;
	/** Reasoning items of the responses endpoint, sent unchanged. */
	reasoning?: Record<string, unknown>[];
	/** `input` is sent as JSON, `raw` unchanged. */
	calls?: { name: string; input?: unknown; raw?: string; id?: string }[];
	/** An error in place of a reply. `wait` is sent as `Retry-After`, in seconds. */
	error?: { status: number; message: string; code?: string; wait?: number };
	/** The reply is never finished. */
	hangs?: boolean;
	/** The connection is closed before the end of the reply. */
	breaks?: boolean;
	/** The reply ends at the limit for the model's output. */
	isCut?: boolean;
	/** The text is repeated until the reader leaves. */
	repeats?: boolean;
}

export interface ReceivedRequest {
	path: string;
	authorization: string | undefined;
	body: Record<string, unknown>;
	/** The tool results in the conversation, in order. */
	results: string[];
}

/** Returns the reply to a request, given the number of earlier requests. */
export type Script = (request: ReceivedRequest, number: number) => ScriptedReply;

type Json = Record<string, unknown>;

export class ReplyServer {
	readonly requests: ReceivedRequest[] = [];
	script: Script = () => ({ text: 'Nothing was scripted.' });
	/** The endpoints that the server has. */
	endpoints: readonly string[] = ['/v1/chat/completions', '/v1/responses'];
	private readonly server: Server;
	private calls = 0;

	private constructor() {
		this.server = createServer((request, response) => {
			this.answer(request, response).catch(error => response.destroy(error));
		});
	}

	static async start(): Promise<ReplyServer> {
		const server = new ReplyServer();
		server.server.listen(0, '127.0.0.1');
		await once(server.server, 'listening');
		return server;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Plays replies one after another. */
	play(...replies: ScriptedReply[]): void {
		const start = this.requests.length;
		this.script = (_, number) => replies[number - start] ?? { text: 'The script has ended.' };
	}

	async requested(count: number): Promise<void> {
		await waitFor(`${count} requests`, () => this.requests.length >= count);
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = request.url ?? '';
		let text = '';
		for await (const piece of request.setEncoding('utf8')) {
			text += piece;
		}
		if (!this.endpoints.includes(path)) {
			send(response, 404, { error: { message: `There is no ${path}.` } });
			return;
		}
		const body = JSON.parse(text) as Json;
		const { authorization } = request.headers;
		const received = { path, authorization, body, results: resultsIn(body) };
		this.requests.push(received);
		const reply = this.script(received, this.requests.length - 1);
		if (reply.error) {
			const { status, message, code, wait } = reply.error;
			if (wait !== undefined) {
				response.setHeader('retry-after', wait);
			}
			send(response, status, { error: { message, ...(code !== undefined && { code }) } });
			return;
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const events = path.endsWith('/responses') ? this.responseEvents(reply) : this.chatChunks(reply);
		if (reply.repeats) {
			await repeat(response, path.endsWith('/responses') ? textDelta(reply.text) : (events[0] ?? ''));
			return;
		}
		for (const event of events) {
			response.write(event);
		}
		if (reply.breaks) {
			response.socket?.end();
		} else if (reply.hangs !== true) {
			response.end();
		}
	}

	private id(): string {
		return `call-${this.calls++}`;
	}

	private chatChunks({ text, calls = [], hangs, breaks, isCut }: ScriptedReply): string[] {
		const chunk = (delta: Json, finish: string | null = null) =>
			`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
		const chunks = text === undefined ? [] : [chunk({ content: text })];
		for (const [index, { name, input, raw, id = this.id() }] of calls.entries()) {
			const given = raw ?? JSON.stringify(input);
			const half = Math.floor(given.length / 2);
			const call = { index, id, type: 'function', function: { name, arguments: given.slice(0, half) } };
			chunks.push(chunk({ tool_calls: [call] }));
			chunks.push(chunk({ tool_calls: [{ index, function: { arguments: given.slice(half) } }] }));
		}
		const finish = isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
		return hangs || breaks ? chunks : [...chunks, chunk({}, finish), 'data: [DONE]\n\n'];
	}

	private responseEvents({ text, reasoning = [], calls = [], hangs, breaks, isCut }: ScriptedReply): string[] {
		const output: Json[] = [
			...reasoning,
			...(text === undefined ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
			...calls.map(({ name, input, raw, id = this.id() }) => ({
				type: 'function_call',
				id: this.id(),
				call_id: id,
				name,
				arguments: raw ?? JSON.stringify(input),
			})),
		];
		const event = (type: string, fields: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
		const events = [event('response.created', { response: { id: 'r' } })];
		for (const [index, item] of output.entries()) {
			events.push(event('response.output_item.added', { output_index: index, item }));
			if (item['type'] === 'message') {
				events.push(event('response.output_text.delta', { output_index: index, content_index: 0, delta: text }));
			}
			events.push(event('response.output_item.done', { output_index: index, item }));
		}
		const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
		if (hangs || breaks) {
			return events;
		}
		const response = { id: 'r', status: isCut ? 'incomplete' : 'completed', output, usage };
		return isCut
			? [
					...events,
					event('response.incomplete', {
						response: { ...response, incomplete_details: { reason: 'max_output_tokens' } },
					}),
				]
			: [...events, event('response.completed', { response })];
	}
}

function resultsIn({ messages = [], input = [] }: { messages?: unknown; input?: unknown }): string[] {
	return [
		...(messages as Json[]).filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
		...(input as Json[]).filter(({ type }) => type === 'function_call_output').map(({ output }) => textOf(output)),
	];
}

/** A result is a text or a list of parts. */
const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

async function repeat(response: ServerResponse, event: string): Promise<void> {
	const closed = once(response, 'close');
	while (!response.destroyed) {
		if (!response.write(event)) {
			await Promise.race([once(response, 'drain'), closed]);
		}
	}
}

function textDelta(delta: string | undefined): string {
	return `data: ${JSON.stringify({ type: 'response.output_text.delta', output_index: 0, delta })}\n\n`;
}

function send(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
