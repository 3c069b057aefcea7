import { ClientError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Caller } from '../core/caller.ts';
import { type Exchange, refusePage, truncatedError } from '../core/exchange.ts';
import { throwErrorIn } from '../core/replyData.ts';
import { EventStream } from '../core/sse.ts';
import type { TextEvent } from '../types.ts';
import type { Handshake } from './handshake.ts';
import { type ReplyNonces, readSealed } from './message.ts';

/**
 * The number of frames that are verified at the same time, off the event loop. More would occupy the platform's few
 * threads, which the rest of the program needs too.
 */
export const SIDE_BY_SIDE = 4;

const END = '[DONE]';

/**
 * contract: not shown. Yields the texts of a streamed reply (unspecified.md, "framing of `/message_stream`"): each
 * frame is verified, then decrypted, then delivered. Throws `tampered` for an invalid frame, `bad-response` for a
 * stream that does not begin with a frame, the error that is sent in place of a frame, and `truncated` if the stream
 * ends without the end mark; the frames before it are delivered first.
 */
export async function* readReplyStream(
	caller: Caller,
	exchange: Exchange,
	handshake: Handshake,
	nonces: ReplyNonces,
): AsyncGenerator<TextEvent[], void> {
	let isWhole = false;
	try {
		const frames = new FrameReader(frameSource(exchange, caller), handshake, nonces);
		while (!frames.isEnded) {
			const { opening, failure } = await frames.next();
			for (let start = 0; start < opening.length; start += SIDE_BY_SIDE) {
				yield* openSideBySide(opening.slice(start, start + SIDE_BY_SIDE));
			}
			if (failure !== undefined) {
				throw failure;
			}
		}
		isWhole = true;
	} catch (error) {
		throw exchange.told(error);
	} finally {
		if (isWhole) {
			// This is not awaited, as the reply is complete. If the server ends it properly, the connection can be reused.
			void exchange.drain();
		} else {
			exchange.close();
		}
	}
}

/** Delivers the texts before the first frame that cannot be decrypted, then throws that frame's error. */
async function* openSideBySide(opening: readonly (() => Promise<string>)[]): AsyncGenerator<TextEvent[], void> {
	const opened = await Promise.allSettled(opening.map(open => open()));
	const events: TextEvent[] = [];
	for (const outcome of opened) {
		if (outcome.status === 'rejected') {
			yield events;
			throw outcome.reason;
		}
		if (outcome.value !== '') {
			events.push({ type: 'text', text: outcome.value });
		}
	}
	yield events;
}

/** The frames that arrived together and may be decrypted, and the failure after them, if any. */
interface FrameBatch {
	opening: (() => Promise<string>)[];
	failure?: unknown;
}

class FrameReader {
	isEnded = false;
	private readonly source: FrameSource;
	private readonly handshake: Handshake;
	private readonly nonces: ReplyNonces;
	private hasFrame = false;

	constructor(source: FrameSource, handshake: Handshake, nonces: ReplyNonces) {
		this.source = source;
		this.handshake = handshake;
		this.nonces = nonces;
	}

	async next(): Promise<FrameBatch> {
		const batch: FrameBatch = { opening: [] };
		try {
			const texts = await this.source.next();
			for (const text of texts ?? this.source.rest()) {
				if (!this.isEnded && (texts || isComplete(text))) {
					this.accept(text, batch);
				}
			}
			// The end mark alone proves nothing, since anyone between client and enclave can write it.
			if ((this.isEnded && !this.hasFrame) || (!texts && !this.isEnded)) {
				throw truncatedError();
			}
		} catch (error) {
			batch.failure = ClientError.is(error, 'offline') ? truncatedError(error) : this.foreign(error);
		}
		return batch;
	}

	/**
	 * Before the first frame, anything else shows that the service uses another framing. After a frame, it comes from
	 * somebody else.
	 */
	private foreign(error: unknown): unknown {
		return this.hasFrame && ClientError.is(error, 'bad-response')
			? new ClientError('tampered', 'what follows a part of the reply is no encrypted message', { cause: error })
			: error;
	}

	private accept(text: string, batch: FrameBatch): void {
		if (text.trim() === END) {
			this.isEnded = true;
			return;
		}
		const value = parseJson(text);
		throwErrorIn(value);
		const frame = readSealed(value);
		if (!this.nonces.accept(frame.nonce)) {
			throw new ClientError('tampered', 'the nonce of a part of the reply is not the next');
		}
		this.handshake.admit(frame);
		this.hasFrame = true;
		batch.opening.push(() => this.handshake.open(frame));
	}
}

/** Returns whether the last text of a stream is complete. If the stream broke off, the text may be cut off. */
function isComplete(text: string): boolean {
	return text.trim() === END || parseJson(text) !== undefined;
}

/** Reads the texts of a streamed reply's frames in the batches in which they arrive. */
interface FrameSource {
	/**
	 * Returns an empty list if the bytes completed no frame, and undefined at the end. Throws `bad-response` for a frame
	 * that is too long.
	 */
	next(): Promise<string[] | undefined>;
	/** Returns the texts left over at the end, which may be incomplete. */
	rest(): string[];
}

/** contract: not shown. The content type decides the framing (unspecified.md, "framing of `/message_stream`"). */
function frameSource(exchange: Exchange, { limits, clock }: Caller): FrameSource {
	const type = exchange.header('content-type') ?? '';
	refusePage(exchange);
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

	/** Keeps the pieces separate, so that a line that arrives byte by byte is not copied for each byte. */
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
