// Converts a stream of bytes to events, and each event to a typed value. Every stream has a named end. A stream that
// stops without it throws `truncated`, after delivering the events before that.
import { createParser } from 'eventsource-parser';
import type { Clock } from '../../base/async.ts';
import { ClientError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { isStreamEnd } from '../../contract/chatReply.ts';
import { isPage } from '../../contract/errorBody.ts';
import type { Exchange } from './exchange.ts';

export interface SseEvent {
	/** Undefined if the stream does not name the event. */
	event?: string | undefined;
	data: string;
}

/** The limit for consecutive lines without a meaning. Each costs several times as much as an event. */
const MAXIMUM_STRAYS = 10_000;

/** The number of bytes that the parser gets at once, which limits the search for a line end. */
const PIECE = 64 * 1024;

/**
 * Decodes the bytes of a server-sent event stream into events: UTF-8 may be split anywhere, and lines end in LF, CR or
 * CRLF. Buffers at most one event and one line. If either has more than `maximumLength` characters, that is an error,
 * which is thrown after the events before it.
 */
export class SseDecoder {
	private readonly maximumLength: number;
	/**
	 * The parser removes a byte order mark. If Node's decoder did, the text after bytes that are no UTF-8 would depend on
	 * where they are cut.
	 */
	private readonly text = new TextDecoder('utf-8', { ignoreBOM: true });
	private readonly parser;
	private readonly strays: StrayLines | undefined;
	/** The pieces of an incomplete line. */
	private line: string[] = [];
	private lineLength = 0;
	/** The number of lines without a meaning since the last event. */
	private strayCount = 0;
	private events: SseEvent[] = [];
	private failure: ClientError | undefined;

	/** Lines that belong to no event are ignored without `strays`, up to a limit. */
	constructor(maximumLength: number, strays?: StrayLines) {
		this.maximumLength = maximumLength;
		this.strays = strays;
		this.parser = createParser({
			maxBufferSize: maximumLength,
			onEvent: event => {
				if (strays !== undefined && strays.held > 0) {
					this.add(strays.take());
				}
				this.add(event);
			},
			onError: ({ line }) => this.onStrayLine(line),
		});
	}

	/** True if an event exceeded the limit, so that nothing after it can be read. */
	get isOverrun(): boolean {
		return this.failure !== undefined;
	}

	/** Returns the events that `bytes` completes. Throws `bad-response` for an event over the limit. */
	decode(bytes: Uint8Array): SseEvent[] {
		for (let start = 0; start < bytes.length; start += PIECE) {
			const piece = bytes.length <= PIECE ? bytes : bytes.subarray(start, start + PIECE);
			this.feedLines(this.text.decode(piece, { stream: true }));
		}
		// The parser reports an overflow only at the following call, which must not depend on the server sending more.
		this.feed('');
		return this.take();
	}

	/** Returns the event that lacks its final blank line at the end of the stream, if any. It may be incomplete. */
	finish(): SseEvent[] {
		this.feedLines(`${this.text.decode()}\n\n`);
		this.add(this.strays?.take());
		return this.take();
	}

	/** Throws the error that was held back until the events before it had been delivered. */
	check(): void {
		if (this.failure) {
			throw this.failure;
		}
	}

	/** Feeds only whole lines, because the parser silently drops an unknown line that comes in pieces. */
	private feedLines(text: string): void {
		const lastFeed = text.lastIndexOf('\n') + 1;
		const end = lastFeed + text.slice(lastFeed).lastIndexOf('\r') + 1;
		let start = 0;
		if (end > 0 && this.line.length > 0) {
			// The rest of the line is fed separately, because joining would copy everything that came with it.
			start = text.indexOf('\n') + 1 || end;
			this.feed(this.line.join('') + text.slice(0, start));
			this.line = [];
			this.lineLength = 0;
		}
		this.feed(text.slice(start, end));
		if (end < text.length) {
			this.line.push(text.slice(end));
			this.lineLength += text.length - end;
			this.limit(this.lineLength);
		}
	}

	private feed(text: string): void {
		if (this.failure) {
			return;
		}
		try {
			this.parser.feed(text);
		} catch (error) {
			this.fail(error);
		}
	}

	/** `line` is undefined for an overflow, which the parser also throws. */
	private onStrayLine(line: string | undefined): void {
		if (line === undefined || this.failure) {
			return;
		}
		const event = this.strays?.read(line);
		const held = this.strays?.held ?? 0;
		this.add(event);
		this.limit(held);
		this.strayCount += event === undefined && held === 0 ? 1 : 0;
		if (this.strayCount > MAXIMUM_STRAYS) {
			this.failure ??= new ClientError('bad-response', 'the stream has too many lines that belong to no event');
		}
	}

	private add(event: SseEvent | undefined): void {
		if (event === undefined || this.failure) {
			return;
		}
		this.strayCount = 0;
		// The parser limits only what it buffers; an event that arrives whole in one piece escapes that limit.
		this.limit(event.data.length);
		if (!this.failure) {
			this.events.push(event);
		}
	}

	private limit(length: number): void {
		if (length > this.maximumLength) {
			this.fail();
		}
	}

	private fail(cause?: unknown): void {
		const message = `an event of the stream has more than ${this.maximumLength} characters`;
		this.failure ??= new ClientError('bad-response', message, { cause });
	}

	private take(): SseEvent[] {
		const { events } = this;
		if (events.length === 0) {
			this.check();
		}
		this.events = [];
		return events;
	}
}

export interface EventStreamOptions {
	maximumEventLength: number;
	clock: Clock;
	/** The kind of activity that counts in an exchange. Comments are bytes, but not events. */
	life: 'bytes' | 'events';
	/** Reads the lines that belong to no event. Without it, they are ignored, up to a limit. */
	strays?: StrayLines;
	/** Bytes of the body that have already been read. */
	beginning?: Uint8Array | undefined;
}

/** The events of an exchange's body, in the batches in which their bytes arrived. */
export class EventStream {
	private readonly exchange: Exchange;
	private readonly options: EventStreamOptions;
	private readonly decoder: SseDecoder;
	private silentSince: number | undefined;
	private beginning: Uint8Array | undefined;

	constructor(exchange: Exchange, options: EventStreamOptions) {
		this.exchange = exchange;
		this.options = options;
		this.decoder = new SseDecoder(options.maximumEventLength, options.strays);
		this.beginning = options.beginning;
	}

	/**
	 * Returns the next events, an empty list for bytes that completed none, or undefined at the end of the body. Rejects
	 * with the error that ended the exchange early, and with `bad-response` for an event that is too long, after the
	 * events before it.
	 */
	next(): Promise<SseEvent[] | undefined> {
		return this.nextAs(events => events);
	}

	/**
	 * Resolves with the value that `take` returns for the next events, without an additional promise. Rejects like
	 * `next`, and with any error that `take` throws.
	 */
	nextAs<T>(take: (events: SseEvent[] | undefined) => T): Promise<T> {
		try {
			this.decoder.check();
			if (this.beginning !== undefined) {
				const { beginning } = this;
				this.beginning = undefined;
				return Promise.resolve(take(this.decoder.decode(beginning)));
			}
		} catch (error) {
			return Promise.reject(error);
		}
		this.silentSince ??= this.options.clock.elapsed();
		return this.exchange.readAs(bytes => {
			const events = bytes && this.decoder.decode(bytes);
			if (this.options.life === 'bytes' || (events && events.length > 0)) {
				this.silentSince = undefined;
			}
			return take(events);
		}, this.silentSince);
	}

	/** True if an event was too long, so the stream cannot be read any further. */
	get isOverrun(): boolean {
		return this.decoder.isOverrun;
	}

	/** Returns, after the end of the body, the event that lacks its final blank line, if any. It may be incomplete. */
	rest(): SseEvent[] {
		return this.decoder.finish();
	}
}

/** A field, or a single word, for which the second group is undefined. */
const FIELD = /^([!-9;-~]+)(?::\s*(.*))?$/s;

/** Words with which a server complains, in a field's name or alone. */
const COMPLAINT =
	/error|exception|fail|fatal|panic|abort|timeout|unavailable|unauthori[sz]ed|forbidden|denied|refused|overloaded|exceeded|killed|terminated|crashed/i;
const SAYING = /^(message|detail|reason)$/i;

/** Three consecutive words, which no value of a field for programs has. */
const SENTENCE = /(\p{L}[\p{L}'’-]*[,;]?\s+){2}\p{L}/u;
/** The length up to which a value is searched for a sentence, because the search takes quadratic time. */
const MAXIMUM_SEARCHED = 500;

/**
 * Reads the lines of a stream that belong to no event. Some servers write errors this way, or JSON texts without
 * `data:`, such as a whole reply or one JSON text per line.
 */
export class StrayLines {
	/** The lines of an unfinished JSON text. */
	private json: string[] = [];
	private length = 0;

	/** The number of characters in lines that are held until more have come. */
	get held(): number {
		return this.length;
	}

	/**
	 * Returns the event that the line represents or completes, if any. Fields without a meaning here are ignored, as the
	 * standard requires.
	 */
	read(line: string): SseEvent | undefined {
		const text = line.trim();
		if (this.json.length > 0 || beginsJson(text)) {
			const isWhole = this.json.length === 0 ? parseJson(text) !== undefined : /^[}\]]/.test(line);
			this.json.push(line);
			this.length += line.length;
			return isWhole ? this.take() : undefined;
		}
		if (isStreamEnd(text) || isPage(text)) {
			return { data: text };
		}
		const [, name, value = ''] = FIELD.exec(text) ?? [];
		if (name === undefined) {
			return /\p{L}/u.test(text) ? { event: 'error', data: text } : undefined;
		}
		if (name.toLowerCase() === 'data') {
			return { data: value };
		}
		if (COMPLAINT.test(name) || (SAYING.test(name) && value !== '')) {
			return { event: 'error', data: value || name };
		}
		if (beginsJson(value)) {
			return parseJson(value) === undefined ? undefined : { data: value };
		}
		return SENTENCE.test(value.slice(0, MAXIMUM_SEARCHED)) ? { event: 'error', data: text } : undefined;
	}

	/** Returns the JSON text that has begun, which may be incomplete. */
	take(): SseEvent | undefined {
		if (this.json.length === 0) {
			return undefined;
		}
		const data = this.json.join('\n').trim();
		this.json = [];
		this.length = 0;
		return { data };
	}
}

function beginsJson(text: string): boolean {
	return /^(\{|\[\s*([[{"]|$))/.test(text);
}
