// Converts the pieces of a chat reply into the events of a reply in the Messages form, and these into a whole message.
import { randomUUID } from 'node:crypto';
import { defined } from '../base/defined.ts';
import { ClientError } from '../base/errors.ts';
import { type Fields, isFields } from '../base/fields.ts';
import { JsonEnd, parseJson } from '../base/json.ts';
import type { Usage } from './chatReply.ts';
import { type MessagesUsage, messagesUsageOf, stopReasonOf, UNSIGNED } from './messages.ts';

export interface MessageEvent {
	type: string;
	[field: string]: unknown;
}

/** A fragment of a call. `index` distinguishes the calls of a reply. */
export interface CallFragment {
	index: number;
	id?: string | undefined;
	name?: string | undefined;
	arguments: string;
}

/** The end of a reply, as far as it was reported. */
export interface ReplyEnd {
	/** The finish reason of chat. `native` is the server's own word for it. */
	reason?: string | undefined;
	native?: string | undefined;
	stopSequence?: string | undefined;
	usage?: Usage | undefined;
}

/** The limit for the characters that are held back. */
const MAXIMUM_HELD = 4 * 1024 * 1024;

const MAXIMUM_OPEN = 4096;

const MAXIMUM_WHOLE = 32 * 1024 * 1024;

/** The usage before anything has been counted. */
const NO_USAGE = messagesUsageOf({} as Usage);

/**
 * The events of one reply. Every method returns the events to send.
 *
 * In chat, the fragments of several calls may alternate. This form has no events for that, because its blocks follow
 * one another. So everything for a later block is held back until the one before it is complete, or until the end.
 * Exceeding a limit throws `bad-response`.
 */
export class MessageEvents {
	/** The serving model and the id of the reply, which are sent with the first event. */
	readonly head: { id: string; model: string };
	/** The unfinished blocks. The first one is being sent. */
	private readonly blocks: Block[] = [];
	private readonly calls = new Map<number, Block>();
	private hasBegun = false;
	/** The index of the block that is being sent. */
	private index = 0;
	private hasCalls = false;
	private held = 0;

	constructor(model: string) {
		this.head = { id: `msg_${newId()}`, model };
	}

	text(text: string): MessageEvent[] {
		const events = this.begin();
		const last = this.blocks.at(-1);
		const block = last?.type === 'text' ? last : this.open({ type: 'text', text: '' }, events);
		this.give(block, { type: 'text_delta', text }, text.length, events);
		return events;
	}

	thinking(thinking: string): MessageEvent[] {
		const events = this.begin();
		this.give(this.unsigned(events), { type: 'thinking_delta', thinking }, thinking.length, events);
		return events;
	}

	/** Signs the thinking so far, even if its text was withheld. An empty signature signs nothing. */
	signature(signature: string): MessageEvent[] {
		if (signature === '') {
			return [];
		}
		const events = this.begin();
		const block = this.unsigned(events);
		block.isSigned = true;
		this.give(block, { type: 'signature_delta', signature }, signature.length, events);
		return events;
	}

	/** Adds thinking that only its server can read. */
	redacted(data: string): MessageEvent[] {
		const events = this.begin();
		this.hold(data.length);
		this.open({ type: 'redacted_thinking', data }, events);
		return events;
	}

	call({ index, id, name, arguments: text }: CallFragment): MessageEvent[] {
		const events = this.begin();
		const block = this.calls.get(index) ?? this.open({ type: 'tool_use', id: '', name: '', input: {} }, events);
		this.calls.set(index, block);
		block.name(id, name);
		// Only blanks can follow the end of the arguments.
		if (text !== '' && !block.isEnded) {
			block.addArguments(text);
			this.give(block, { type: 'input_json_delta', partial_json: text }, text.length, events);
		}
		this.advance(false, events);
		return events;
	}

