// Converts a stream of bytes to events, and each event to a typed value. Every stream has a named end. A stream that
// stops without it throws `truncated`, after delivering the events before that.
import type { Clock } from '../../base/async.ts';
import type { Exchange } from './exchange.ts';
import { SseDecoder, type SseEvent, type StrayLineReader } from './sse.ts';

export interface EventStreamOptions {
	maximumEventLength: number;
	clock: Clock;
	/** The kind of activity that counts in an exchange. Comments are bytes, but not events. */
	life: 'bytes' | 'events';
	/** Reads the lines that belong to no event. Without it, they are ignored. */
	strays?: StrayLineReader;
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
		this.silentSince ??= this.options.clock.now();
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
