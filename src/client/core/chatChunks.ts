// Reads the chunks of a chat reply, in the same way for the client and for the gateway of the local service.
import { ClientError } from '../../base/errors.ts';
import { type ChatCompletion, chatCompletionSchema, isStreamEnd, readChatChunk } from '../../contract/chatReply.ts';
import { readErrorBody } from '../../contract/errorBody.ts';
import { isAbsent } from '../../contract/lenient.ts';
import { failureInReply } from './failures.ts';
import { notAnObject, parseEventData, throwErrorIn, throwWordsIn } from './replyData.ts';
import type { SseEvent } from './sse.ts';
import { ToolCallIndexes } from './toolCallIndexes.ts';

export type ReceivedChunk = NonNullable<ReturnType<typeof readChatChunk>>;

/** Matches the event names under which services send an error. */
const ERROR_EVENT = /error|exception|fail/i;

/**
 * Returns the chunk in an event of a streamed chat reply, `end` for the event that ends the reply, or undefined for an
 * event without data. Throws the error that the event carries, or `bad-response`.
 */
export function readChatEvent({ event, data }: SseEvent): ReceivedChunk | 'end' | undefined {
	if (data === '') {
		return undefined;
	}
	if (isStreamEnd(data)) {
		return 'end';
	}
	if (event !== undefined && ERROR_EVENT.test(event)) {
		throw failureInReply(readErrorBody(data));
	}
	const value = parseEventData(data);
	const chunk = readChatChunk(value);
	if (!chunk) {
		throwErrorIn(value);
		throwWordsIn(value);
		throw notAnObject(value);
	}
	// Both chunk schemas keep `error`, so reading the field directly works for either.
	throwErrorIn(chunk);
	// Events with other names may report the progress of a request.
	if (chunk.choices.length === 0 && (event === undefined || event === 'message')) {
		throwWordsIn(value);
	}
	return chunk;
}

/** Throws the error that a choice of a reply carries or ends with. */
export function throwErrorOfChoice(choice: { finish_reason?: string | null | undefined }): void {
	throwErrorIn(choice);
	if (choice.finish_reason === 'error') {
		throw failureInReply({});
	}
}

/** Reads a whole completion. Throws the error that came in its place, or `bad-response`. */
export function readCompletion(value: unknown): ChatCompletion {
	throwErrorIn(value);
	const completion = chatCompletionSchema.safeParse(value).data;
	if (completion === undefined || completion.choices.length === 0) {
		throwWordsIn(value);
		throw new ClientError('bad-response', 'the reply is no completion');
	}
	return completion;
}

/** Returns whether a choice ends with this `finish_reason`. Some services write an empty one into every chunk. */
export function isFinish(reason: string | null | undefined): reason is string {
	return !isAbsent(reason) && reason !== '';
}

type ReceivedChoice = ReceivedChunk['choices'][number];
export type ReceivedMessage = NonNullable<ReceivedChoice['delta']>;

/** The state of one choice of a reply from chunk to chunk, so that every reader reads the same from it. */
export class ChoiceReader {
	readonly thinking = new ThinkingSplitter();
	readonly calls = new ToolCallIndexes();
	private hasDelta = false;

	/**
	 * Returns what a chunk adds. Some services send a `message` in place of every `delta`; after deltas, it repeats the
	 * whole.
	 */
	messageOf({ delta, message, finish_reason: reason }: ReceivedChoice): ReceivedMessage | null | undefined {
		this.hasDelta ||= saysAnything(delta);
		const added = message && !this.hasDelta ? message : delta;
		return added?.content === 'None' && (isFinish(reason) || isOtherwiseNone(added))
			? { ...added, content: undefined }
			: added;
	}
}

/** Returns whether `None` stands for absent fields here (contract: inference.md), and hence for the content as well. */
function isOtherwiseNone({ content: _, ...others }: ReceivedMessage): boolean {
	const values = Object.values(others);
	return values.every(isAbsent) && values.includes('None');
}

function saysAnything(delta: ReceivedMessage | null | undefined): boolean {
	return Boolean(delta && (delta.content || delta.reasoning || delta.reasoning_content || hasCalls(delta)));
}

export function hasCalls({ tool_calls: calls }: ReceivedMessage): boolean {
	return Array.isArray(calls) && calls.length > 0;
}

/** The marks around the thinking with which some models begin a content. */
const OPENING = /^<(think|thinking|thought)>/i;
const OPENINGS = ['<think>', '<thinking>', '<thought>'];

/** The limit for the characters that are held back, including blanks before a mark. */
const MAXIMUM_HELD = 100;

export interface SplitContent {
	reasoning: string;
	text: string;
}

/**
 * Separates the thinking at the start of a content, in `<think>…</think>`, from what the model says after it. Marks may
 * be split anywhere. Thinking without an end mark extends to the end of the reply.
 */
export class ThinkingSplitter {
	/** True once only the model's answer can follow, so that the content need not be split. */
	isOver = false;
	/** The mark that ends the thinking; undefined outside of it. */
	private closing: string | undefined;
	private hasThought = false;
	/** True if only blanks have come since the mark. */
	private isAtStart = false;
	/** The beginning of a possible mark, or the blanks before it. */
	private held = '';

	/** Returns the parts that are certain by now and have not been returned yet. */
	split(content: string): SplitContent {
		const parts = { reasoning: '', text: '' };
		let rest = this.held + content;
		this.held = '';
		while (rest !== '' && !this.isOver) {
			rest = this.closing === undefined ? this.outside(rest, parts) : this.inside(rest, this.closing, parts);
		}
		parts.text += rest;
		return parts;
	}

	/** Returns the text that was held back, at the end of the reply. */
	end(): SplitContent {
		const { held, closing } = this;
		this.held = '';
		return closing === undefined ? { reasoning: '', text: held } : { reasoning: held, text: '' };
	}

	/** Returns the rest that is still to be split. */
	private outside(content: string, parts: SplitContent): string {
		const said = content.trimStart();
		const mark = OPENING.exec(said);
		if (mark) {
			this.closing = `</${mark[1]?.toLowerCase()}>`;
			this.hasThought = true;
			this.isAtStart = true;
			return said.slice(mark[0].length);
		}
		if (said === '' && this.hasThought) {
			return '';
		}
		if (content.length <= MAXIMUM_HELD && OPENINGS.some(opening => opening.startsWith(said.toLowerCase()))) {
			this.held = content;
			return '';
		}
		this.isOver = true;
		parts.text += this.hasThought ? said : content;
		return '';
	}

	private inside(received: string, closing: string, parts: SplitContent): string {
		const content = this.isAtStart ? received.trimStart() : received;
		this.isAtStart &&= content === '';
		const lower = content.toLowerCase();
		const end = lower.indexOf(closing);
		if (end !== -1) {
			parts.reasoning += content.slice(0, end);
			this.closing = undefined;
			return content.slice(end + closing.length);
		}
		const last = lower.lastIndexOf('<');
		const isCut = last !== -1 && closing.startsWith(lower.slice(last));
		parts.reasoning += isCut ? content.slice(0, last) : content;
		this.held = isCut ? content.slice(last) : '';
		return '';
	}
}
