import { createParser } from 'eventsource-parser';
import { ClientError } from '../../base/errors.ts';

export interface SseEvent {
	/** Undefined where the stream does not name the event. */
	event?: string | undefined;
	data: string;
}

/** The number of bytes that the parser gets at once, which limits how far a search for a line end can go. */
const PIECE = 64 * 1024;

/**
 * Decodes the bytes of a server-sent event stream into events: UTF-8 may be split anywhere, and lines end in LF, CR or
 * CRLF. Buffers at most one event. An event over `maximumLength` characters is an error, which is thrown after the
 * events before it.
 */
export class SseDecoder {
	private readonly maximumLength: number;
	private readonly text = new TextDecoder();
	private readonly parser;
	private events: SseEvent[] = [];
	private failure: ClientError | undefined;

	constructor(maximumLength: number) {
		this.maximumLength = maximumLength;
		this.parser = createParser({
			maxBufferSize: maximumLength,
			onEvent: event => {
				// The parser limits only what it buffers; an event that arrives whole in one piece escapes that limit.
				if (event.data.length > maximumLength) {
					this.fail();
				} else if (!this.failure) {
					this.events.push(event);
				}
			},
		});
	}

	/** An event was over the limit, so nothing after it can be read. */
	get isOverrun(): boolean {
		return this.failure !== undefined;
	}

	/** Returns the events that `bytes` completes. Throws `bad-response` for an event over the limit. */
	decode(bytes: Uint8Array): SseEvent[] {
		for (let start = 0; start < bytes.length; start += PIECE) {
			const piece = bytes.length <= PIECE ? bytes : bytes.subarray(start, start + PIECE);
			const text = this.text.decode(piece, { stream: true });
			// The parser joins the beginning of a line, which it holds, with all that comes next, so the rest of that line comes
			// by itself.
			const lineEnd = text.indexOf('\n') + 1;
			this.feed(text.slice(0, lineEnd));
			this.feed(text.slice(lineEnd));
		}
		// The parser reports an overflow only at the following call, which must not depend on the server sending more.
		this.feed('');
		return this.take();
	}

	/** Returns the event that lacks its final blank line at the end of the stream, if any. It may be incomplete. */
	finish(): SseEvent[] {
		this.feed(`${this.text.decode()}\n\n`);
		return this.take();
	}

	/** Throws the error that was held back until the events before it had been delivered. */
	check(): void {
		if (this.failure) {
			throw this.failure;
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
