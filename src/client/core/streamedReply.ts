import { type Call, type Caller, readJson } from './caller.ts';
import { ClientError } from './errors.ts';
import { EventStream } from './eventStream.ts';
import type { SseEvent } from './sse.ts';

/** From the server's events of one reply to the events of its reader. */
export interface ReplyDecoder<T> {
	/** The event that ends a whole reply has come. */
	readonly isEnded: boolean;
	/** So much has come that a clean close ends the reply as well. */
	readonly mayClose?: boolean;
	/** Appends what `event` says to `into`. Throws the error that it carries, or `bad-response`. */
	decode(event: SseEvent, into: T[]): void;
	/** What came as JSON in place of a stream. Throws as `decode` does. */
	decodeWhole(value: unknown): T[];
}

/**
 * Sends `call` and reads what a model says in reply, in the lots in which it came. Without the event that ends it the
 * reply is `truncated`; what came before that, or before any other failure, is delivered first.
 */
export async function* readStreamedReply<T>(
	caller: Caller,
	call: Omit<Call, 'firstByteMs' | 'retry'>,
	decoder: ReplyDecoder<T>,
): AsyncGenerator<T[], void> {
	const { limits, clock } = caller;
	const exchange = await caller.stream({ ...call, firstByteMs: limits.streamFirstByteMs, retry: 'turned-away' });
	let isWhole = false;
	try {
		const type = exchange.header('content-type') ?? '';
		if (/\bjson\b/i.test(type)) {
			yield decoder.decodeWhole(await readJson(exchange, limits.jsonBytes));
		} else if (/\bhtml\b/i.test(type)) {
			throw new ClientError('bad-response', 'a page came in place of a stream', { status: exchange.status });
		} else {
			const { eventLength: maximumEventLength } = limits;
			const stream = new EventStream(exchange, { maximumEventLength, clock, life: 'bytes' });
			// In this generator: one inside it would cost every lot as much again.
			let failure: unknown;
			let isOver = false;
			while (!isOver) {
				const events: T[] = [];
				try {
					isOver = decodeLot(await stream.next(), stream, decoder, events);
				} catch (error) {
					failure = error;
					isOver = true;
				}
				yield events;
			}
			if (failure !== undefined) {
				throw ClientError.is(failure, 'offline') ? truncated(failure) : failure;
			}
		}
		isWhole = true;
	} catch (error) {
		throw exchange.withoutKeyIn(error);
	} finally {
		if (isWhole) {
			// Not awaited: the reply is whole, and its connection serves the next request if the server ends it well.
			void exchange.drain();
		} else {
			exchange.close();
		}
	}
}

/** Whether the reply is over. `received` is undefined at the end of the stream. */
function decodeLot<T>(
	received: SseEvent[] | undefined,
	stream: EventStream,
	decoder: ReplyDecoder<T>,
	into: T[],
): boolean {
	if (received === undefined) {
		decodeRest(stream.rest(), decoder, into);
		if (!decoder.isEnded && !decoder.mayClose) {
			throw truncated();
		}
		return true;
	}
	for (const event of received) {
		decoder.decode(event, into);
	}
	return decoder.isEnded;
}

/** After a clean close: takes an event that lacks only its blank line; one that is cut short is none. */
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

function truncated(cause?: unknown): ClientError {
	return new ClientError('truncated', 'the reply broke off before its end', { retryable: true, cause });
}
