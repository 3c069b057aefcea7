// Converts the chunks of a chat reply into the events of a response (contract: inference.md, Events and Responses
// request).

import { randomUUID } from 'node:crypto';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import type { IndexedToolCall } from '../../client/core/toolCallIndexes.ts';
import type { Annotation, Usage } from '../../contract/chatReply.ts';
import { ProviderFailure, type ReplyChunk } from '../inference/provider.ts';
import { errorInReply } from '../inference/providerFailure.ts';
import type { ReasoningSeal } from './reasoningSeal.ts';

/**
 * contract: not shown except for the names and meanings of the events. Their fields follow public practice: each event
 * has its own type and number, `output_index` and `item_id` identify its item, and `content_index` identifies the part.
 */
export interface SentEvent {
	type: string;
	sequence_number: number;
	[field: string]: unknown;
}

/**
 * The maximum number of characters in the whole output: the last event repeats all of it, and clients limit the size of
 * an event.
 */
const MAXIMUM_OUTPUT = 1024 * 1024;
const MAXIMUM_ITEMS = 1000;

interface OutputItem {
	id: string;
	type: 'message' | 'function_call' | 'reasoning';
	[field: string]: unknown;
}

interface Open {
	index: number;
	item: OutputItem;
	/** The pieces of the text or the arguments, which are joined only once. */
	pieces: string[];
}

interface OpenCall extends Open {
	givenId: string | undefined;
	/** The name, or undefined if it has not arrived yet, in which case the item has not been sent either. */
	name: string | undefined;
}

export interface ResponseOptions {
	/** The model that serves the reply. A chunk may later name it more exactly. */
	model: string;
	seal: ReasoningSeal;
	/** The text format of the request. Some clients read the text only if the response repeats it. */
	format?: object | undefined;
}

type EndStatus = 'completed' | 'incomplete';

/** The state of one response. Every method returns the events to send. */
export class ResponseEvents {
	private readonly options: ResponseOptions;
	private readonly id = newId('resp');
	private readonly createdAt = Math.floor(Date.now() / 1000);
	private readonly output: OutputItem[] = [];
	private readonly annotations: Annotation[] = [];
	private readonly calls = new Map<number, OpenCall>();
	private model: string;
	private reasoning: Open | undefined;
	private message: Open | undefined;
	private usage: Usage | undefined;
	private finishReason: string | undefined;
	private sequence = 0;
	private nextIndex = 0;
	private size = 0;

	constructor(options: ResponseOptions) {
		this.options = options;
		this.model = options.model;
	}

	start(): SentEvent[] {
		const response = this.response('in_progress');
		return [this.event('response.created', { response }), this.event('response.in_progress', { response })];
	}

	/**
	 * Adds a chunk.
	 * @throws ProviderFailure for an invalid reply, or one that exceeds the limits.
	 */
	add({ choices, usage, model }: ReplyChunk): SentEvent[] {
		this.usage = usage ?? this.usage;
		this.model = model ?? this.model;
		const events: SentEvent[] = [];
		for (const { index, delta, finish_reason } of choices) {
			// The service never requests several choices.
			if (index !== 0) {
				continue;
			}
			const reasoning = delta.reasoning || delta.reasoning_content;
			if (reasoning) {
				append(events, this.addReasoning(reasoning));
			}
			for (const { data } of delta.reasoning_details ?? []) {
				append(events, data === undefined ? [] : this.addSealed(data));
			}
			if (delta.content) {
				append(events, this.addText(delta.content));
			}
			for (const annotation of delta.annotations ?? []) {
				this.grow(JSON.stringify(annotation));
				this.annotations.push(annotation);
			}
			for (const fragment of delta.tool_calls ?? []) {
				append(events, this.addCall(fragment));
			}
			this.finishReason = finish_reason ?? this.finishReason;
		}
		return events;
	}

	/** contract: not shown how a reply that was cut off ends. It is `response.incomplete` with the reason. */
	end(): SentEvent[] {
		const reason = incompleteReason(this.finishReason);
		const status: EndStatus = reason === undefined ? 'completed' : 'incomplete';
		const events = this.closeAll(status);
		const response = this.response(status);
		events.push(
			reason === undefined
				? this.event('response.completed', { response })
				: this.event('response.incomplete', { response: { ...response, incomplete_details: { reason } } }),
		);
		return events;
	}

	/** contract: not shown. The event reports an error in the middle and replaces the end. */
	fail(failure: ProviderFailure): SentEvent[] {
		const response = { ...this.response('failed'), error: errorInReply(failure) };
		return [this.event('response.failed', { response })];
	}

	private addReasoning(text: string): SentEvent[] {
		const events: SentEvent[] = [];
		if (this.reasoning === undefined) {
			const item: OutputItem = { id: newId('rs'), type: 'reasoning', summary: [], encrypted_content: '' };
			this.reasoning = this.open(item, events);
		}
		this.grow(text);
		this.reasoning.pieces.push(text);
		return events;
	}

	/** Ends the reasoning with what its own server has sealed, which that server reads instead of the text. */
	private addSealed(data: string): SentEvent[] {
		this.grow(data);
		const events = this.addReasoning('');
		return [...events, ...this.closeReasoning(data)];
	}

