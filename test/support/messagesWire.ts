// The events of replies in the Messages form, as its public documents show them.

export interface WireEvent {
	type: string;
	[field: string]: unknown;
}

export const USAGE = {
	input_tokens: 25,
	cache_creation_input_tokens: 10,
	cache_read_input_tokens: 40,
	output_tokens: 1,
};

export const messageStart = (fields: object = {}): WireEvent => ({
	type: 'message_start',
	message: {
		id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyy',
		type: 'message',
		role: 'assistant',
		content: [],
		model: 'small',
		stop_reason: null,
		stop_sequence: null,
		usage: USAGE,
		...fields,
	},
});

export const PING: WireEvent = { type: 'ping' };

export const blockStart = (index: number, content_block: object): WireEvent => ({
	type: 'content_block_start',
	index,
	content_block,
});

export const blockDelta = (index: number, delta: object): WireEvent => ({ type: 'content_block_delta', index, delta });

export const blockStop = (index: number): WireEvent => ({ type: 'content_block_stop', index });

export const textBlock = (index: number, ...pieces: string[]): WireEvent[] => [
	blockStart(index, { type: 'text', text: '' }),
	...pieces.map(text => blockDelta(index, { type: 'text_delta', text })),
	blockStop(index),
];

export const thinkingBlock = (index: number, signature: string, ...pieces: string[]): WireEvent[] => [
	blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
	...pieces.map(thinking => blockDelta(index, { type: 'thinking_delta', thinking })),
	blockDelta(index, { type: 'signature_delta', signature }),
	blockStop(index),
];

export const toolBlock = (index: number, id: string, name: string, ...pieces: string[]): WireEvent[] => [
	blockStart(index, { type: 'tool_use', id, name, input: {} }),
	...pieces.map(partial_json => blockDelta(index, { type: 'input_json_delta', partial_json })),
	blockStop(index),
];

/** The two events that end a message. */
export const messageEnd = (
	stop_reason: string,
	usage: object = { output_tokens: 15 },
	more: object = {},
): WireEvent[] => [
	{ type: 'message_delta', delta: { stop_reason, stop_sequence: null, ...more }, usage },
	{ type: 'message_stop' },
];
