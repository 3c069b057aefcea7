import type { Clock } from '../../base/async.ts';
import type { Exchange } from './exchange.ts';
import { SseDecoder, type SseEvent } from './sse.ts';

export interface EventStreamOptions {
	maximumEventLength: number;
	clock: Clock;
	/** What keeps the exchange from being idle. Comments are bytes, but no events. */
	life: 'bytes' | 'events';
}

/** The events of an exchange's body, in the lots in which its bytes came. */
export class EventStream {
	private readonly exchange: Exchange;
	private readonly options: EventStreamOptions;
	private readonly decoder: SseDecoder;
	private silentSince: number | undefined;

	constructor(exchange: Exchange, options: EventStreamOptions) {
		this.exchange = exchange;
		this.options = options;
		this.decoder = new SseDecoder(options.maximumEventLength);
	}

	/**
	 * The next events; an empty list for bytes that completed none; undefined at the end of the body. Rejects with what
	 * ends the exchange early, and `bad-response` for an event that is too long, after the events before it.
	 */
	next(): Promise<SseEvent[] | undefined> {
		return this.nextAs(events => events);
	}

	/** What `take` makes of the next events, with no promise more. Rejects as `next` does, and with what `take` throws. */
	nextAs<T>(take: (events: SseEvent[] | undefined) => T): Promise<T> {
		try {
			this.decoder.check();
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

	/** An event was too long to be read, and the stream can be read no further. */
	get isOverrun(): boolean {
		return this.decoder.isOverrun;
	}

	/** After the end: what an end without a blank line cut off. It may be incomplete. */
	rest(): SseEvent[] {
		return this.decoder.finish();
	}
}
