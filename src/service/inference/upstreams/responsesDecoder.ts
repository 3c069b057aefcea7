import { defined } from '../../../base/defined.ts';
import { ClientError } from '../../../base/errors.ts';
import { type Fields, isFields, objectsOf } from '../../../base/fields.ts';
import { throwErrorIn, throwWordsIn } from '../../../client/core/replyData.ts';
import { readResponseData } from '../../../client/core/responseData.ts';
import type { SseEvent } from '../../../client/core/sse.ts';
import type { ReplyDecoder } from '../../../client/core/streamedReply.ts';
import { type Usage, usageSchema } from '../../../contract/chatReply.ts';
import { lenientCount } from '../../../contract/lenient.ts';
import { earlyEndSchema } from '../../../contract/responses.ts';
import { RESPONSES_REASONING, type ReplyChunk } from '../provider.ts';
import { PartDecoder } from './partDecoder.ts';

/** The maximum number of items, as readers may keep a list of the calls. */
const MAXIMUM_ITEMS = 1024;

interface Item {
	/** The position among the calls, if it is one. */
	call?: number;
	isNamed: boolean;
	/** True if some of its text or arguments has come, and if some of its current part has. */
	isBegun: boolean;
	isPartBegun: boolean;
	/** The first event that had a piece of its reasoning. Some servers send the reasoning and a summary of it. */
	reasoning?: unknown;
	isDone: boolean;
}

/**
 * Converts the stream of a server with the Responses API into chunks. Whole texts are used only if they did not come in
 * pieces before, and other events and items are ignored.
 */
export class ResponsesDecoder extends PartDecoder implements ReplyDecoder<ReplyChunk> {
	/** The items by their indexes in the output, or else by their ids. */
	private readonly items = new Map<unknown, Item>();
	private itemCount = 0;
	private callCount = 0;

	decode(event: SseEvent, into: ReplyChunk[]): void {
		const value = this.isEnded ? undefined : readResponseData(event);
		if (value !== undefined) {
			this.read(value, into);
		}
	}

	/** A server that does not stream answers with a whole response. */
	decodeWhole(value: unknown, into: ReplyChunk[]): void {
		throwErrorIn(value);
		if (!isFields(value) || !Array.isArray(value['output'])) {
			throwWordsIn(value);
			throw new ClientError('bad-response', 'the reply is no response');
		}
		const { status } = value;
		if (status !== undefined && status !== 'completed' && status !== 'incomplete') {
			throw new ClientError('truncated', 'the response is not complete');
		}
		this.nameModel(value['model']);
		this.finish(value, status === 'incomplete', into);
	}

	private read(event: Fields, into: ReplyChunk[]): void {
		const { type, delta, item } = event;
		const response = isFields(event['response']) ? event['response'] : {};
		switch (type) {
			case 'response.created':
				this.nameModel(response['model']);
				break;
			case 'response.output_item.added':
				this.begin(placeOf(event), isFields(item) ? item : {}, into);
				break;
			case 'response.content_part.added':
			case 'response.reasoning_summary_part.added':
				this.beginPart(this.itemAt(placeOf(event)), into);
				break;
			case 'response.output_text.delta':
			case 'response.refusal.delta':
				this.sayIn(this.itemAt(placeOf(event)), 'content', delta, into);
				break;
			case 'response.output_text.done':
			case 'response.refusal.done': {
				const known = this.itemAt(placeOf(event));
				if (!known.isPartBegun) {
					this.sayIn(known, 'content', event['text'] ?? event['refusal'], into);
				}
				break;
			}
			case 'response.reasoning_text.delta':
			case 'response.reasoning_summary_text.delta': {
				const known = this.itemAt(placeOf(event));
				known.reasoning ??= type;
				if (known.reasoning === type) {
					this.sayIn(known, 'reasoning_content', delta, into);
				}
				break;
			}
			case 'response.function_call_arguments.delta':
				this.addArguments(this.items.get(placeOf(event)), delta, into);
				break;
			case 'response.output_item.done':
				this.endItem(this.itemAt(placeOf(event)), isFields(item) ? item : {}, into);
				break;
			case 'response.completed':
			case 'response.incomplete':
				this.finish(response, type === 'response.incomplete', into);
				break;
		}
	}

	/** An earlier item at this place has ended, even if the server did not say so. */
	private begin(place: unknown, item: Fields, into: ReplyChunk[]): void {
		this.stop(this.items.get(place), into);
		this.items.delete(place);
		this.nameCall(this.itemAt(place), item, into);
	}

	private itemAt(place: unknown): Item {
		let item = this.items.get(place);
		if (item === undefined) {
			if (++this.itemCount > MAXIMUM_ITEMS) {
				throw new ClientError('bad-response', `the reply has more than ${MAXIMUM_ITEMS} items`);
			}
			item = { isNamed: false, isBegun: false, isPartBegun: false, isDone: false };
			this.items.set(place, item);
		}
		return item;
	}