	private addText(text: string): SentEvent[] {
		const events = this.closeReasoning();
		if (this.message === undefined) {
			const item: OutputItem = {
				id: newId('msg'),
				type: 'message',
				role: 'assistant',
				status: 'in_progress',
				content: [],
			};
			this.message = this.open(item, events);
			events.push(this.event('response.content_part.added', { ...partPlace(this.message), part: textPart('', []) }));
		}
		this.grow(text);
		this.message.pieces.push(text);
		events.push(this.event('response.output_text.delta', { ...partPlace(this.message), delta: text }));
		return events;
	}

	private addCall({ index, id, function: called }: IndexedToolCall): SentEvent[] {
		const events = [...this.closeReasoning(), ...this.closeMessage('completed')];
		let call = this.calls.get(index);
		if (call === undefined) {
			this.refuseTooMany(this.calls.size + 1);
			const item: OutputItem = { id: newId('fc'), type: 'function_call', status: 'in_progress' };
			call = { index: -1, item, pieces: [], givenId: undefined, name: undefined };
			this.calls.set(index, call);
		}
		call.givenId ??= id || undefined;
		const text = called?.arguments ?? '';
		this.grow(text);
		if (call.name === undefined && called?.name) {
			call.name = called.name;
			Object.assign(call.item, { name: call.name, call_id: call.givenId ?? newId('call'), arguments: '' });
			call.index = this.open(call.item, events).index;
			for (const delta of call.pieces) {
				events.push(this.event('response.function_call_arguments.delta', { ...place(call), delta }));
			}
		}
		if (text !== '') {
			call.pieces.push(text);
			if (call.name !== undefined) {
				events.push(this.event('response.function_call_arguments.delta', { ...place(call), delta: text }));
			}
		}
		return events;
	}

	private open(item: OutputItem, events: SentEvent[]): Open {
		this.refuseTooMany(this.nextIndex);
		const opened: Open = { index: this.nextIndex++, item, pieces: [] };
		events.push(this.event('response.output_item.added', { output_index: opened.index, item: { ...item } }));
		return opened;
	}

	private closeAll(status: EndStatus): SentEvent[] {
		const events = [...this.closeReasoning(), ...this.closeMessage(status)];
		for (const call of this.calls.values()) {
			append(events, this.closeCall(call, status));
		}
		return events;
	}

	private closeReasoning(sealed?: string): SentEvent[] {
		if (this.reasoning === undefined) {
			return [];
		}
		const { index, item, pieces } = this.reasoning;
		this.reasoning = undefined;
		item['encrypted_content'] = sealed ?? this.options.seal.seal(pieces.join(''));
		return this.done(index, item);
	}

	private closeMessage(status: EndStatus): SentEvent[] {
		if (this.message === undefined) {
			return [];
		}
		const { message } = this;
		this.message = undefined;
		const text = message.pieces.join('');
		// The annotations are passed by reference, so that sources that arrive later are at least in the completed
		// response.
		const part = textPart(text, this.annotations);
		Object.assign(message.item, { status, content: [part] });
		return [
			this.event('response.output_text.done', { ...partPlace(message), text }),
			this.event('response.content_part.done', { ...partPlace(message), part }),
			...this.done(message.index, message.item),
		];
	}

	private closeCall(call: OpenCall, status: EndStatus): SentEvent[] {
		if (call.name === undefined) {
			throw new ProviderFailure('upstream_error', 'The model called a function without naming it.');
		}
		const text = call.pieces.join('') || '{}';
		Object.assign(call.item, { status, arguments: text });
		return [
			this.event('response.function_call_arguments.done', { ...place(call), arguments: text }),
			...this.done(call.index, call.item),
		];
	}

	private done(index: number, item: OutputItem): SentEvent[] {
		this.output[index] = item;
		return [this.event('response.output_item.done', { output_index: index, item })];
	}

	private refuseTooMany(count: number): void {
		if (count >= MAXIMUM_ITEMS) {
			throw new ProviderFailure('upstream_error', `The reply has more than ${MAXIMUM_ITEMS} items.`);
		}
	}

	private grow(text: string): void {
		this.size += text.length;
		if (this.size > MAXIMUM_OUTPUT) {
			throw new ProviderFailure('upstream_error', `The reply is longer than ${MAXIMUM_OUTPUT} characters.`);
		}
	}

	private response(status: string): object {
		return {
			id: this.id,
			object: 'response',
			created_at: this.createdAt,
			model: this.model,
			status,
			// An item that has begun but not ended leaves a hole in the array.
			output: this.output.filter(item => item !== undefined),
			usage: usageOf(this.usage),
			...defined({ text: this.options.format && { format: this.options.format } }),
		};
	}

	private event(type: string, fields: object): SentEvent {
		return { type, sequence_number: this.sequence++, ...fields };
	}
}

const newId = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

const place = ({ index, item }: Open): object => ({ output_index: index, item_id: item.id });

const partPlace = (open: Open): object => ({ ...place(open), content_index: 0 });

const textPart = (text: string, annotations: readonly Annotation[]): object => ({
	type: 'output_text',
	text,
	annotations,
});

/** contract: not shown. The words are those of public practice. */
function incompleteReason(finishReason: string | undefined): string | undefined {
	switch (finishReason) {
		case 'length':
			return 'max_output_tokens';
		case 'content_filter':
			return 'content_filter';
		default:
			return undefined;
	}
}

function usageOf(usage: Usage | undefined): object | null {
	if (usage === undefined) {
		return null;
	}
	const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage;
	return {
		input_tokens: input,
		output_tokens: output,
		total_tokens: usage.total_tokens ?? input + output,
		input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
		output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
	};
}