	/** Leaves out calls that were never named, which can be neither run nor answered. */
	end({ reason, native, stopSequence, usage }: ReplyEnd): MessageEvent[] {
		const events = this.begin();
		this.advance(true, events);
		const stop_reason = stopReasonOf(reason, native, this.hasCalls);
		const stop_sequence = stop_reason === 'stop_sequence' ? (stopSequence ?? null) : null;
		const counted = usage === undefined ? NO_USAGE : messagesUsageOf(usage);
		events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: counted });
		events.push({ type: 'message_stop' });
		return events;
	}

	private begin(): MessageEvent[] {
		if (this.hasBegun) {
			return [];
		}
		this.hasBegun = true;
		const end = { stop_reason: null, stop_sequence: null };
		const message = { ...this.head, type: 'message', role: 'assistant', content: [], ...end, usage: NO_USAGE };
		return [{ type: 'message_start', message }, { type: 'ping' }];
	}

	/** Returns the current unsigned thinking block, or a new one. */
	private unsigned(events: MessageEvent[]): Block {
		const last = this.blocks.at(-1);
		return last?.type === 'thinking' && !last.isSigned
			? last
			: this.open({ type: 'thinking', thinking: '', signature: '' }, events);
	}

	private open(content: BlockContent, events: MessageEvent[]): Block {
		if (this.blocks.length >= MAXIMUM_OPEN) {
			throw new ClientError('bad-response', `more than ${MAXIMUM_OPEN} parts of the reply wait for a call to end`);
		}
		const block = new Block(content);
		this.blocks.push(block);
		this.advance(false, events);
		return block;
	}

	/** Sends a delta of the block that is being sent, and holds back the delta of any other block. */
	private give(block: Block, delta: object, length: number, events: MessageEvent[]): void {
		if (block.isBegun) {
			events.push({ type: 'content_block_delta', index: this.index, delta });
		} else {
			this.hold(length);
			block.held.push(delta);
		}
	}

	private hold(length: number): void {
		this.held += length;
		if (this.held > MAXIMUM_HELD) {
			throw new ClientError('bad-response', `more than ${MAXIMUM_HELD} characters of the reply wait for a call to end`);
		}
	}

	/** Ends the complete blocks and begins the next one. */
	private advance(isOver: boolean, events: MessageEvent[]): void {
		for (let block = this.blocks[0]; block !== undefined; block = this.blocks[0]) {
			if (block.isNamed && !block.isBegun) {
				block.isBegun = true;
				this.hasCalls ||= block.type === 'tool_use';
				events.push({ type: 'content_block_start', index: this.index, content_block: block.content });
				for (const delta of block.held.splice(0)) {
					events.push({ type: 'content_block_delta', index: this.index, delta });
				}
			}
			if (!isOver && !(this.blocks.length > 1 && block.isWhole())) {
				return;
			}
			this.blocks.shift();
			block.isEnded = true;
			if (block.isBegun) {
				if (block.type === 'thinking' && !block.isSigned) {
					const delta = { type: 'signature_delta', signature: UNSIGNED };
					events.push({ type: 'content_block_delta', index: this.index, delta });
				}
				events.push({ type: 'content_block_stop', index: this.index++ });
			}
		}
	}
}

type BlockContent =
	| { type: 'text'; text: string }
	| { type: 'thinking'; thinking: string; signature: string }
	| { type: 'redacted_thinking'; data: string }
	| { type: 'tool_use'; id: string; name: string; input: object };

class Block {
	/** The content at the start of the block. */
	readonly content: BlockContent;
	isBegun = false;
	isEnded = false;
	isSigned = false;
	/** The deltas to send once it begins. */
	readonly held: object[] = [];
	private readonly end = new JsonEnd();

	constructor(content: BlockContent) {
		this.content = content;
	}

	get type(): BlockContent['type'] {
		return this.content.type;
	}

	/** False for a call without a name, which nobody can read. */
	get isNamed(): boolean {
		return this.content.type !== 'tool_use' || this.content.name !== '';
	}

	/** Keeps the first of each, because some servers repeat both in every fragment. */
	name(id: string | undefined, name: string | undefined): void {
		if (this.content.type === 'tool_use' && !this.isBegun) {
			this.content.id ||= id || (name ? `toolu_${newId()}` : '');
			this.content.name ||= name ?? '';
		}
	}

	addArguments(text: string): void {
		this.end.search(text);
	}

	/** Returns whether nothing more can follow for it once another block has begun. */
	isWhole(): boolean {
		return this.type !== 'tool_use' || (this.isNamed && this.end.isFound);
	}
}

const newId = (): string => randomUUID().replaceAll('-', '');

/** Assembles a message from its events, for callers that want no stream. */
export class WholeMessage {
	private message: Fields = {};
	private readonly blocks: { content: Fields; pieces: Record<string, string[]> }[] = [];
	private size = 0;

	/** Throws `bad-response` for a message that is too large. */
	add(event: MessageEvent): void {
		const { type, message, content_block: content, delta } = event;
		if (type === 'message_start' && isFields(message)) {
			this.message = message;
		} else if (type === 'content_block_start' && isFields(content)) {
			this.blocks.push({ content, pieces: {} });
		} else if (type === 'content_block_delta' && isFields(delta)) {
			this.addDelta(delta);
		} else if (type === 'message_delta') {
			Object.assign(this.message, delta, { usage: event['usage'] as MessagesUsage });
		}
	}

	/** Leaves out a call without an object of arguments: it was cut off, so the message says that it hit its limit. */
	end(): object {
		const content = this.blocks.flatMap(({ content: begun, pieces }) => {
			const { partial_json: json, ...texts } = Object.fromEntries(
				Object.entries(pieces).map(([name, parts]) => [name, parts.join('')]),
			);
			const input = json === undefined ? begun['input'] : inputOf(json);
			return begun['type'] === 'tool_use' && input === undefined ? [] : [{ ...begun, ...texts, ...defined({ input }) }];
		});
		const isCut = content.length < this.blocks.length;
		return { ...this.message, ...(isCut ? { stop_reason: 'max_tokens', stop_sequence: null } : {}), content };
	}

	private addDelta({ type: _, ...fields }: Fields): void {
		const pieces = this.blocks.at(-1)?.pieces;
		for (const [name, text] of Object.entries(fields)) {
			if (pieces !== undefined && typeof text === 'string') {
				this.size += text.length;
				pieces[name] ??= [];
				pieces[name].push(text);
			}
		}
		if (this.size > MAXIMUM_WHOLE) {
			throw new ClientError('bad-response', `the reply is longer than ${MAXIMUM_WHOLE} characters`);
		}
	}
}

/** Returns undefined for arguments other than an object. */
function inputOf(json: string): Fields | undefined {
	const input = json.trim() === '' ? {} : parseJson(json);
	return isFields(input) ? input : undefined;
}