	/** Separates the parts of a reasoning, which are paragraphs. */
	private beginPart(item: Item, into: ReplyChunk[]): void {
		if (item.reasoning !== undefined && item.isPartBegun && !item.isDone) {
			this.push({ reasoning_content: '\n\n' }, into);
		}
		item.isPartBegun = false;
	}

	private nameCall(item: Item, { type, call_id: id, name }: Fields, into: ReplyChunk[]): void {
		if (type === 'function_call' && !item.isNamed && !item.isDone) {
			item.call ??= this.callCount++;
			item.isNamed = typeof name === 'string' && name !== '';
			this.call(item.call, '', into, { id, name });
		}
	}

	private addArguments(item: Item | undefined, text: unknown, into: ReplyChunk[]): void {
		if (typeof text !== 'string' || text === '' || item?.isDone) {
			return;
		}
		if (item?.call === undefined) {
			throw new ClientError('bad-response', 'the arguments of a call came without its beginning');
		}
		item.isBegun = true;
		this.call(item.call, text, into);
	}

	private sayIn(item: Item, field: 'content' | 'reasoning_content', text: unknown, into: ReplyChunk[]): void {
		if (!item.isDone && this.say(field, text, into)) {
			item.isBegun = true;
			item.isPartBegun = true;
		}
	}

	/** Takes from a whole item what did not come before. */
	private endItem(item: Item, whole: Fields, into: ReplyChunk[]): void {
		const { type, content, summary, encrypted_content: sealed } = whole;
		if (item.isDone) {
			return;
		}
		if (type === 'function_call') {
			this.nameCall(item, whole, into);
			if (!item.isBegun) {
				this.addArguments(item, whole['arguments'], into);
			}
		} else if (type === 'message' && !item.isBegun) {
			for (const { text, refusal } of objectsOf(content)) {
				this.sayIn(item, 'content', text ?? refusal, into);
			}
		} else if (type === 'reasoning') {
			if (!item.isBegun) {
				const [first = [], second = []] = [objectsOf(content), objectsOf(summary)];
				const texts = (first.length > 0 ? first : second).flatMap(({ text }) => (typeof text === 'string' ? text : []));
				this.sayIn(item, 'reasoning_content', texts.join('\n\n'), into);
			}
			if (typeof sealed === 'string' && sealed !== '') {
				const data = this.seal.seal(sealed);
				this.push({ reasoning_details: [{ type: 'reasoning.encrypted', format: RESPONSES_REASONING, data }] }, into);
			}
		}
		this.stop(item, into);
	}

	/** The arguments of a call are always an object, even if it is empty. */
	private stop(item: Item | undefined, into: ReplyChunk[]): void {
		if (item?.call !== undefined && !item.isBegun) {
			this.addArguments(item, '{}', into);
		}
		if (item !== undefined) {
			item.isDone = true;
		}
	}

	/** The last event repeats the whole output. */
	private finish(response: Fields, isCut: boolean, into: ReplyChunk[]): void {
		for (const [index, whole] of objectsOf(response['output']).entries()) {
			this.endItem(this.items.get(whole['id']) ?? this.itemAt(index), whole, into);
		}
		for (const item of this.items.values()) {
			this.stop(item, into);
		}
		this.isEnded = true;
		const reason = isCut
			? earlyEndSchema.safeParse({ response }).data?.response?.incomplete_details?.reason
			: undefined;
		const uncut = this.callCount > 0 ? 'tool_calls' : 'stop';
		const finish_reason = isCut ? (reason === 'content_filter' ? reason : 'length') : uncut;
		const specific = defined({
			provider_specific_fields: reason === undefined ? undefined : { native_finish_reason: reason },
		});
		into.push({ choices: [{ index: 0, delta: {}, finish_reason, ...specific }] });
		if (isFields(response['usage'])) {
			into.push({ choices: [], usage: chatUsageOf(response['usage']) });
		}
	}
}

function placeOf({ output_index: index, item_id, item }: Fields): unknown {
	return typeof index === 'number' ? index : (item_id ?? (isFields(item) ? item['id'] : undefined));
}

function chatUsageOf({ input_tokens, output_tokens, total_tokens, ...details }: Fields): Usage {
	const [prompt_tokens = 0, completion_tokens = 0] = [input_tokens, output_tokens].map(count =>
		lenientCount.parse(count),
	);
	return usageSchema.parse({
		prompt_tokens,
		completion_tokens,
		total_tokens: lenientCount.parse(total_tokens) ?? prompt_tokens + completion_tokens,
		prompt_tokens_details: details['input_tokens_details'],
		completion_tokens_details: details['output_tokens_details'],
	});
}
