import { createParser } from 'eventsource-parser';
import { ClientError } from './errors.ts';

export interface SseEvent {
	/** Undefined where the stream names none. */
	event: string | undefined;
	data: string;
}

/** Bytes of the text that the parser is given at once: bounds how far one search for a line end can look. */
const PIECE = 64 * 1024;

/**
 * Bytes of a server-sent event stream to events: UTF-8 may be split anywhere, lines end in LF, CR or CRLF. Holds at
 * most one event. One over `maximumLength` characters is a failure, which is thrown after the events before it.
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
			onEvent: ({ event, data }) => {
				// The parser's own limit is for what it holds back; an event that one piece brings whole passes it.
				if (data.length > maximumLength) {
					this.fail();
				} else if (!this.failure) {
					this.events.push({ event, data });
				}
			},
		});
	}

	/** An event was over the limit; nothing behind it can be read. */
	get isOverrun(): boolean {
		return this.failure !== undefined;
	}

	/** The events that `bytes` completes. Throws `bad-response` for an event over the limit. */
	decode(bytes: Uint8Array): SseEvent[] {
		for (let start = 0; start < bytes.length; start += PIECE) {
			const piece = bytes.length <= PIECE ? bytes : bytes.subarray(start, start + PIECE);
			this.feed(this.text.decode(piece, { stream: true }));
		}
		// The parser tells of an overflow at the call after it; a server that then falls silent must not hide it.
		this.feed('');
		return this.take();
	}

	/** The event that the stream's end cut off before its blank line, if any. It may be incomplete. */
	finish(): SseEvent[] {
		this.feed(`${this.text.decode()}\n\n`);
		return this.take();
	}

	/** Throws the failure that the last events came before. */
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
