import { createHash } from 'node:crypto';
import { type ToolCall, thirds, toolCalls } from './chat.ts';
import { contentText } from './chatRequest.ts';
import type { JsonObject } from './checks.ts';
import { type Call, eventReply, type Reply, type Route, type SentEvent } from './exchange.ts';
import type { FixtureModel } from './fixtureModel.ts';
import { absentText, annotations, chatReply, responsesUsage } from './fixtures.ts';
import { checkedResponsesBody, flatTools, inputOf } from './responsesRequest.ts';

/** Error bodies are `{error: {code, message}}`. The code is a string that repeats the HTTP status. */
export function responsesRoutes(): Route[] {
	/** The reasoning items that were sent, as JSON. */
	const issued = new Set<string>();
	return [
		{
			hosts: ['enterprise'],
			method: 'POST',
			path: '/v1/responses',
			key: 'inference',
			errorBody: (status, message) => ({ error: { code: String(status), message } }),
			handle: call => respond(call, issued),
		},
	];
}

function respond({ request }: Call, issued: Set<string>): Reply {
	const { body, model } = checkedResponsesBody(request.json, issued);
	const input = inputOf(body);
	const scenario = contentText(input.findLast(({ role }) => role === 'user')?.['content']).trim();
	const results = input.slice(input.findLastIndex(({ type }) => type !== 'function_call_output') + 1);
	const called = results.length > 0 ? [] : toolCalls(flatTools(body), body['tool_choice'], scenario);
	const calls = body['parallel_tool_calls'] === false ? called.slice(0, 1) : called;
	const pieces =
		results.length > 0 ? ['The tools said: ', ...results.map(({ output }) => `${output};`)] : chatReply.pieces;
	const stream = new ResponseStream(model, scenario);
	stream.start();
	if (model.codeOriented) {
		issued.add(JSON.stringify(stream.reasoning(createHash('sha256').update(request.text).digest('base64'))));
	}
	if (calls.length === 0) {
		stream.message(pieces);
	}
	for (const call of calls) {
		stream.call(call);
	}
	stream.end();
	return eventReply(stream.events);
}

/** The events of one response. Their fields other than the type follow the services from which this shape comes. */
class ResponseStream {
	readonly events: SentEvent[] = [];
	private readonly output: JsonObject[] = [];
	private readonly head: JsonObject;
	private readonly scenario: string;

	constructor(model: FixtureModel, scenario: string) {
		this.head = { id: 'resp_60b2f7', object: 'response', created_at: 1_751_300_999, model: model.id };
		this.scenario = scenario;
	}

	start(): void {
		const response = { ...this.head, status: 'in_progress', output: [], usage: this.absent };
		this.send('response.created', { response });
		this.send('response.in_progress', { response });
	}

	/** Sends a reasoning item and returns it. Its text must come back unchanged. */
	reasoning(encrypted: string): JsonObject {
		const item = { id: 'rs_41d8', type: 'reasoning', summary: [], encrypted_content: `gAAA/${encrypted}+é` };
		const place = { output_index: this.output.length };
		this.send('response.output_item.added', { ...place, item: { ...item, encrypted_content: '' } });
		this.send('response.output_item.done', { ...place, item });
		this.output.push(item);
		return item;
	}

	message(pieces: string[]): void {
		const id = 'msg_93ac';
		const place = { output_index: this.output.length };
		const part = { ...place, item_id: id, content_index: 0 };
		const item = { id, type: 'message', role: 'assistant' };
		this.send('response.output_item.added', { ...place, item: { ...item, status: 'in_progress', content: [] } });
		const blank = { type: 'output_text', text: '', annotations: [] };
		this.send('response.content_part.added', { ...part, part: blank });
		const isBroken = ['cut', 'error-midway', 'failed', 'incomplete'].includes(this.scenario);
		for (const delta of isBroken ? pieces.slice(0, 2) : pieces) {
			this.send('response.output_text.delta', { ...part, delta });
		}
		if (isBroken) {
			return;
		}
		const text = pieces.join('');
		const whole = { type: 'output_text', text, annotations: this.isBlank ? this.absent : annotations };
		this.send('response.output_text.done', { ...part, text });
		this.send('response.content_part.done', { ...part, part: whole });
		const done = { ...item, status: 'completed', content: [whole] };
		this.send('response.output_item.done', { ...place, item: done });
		this.output.push(done);
	}

	call({ id, name, arguments: text }: ToolCall): void {
		const place = { output_index: this.output.length };
		const item = { id: `fc_${id}`, type: 'function_call', name, call_id: id };
		this.send('response.output_item.added', { ...place, item: { ...item, arguments: '', status: 'in_progress' } });
		for (const delta of thirds(text)) {
			this.send('response.function_call_arguments.delta', { ...place, item_id: item.id, delta });
		}
		this.send('response.function_call_arguments.done', { ...place, item_id: item.id, arguments: text });
		const done = { ...item, arguments: text, status: 'completed' };
		this.send('response.output_item.done', { ...place, item: done });
		this.output.push(done);
	}

	end(): void {
		const response = { ...this.head, output: this.output, usage: this.isBlank ? this.absent : responsesUsage };
		switch (this.scenario) {
			case 'cut':
				return;
			case 'error-midway':
				this.send('error', { code: '502', message: 'The provider broke off' });
				return;
			case 'failed':
				this.send('response.failed', {
					response: { ...response, status: 'failed', error: { code: 'server_error', message: 'The model failed' } },
				});
				return;
			case 'incomplete':
				this.send('response.incomplete', {
					response: { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
				});
				return;
			default:
				this.send('response.completed', { response: { ...response, status: 'completed' } });
		}
	}

	private get isBlank(): boolean {
		return this.scenario === 'none' || this.scenario === 'null';
	}

	private get absent(): unknown {
		return this.scenario === 'none' ? absentText : null;
	}

	private send(type: string, fields: JsonObject): void {
		// The fields are copied, so that a later event does not change an earlier one.
		const data = structuredClone({ type, sequence_number: this.events.length, ...fields });
		this.events.push({ event: type, data });
	}
}
