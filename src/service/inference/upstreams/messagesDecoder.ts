import { defined } from '../../../base/defined.ts';
import { ClientError } from '../../../base/errors.ts';
import { type Fields, isFields, objectsOf } from '../../../base/fields.ts';
import { failureInReply } from '../../../client/core/failures.ts';
import { notAnObject, parseEventData, throwErrorIn, throwWordsIn } from '../../../client/core/replyData.ts';
import type { SseEvent } from '../../../client/core/sse.ts';
import type { ReplyDecoder } from '../../../client/core/streamedReply.ts';
import { isStreamEnd } from '../../../contract/chatReply.ts';
import { readErrorBody } from '../../../contract/errorBody.ts';
import { lenientCount } from '../../../contract/lenient.ts';
import { chatUsageOf, finishReasonOf, type MessagesUsage } from '../../../contract/messages.ts';
import { MESSAGES_REASONING, type ReplyChunk } from '../provider.ts';
import { PartDecoder } from './partDecoder.ts';

/** The maximum number of calls, as readers may keep a list of them. */
const MAXIMUM_CALLS = 1024;

const MAXIMUM_IGNORED = 1024;

const COUNTS = [
	'input_tokens',
	'cache_creation_input_tokens',
	'cache_read_input_tokens',
	'output_tokens',
] as const satisfies (keyof MessagesUsage)[];

interface OpenCall {
	index: number;
	/** The input at the start of the block. It should be an empty object, but some servers send the whole input there. */
	input: Fields;
	hasPieces: boolean;
}

/** Converts the stream of a server with the Messages API into chunks. Other events and blocks are ignored. */
export class MessagesDecoder extends PartDecoder implements ReplyDecoder<ReplyChunk> {
	/** A clean close after the stop reason ends a reply, too. */
	mayClose = false;
	/** The open calls by the indexes of their blocks. */
	private readonly calls = new Map<unknown, OpenCall>();
	private callCount = 0;
	private readonly ignored = new Set<unknown>();
	/** Counts are sent at the start and again, in total, near the end. One that was not taken again is 0 or missing. */
	private readonly counted: Partial<MessagesUsage> = {};

	decode({ event, data }: SseEvent, into: ReplyChunk[]): void {
		if (this.isEnded || data === '') {
			return;
		}
		if (isStreamEnd(data)) {
			this.finish(this.mayClose, into);
			return;
		}
		if (event === 'error') {
			throw failureInReply(readErrorBody(data));
		}
		const value = parseEventData(data);
		if (!isFields(value)) {
			throw notAnObject(value);
		}
		throwErrorIn(value);
		this.read(value, into);
	}

	/** A server that does not stream answers with a whole message. */
	decodeWhole(value: unknown, into: ReplyChunk[]): void {
		throwErrorIn(value);
		const message = isFields(value) ? value : {};
		if (!Array.isArray(message['content'])) {
			throwWordsIn(value);
			throw new ClientError('bad-response', 'the reply is no message');
		}
		this.start(message);
		for (const [index, block] of objectsOf(message['content']).entries()) {
			this.begin(index, block, into);
			const { type, signature } = block;
			if (type === 'thinking' && typeof signature === 'string') {
				this.sign(signature, into);
			}
			this.stop(index, into);
		}
		this.delta(message, message['usage'], into);
		this.finish(true, into);
	}

	end(into: ReplyChunk[]): void {
		this.finish(this.mayClose, into);
	}

	private read({ type, message, index, content_block: block, delta, usage }: Fields, into: ReplyChunk[]): void {
		switch (type) {
			case 'message_start':
				this.start(isFields(message) ? message : {});
				break;
			case 'content_block_start':
				this.begin(index, isFields(block) ? block : {}, into);
				break;
			case 'content_block_delta':
				this.add(index, isFields(delta) ? delta : {}, into);
				break;
			case 'content_block_stop':
				this.stop(index, into);
				break;
			case 'message_delta':
				this.delta(isFields(delta) ? delta : {}, usage, into);
				break;
			case 'message_stop':
				this.finish(true, into);
				break;
		}
	}

	private start({ model, usage }: Fields): void {
		this.count(usage);
		this.nameModel(model);
	}

