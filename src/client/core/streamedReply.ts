import { ClientError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { BatchSource } from './batchedStream.ts';
import { type Call, type Caller, notJson, readBody } from './caller.ts';
import { type Exchange, refusePage, truncatedError } from './exchange.ts';
import { EventStream, type SseEvent, StrayLines } from './sse.ts';

/** Converts the server's events of one reply into events for its reader. */
export interface ReplyDecoder<T> {
	/** True once the event that ends a complete reply has come. */
	readonly isEnded: boolean;
	/** True once a clean close would end the reply as well. */
	readonly mayClose?: boolean;
	/** Appends the events in `event` to `into`. Throws the error that `event` carries, or `bad-response`. */
	decode(event: SseEvent, into: T[]): void;
	/** Appends what was held back, at the end of the body. */
	end?(into: T[]): void;
	/** Appends the events of JSON that came instead of a stream. Throws like `decode`. */
	decodeWhole(value: unknown, into: T[]): void;
}

export interface StreamedReplyOptions<T> {
	/** Called at the first read, so that an invalid request throws there. */
	call(): Omit<Call, 'firstByteMs' | 'retry'>;
	decoder: ReplyDecoder<T>;
	/** Returns the error for the reader in place of a failure. */
	failure?(error: unknown): unknown;
}

const END = { done: true, value: undefined } as const;

/**
 * Sends a request and reads the model's reply in batches, as it arrives. A reply without its final event is
 * `truncated`; everything that came before that, or before any other failure, is delivered first.
 *
 * The iterator is written by hand: every chunk passes through it, and each generator on the path would cost as much as
 * reading the chunk.
 */
export class StreamedReply<T> implements BatchSource<T> {
	private readonly caller: Caller;
	private readonly options: StreamedReplyOptions<T>;
	private exchange: Exchange | undefined;
	private stream: EventStream | undefined;
	/** True if nothing more is read. `failed` is thrown once everything that was read has been delivered. */
	private isOver = false;
	private failed: { error: unknown } | undefined;

	constructor(caller: Caller, options: StreamedReplyOptions<T>) {
		this.caller = caller;
		this.options = options;
	}

	next(): Promise<IteratorResult<T[], void>> {
		if (this.failed) {
			return Promise.reject(this.failed.error);
		}
		if (this.isOver) {
			return Promise.resolve(END);
		}
		return this.stream ? this.stream.nextAs(this.take) : this.begin();
	}

	return(): Promise<unknown> {
		if (!this.isOver || this.failed) {
			this.isOver = true;
			this.exchange?.close();
		}
		return Promise.resolve();
	}

	failure(error: unknown): unknown {
		this.isOver = true;
		this.exchange?.close();
		const failure = this.stream && ClientError.is(error, 'offline') ? truncatedError(error) : error;
		const told = this.exchange ? this.exchange.told(failure) : failure;
		return this.options.failure ? this.options.failure(told) : told;
	}

	private async begin(): Promise<IteratorResult<T[], void>> {
		const { caller, options } = this;
		const { limits, clock } = caller;
		const call = { ...options.call(), firstByteMs: limits.streamFirstByteMs, retry: 'turned-away' } as const;
		const exchange = await caller.stream(call);
		this.exchange = exchange;
		const type = exchange.header('content-type') ?? '';
		let beginning: Uint8Array | undefined;
		if (/\bjson\b/i.test(type)) {
			beginning = await readBeginning(exchange);
			// Some servers label a stream as JSON too; it is read as it arrives.
			if (!isEvents(beginning)) {
				beginning = await readBody(exchange, limits.jsonBytes, beginning);
				const text = new TextDecoder().decode(beginning);
				const value = parseJson(text);
				if (value !== undefined) {
					this.isOver = true;
					return this.collect(into => options.decoder.decodeWhole(value, into));
				}
				if (isBrokenJson(text)) {
					throw notJson(exchange);
				}
			}
		}
		refusePage(exchange);
		const { eventLength: maximumEventLength } = limits;
		this.stream = new EventStream(exchange, {
			...{ maximumEventLength, clock, life: 'bytes', beginning },
			strays: new StrayLines(),
		});
		return this.stream.nextAs(this.take);
	}

	/** `received` is undefined at the end of the stream. */
	private readonly take = (received: SseEvent[] | undefined): IteratorResult<T[], void> =>
		this.collect(into => {
			const { decoder } = this.options;
			if (received === undefined) {
				decodeRest(this.stream?.rest() ?? [], decoder, into);
				decoder.end?.(into);
				if (!decoder.isEnded && !decoder.mayClose) {
					throw truncatedError();
				}
			}
			for (const event of received ?? []) {
				decoder.decode(event, into);
			}
			this.isOver = received === undefined || decoder.isEnded;
			if (this.isOver) {
				// Draining is not awaited: the reply is complete, and its connection serves the next request if the server ends
				// it properly.
				void this.exchange?.drain();
			}
		});

	/** Returns the events that `decode` appends. An error that it throws is delivered after them. */
	private collect(decode: (into: T[]) => void): IteratorResult<T[], void> {
		const events: T[] = [];
		try {
			decode(events);
		} catch (error) {
			this.isOver = true;
			this.failed = { error };
		}
		return { done: false, value: events };
	}
}

/** Reads the body until something other than blanks has come. Servers send blanks to show that they are at work. */
async function readBeginning(exchange: Exchange): Promise<Uint8Array> {
	for (;;) {
		const bytes = await exchange.read();
		if (bytes === undefined || bytes.some(byte => !BLANKS.has(byte))) {
			return bytes ?? new Uint8Array();
		}
	}
}

/** Blank, tab, line feed and carriage return. */
const BLANKS: ReadonlySet<number> = new Set([32, 9, 10, 13]);

/** Returns whether a body begins like an event stream, as no JSON text does. */
function isEvents(beginning: Uint8Array): boolean {
	return /^\s*(:|(data|event|id|retry)\b)/.test(new TextDecoder().decode(beginning.subarray(0, 64)));
}

/** Returns whether a text that is not JSON is broken JSON, rather than one JSON text per line or a message in words. */
function isBrokenJson(text: string): boolean {
	const line = text.trimStart().split('\n', 1)[0] ?? '';
	return line === '' || (/^[[{"]/.test(line) && parseJson(line) === undefined);
}

/**
 * Decodes what remains after a clean close: an event that lacks only its blank line counts, while one that was cut
 * short is ignored.
 */
function decodeRest<T>(rest: SseEvent[], decoder: ReplyDecoder<T>, into: T[]): void {
	for (const event of rest) {
		try {
			decoder.decode(event, into);
		} catch (error) {
			if (!ClientError.is(error, 'bad-response')) {
				throw error;
			}
		}
	}
}
