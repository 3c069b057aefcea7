// The events of replies in the Responses form, as its public documents show them.

export interface WireEvent {
	type: string;
	[field: string]: unknown;
}

const USAGE = {
	input_tokens: 75,
	input_tokens_details: { cached_tokens: 40 },
	output_tokens: 15,
	output_tokens_details: { reasoning_tokens: 5 },
	total_tokens: 90,
};

export const created = (model: string): WireEvent => ({
	type: 'response.created',
	response: { id: 'resp_1', status: 'in_progress', model, error: null, output: [] },
});

export const added = (output_index: number, item: object): WireEvent => ({
	type: 'response.output_item.added',
	output_index,
	item,
});

export const done = (output_index: number, item: object): WireEvent => ({
	type: 'response.output_item.done',
	output_index,
	item,
});

export const textDelta = (output_index: number, delta: string): WireEvent => ({
	type: 'response.output_text.delta',
	output_index,
	content_index: 0,
	delta,
});

export const argumentsOf = (output_index: number, delta: string): WireEvent => ({
	type: 'response.function_call_arguments.delta',
	output_index,
	delta,
});

export const messageItem = (text: string) => ({
	type: 'message',
	role: 'assistant',
	content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});

export const callItem = (call_id: string, name: string, text: string) => ({
	type: 'function_call',
	call_id,
	name,
	arguments: text,
});

export const reasoningItem = (encrypted_content: string, ...summary: string[]) => ({
	type: 'reasoning',
	encrypted_content,
	summary: summary.map(text => ({ type: 'summary_text', text })),
});

export const completed = (output: object[]): WireEvent => ({
	type: 'response.completed',
	response: { id: 'resp_1', status: 'completed', error: null, output, usage: USAGE },
});
