import { ClientError } from '../../base/errors.ts';
import type { Caller } from '../core/caller.ts';
import { EventStream } from '../core/eventStream.ts';
import type { Exchange } from '../core/exchange.ts';

/** Reads the texts of a streamed reply's frames in the batches in which they arrive. */
export interface FrameSource {
	/**
	 * Returns an empty list if the bytes completed no frame, and undefined at the end. Throws `bad-response` for a frame
	 * that is too long.
	 */
	next(): Promise<string[] | undefined>;
	/** Returns what was left at the end, which may be incomplete. */
	rest(): string[];
}

/** contract: not shown. The content type decides the framing (unspecified.md, "framing of `/message_stream`"). */
export function frameSource(exchange: Exchange, { limits, clock }: Caller): FrameSource {
	const type = exchange.header('content-type') ?? '';
	if (/\bhtml\b/i.test(type)) {
		throw new ClientError('bad-response', 'a page came in place of a stream', {
			status: exchange.status,
			isPage: true,
		});
	}
	if (/\b(x-ndjson|json)\b/i.test(type)) {
		return new LineSource(exchange, limits.eventLength);
	}
	const events = new EventStream(exchange, { maximumEventLength: limits.eventLength, clock, life: 'bytes' });
	return {
		next: async () => (await events.next())?.map(({ data }) => data),
		rest: () => events.rest().map(({ data }) => data),
	};
}

/** Each line is a frame, ended by LF or CRLF. Blank lines are skipped. */
class LineSource implements FrameSource {
	private readonly exchange: Exchange;
	private readonly maximumLength: number;
	private readonly text = new TextDecoder();
	private pieces: string[] = [];
	private length = 0;

	constructor(exchange: Exchange, maximumLength: number) {
		this.exchange = exchange;
		this.maximumLength = maximumLength;
	}

	async next(): Promise<string[] | undefined> {
		this.check();
		const bytes = await this.exchange.read();
		if (!bytes) {
			return undefined;
		}
		const [first = '', ...others] = this.text.decode(bytes, { stream: true }).split('\n');
		if (others.length === 0) {
			this.hold(first);
			return [];
		}
		const lines = [this.take(first), ...others];
		this.hold(lines.pop() ?? '');
		return lines.filter(isFilled);
	}

	rest(): string[] {
		return [this.take(this.text.decode())].filter(isFilled);
	}

	/** Pieces are kept apart, so that a line that arrives byte by byte is not copied for each byte. */
	private hold(piece: string): void {
		this.pieces.push(piece);
		this.length += piece.length;
	}

	private take(piece: string): string {
		const line = this.pieces.join('') + piece;
		this.pieces = [];
		this.length = 0;
		return line;
	}

	private check(): void {
		if (this.length > this.maximumLength) {
			throw new ClientError('bad-response', `a line of the stream has more than ${this.maximumLength} characters`);
		}
	}
}

const isFilled = (line: string) => line.trim() !== '';
