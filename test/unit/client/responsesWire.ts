import type { ResponseEvent, ResponsesRequest } from '../../../src/contract/responses.ts';
import { sseEvent } from '../../support/faultServer.ts';

export const request: ResponsesRequest = { model: 'coder', input: [{ role: 'user', content: 'How warm is it?' }] };

/** One event as services send it: named, and with its name in the data too. */
export function event(type: string, fields: Record<string, unknown> = {}): string {
	return sseEvent({ type, ...fields }, type);
}

export const reasoning = {
	id: 'rs_1',
	type: 'reasoning',
	summary: [],
	encrypted_content: 'gAAAA+/=\u2028é',
	status: null,
	note: 'None',
	1: { deep: [null, 0.5, { unknown: 'kept' }] },
};

export const call = {
	id: 'fc_1',
	type: 'function_call',
	name: 'weather',
	arguments: '{"city":"Oslo"}',
	call_id: 'call_1',
	status: 'completed',
};

export const message = {
	id: 'msg_1',
	type: 'message',
	role: 'assistant',
	status: 'completed',
	content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
};

export const usage = {
	input_tokens: 5,
	output_tokens: 7,
	total_tokens: 12,
	input_tokens_details: { cached_tokens: 1 },
	output_tokens_details: { reasoning_tokens: 2 },
};

/** The response object that `response.completed` carries. */
export const response = {
	id: 'resp_1',
	created_at: 1_758_000_000,
	model: 'vendor/coder',
	object: 'response',
	status: 'completed',
	output: [reasoning, message, call],
	usage,
};

export const completed = event('response.completed', { response });

/** A whole stream with each of the documented events. */
export const wholeStream: readonly string[] = [
	event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
	event('response.in_progress', { response: { ...response, status: 'in_progress', output: [] } }),
	event('response.output_item.added', { output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } }),
	event('response.output_item.done', { output_index: 0, item: reasoning }),
	event('response.output_item.added', { output_index: 1, item: { ...message, status: 'in_progress', content: [] } }),
	event('response.content_part.added', {
		output_index: 1,
		item_id: 'msg_1',
		content_index: 0,
		part: { type: 'output_text', text: '', annotations: [] },
	}),
	event('response.output_text.delta', { output_index: 1, item_id: 'msg_1', content_index: 0, delta: 'Let me ' }),
	event('response.output_text.delta', { output_index: 1, item_id: 'msg_1', content_index: 0, delta: 'look.' }),
	event('response.output_text.done', { output_index: 1, item_id: 'msg_1', content_index: 0, text: 'Let me look.' }),
	event('response.content_part.done', {
		output_index: 1,
		item_id: 'msg_1',
		content_index: 0,
		part: { type: 'output_text', text: 'Let me look.', annotations: [] },
	}),
	event('response.output_item.done', { output_index: 1, item: message }),
	event('response.output_item.added', {
		output_index: 2,
		item: { ...call, arguments: '', status: 'in_progress' },
	}),
	event('response.function_call_arguments.delta', { output_index: 2, item_id: 'fc_1', delta: '{"city"' }),
	event('response.function_call_arguments.delta', { output_index: 2, item_id: 'fc_1', delta: ':"Oslo"}' }),
	event('response.function_call_arguments.done', { output_index: 2, item_id: 'fc_1', arguments: call.arguments }),
	event('response.output_item.done', { output_index: 2, item: call }),
	completed,
];

/** The event of one piece of text. */
export function delta(text: unknown): string {
	return event('response.output_text.delta', { output_index: 0, delta: text });
}

export function textOf(events: readonly ResponseEvent[]): string {
	return events.map(event => (event.type === 'response.output_text.delta' ? (event.delta ?? '') : '')).join('');
}