	private begin(index: unknown, block: Fields, into: ReplyChunk[]): void {
		const { type, text, thinking, data, id, name, input } = block;
		this.ignored.delete(index);
		switch (type) {
			case 'text':
				this.say('content', text, into);
				break;
			case 'thinking':
				this.say('reasoning_content', thinking, into);
				break;
			case 'redacted_thinking':
				if (typeof data === 'string') {
					const sealed = { format: MESSAGES_REASONING, data: this.seal.seal(data) } as const;
					this.push({ reasoning_details: [{ type: 'reasoning.encrypted', ...sealed }] }, into);
				}
				break;
			case 'tool_use': {
				if (this.callCount >= MAXIMUM_CALLS) {
					throw new ClientError('bad-response', `the reply has more than ${MAXIMUM_CALLS} tool calls`);
				}
				// An earlier block at this index has ended, even if the server did not say so.
				this.stop(index, into);
				const call = { index: this.callCount++, input: isFields(input) ? input : {}, hasPieces: false };
				this.calls.set(index, call);
				this.call(call.index, '', into, { id, name });
				break;
			}
			default:
				if (this.ignored.size >= MAXIMUM_IGNORED) {
					throw new ClientError('bad-response', `more than ${MAXIMUM_IGNORED} parts of the reply have not ended`);
				}
				if (typeof type === 'string') {
					this.ignored.add(index);
				}
		}
	}

	private add(
		index: unknown,
		{ type, text, thinking, signature, partial_json: json }: Fields,
		into: ReplyChunk[],
	): void {
		if (this.ignored.has(index)) {
			return;
		}
		switch (type) {
			case 'text_delta':
				this.say('content', text, into);
				break;
			case 'thinking_delta':
				this.say('reasoning_content', thinking, into);
				break;
			case 'signature_delta':
				if (typeof signature === 'string') {
					this.sign(signature, into);
				}
				break;
			case 'input_json_delta': {
				const call = this.calls.get(index);
				if (typeof json === 'string' && json !== '') {
					if (call === undefined) {
						throw new ClientError('bad-response', 'the arguments of a call came without its beginning');
					}
					call.hasPieces = true;
					this.call(call.index, json, into);
				}
				break;
			}
		}
	}

	/** The arguments of a call are always an object, even if it is empty. */
	private stop(index: unknown, into: ReplyChunk[]): void {
		const call = this.calls.get(index);
		this.calls.delete(index);
		this.ignored.delete(index);
		if (call !== undefined && !call.hasPieces) {
			this.call(call.index, JSON.stringify(call.input), into);
		}
	}

	/** An empty signature signs nothing. */
	private sign(text: string, into: ReplyChunk[]): void {
		if (text !== '') {
			const signature = this.seal.seal(text);
			this.push({ reasoning_details: [{ type: 'reasoning.text', format: MESSAGES_REASONING, signature }] }, into);
		}
	}

	private delta({ stop_reason: reason, stop_sequence: sequence }: Fields, usage: unknown, into: ReplyChunk[]): void {
		this.count(usage);
		if (typeof reason !== 'string') {
			return;
		}
		this.mayClose = true;
		const native = {
			native_finish_reason: reason,
			...defined({ stop_sequence: typeof sequence === 'string' ? sequence : undefined }),
		};
		const finish = { finish_reason: finishReasonOf(reason), provider_specific_fields: native };
		into.push({ choices: [{ index: 0, delta: {}, ...finish }] });
	}

	/** `isWhole` says that nothing more is to come. */
	private finish(isWhole: boolean, into: ReplyChunk[]): void {
		if (isWhole && !this.isEnded) {
			this.isEnded = true;
			for (const index of [...this.calls.keys()]) {
				this.stop(index, into);
			}
			if (Object.keys(this.counted).length > 0) {
				into.push({ choices: [], usage: chatUsageOf(this.counted) });
			}
		}
	}

	private count(usage: unknown): void {
		for (const name of COUNTS) {
			const count = lenientCount.parse(isFields(usage) ? usage[name] : undefined);
			if (count !== undefined) {
				this.counted[name] = Math.max(count, this.counted[name] ?? 0);
			}
		}
	}
}
