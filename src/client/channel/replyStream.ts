import { ClientError } from '../../base/errors.ts';
import type { Caller } from '../core/caller.ts';
import type { Exchange } from '../core/exchange.ts';
import { throwErrorIn } from '../core/replyData.ts';
import { type FrameSource, frameSource } from './frameSource.ts';
import type { Handshake } from './handshake.ts';
import { asTampered, readSealed } from './message.ts';
import type { ReplyNonces } from './replyNonces.ts';

/** Verified side by side, off the event loop. More would keep the platform's few threads from the rest of the program. */
export const SIDE_BY_SIDE = 4;

const END = '[DONE]';

type TextEvent = { type: 'text'; text: string };

/**
 * contract: not shown. The texts of a streamed reply (unspecified.md, "framing of `/message_stream`"): each frame is
 * verified, then decrypted, then delivered. Throws `tampered` for a frame in which anything is wrong, the error that
 * stands in place of a frame, and `truncated` for an end without its mark, each after what came before it.
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
			// Not awaited: the reply is whole, and its connection serves the next request if the server ends it well.
			void exchange.drain();
		} else {
			exchange.close();
		}
	}
}

/** Delivers the texts before the first frame that does not open, then throws its error. */
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

/** What came at once: frames that may be opened, and what went wrong after them. */
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
			// A mark alone proves nothing: whoever stands between can set it.
			if ((this.isEnded && !this.hasFrame) || (!texts && !this.isEnded)) {
				throw truncated();
			}
		} catch (error) {
			batch.failure = ClientError.is(error, 'offline') ? truncated(error) : asTampered(error);
		}
		return batch;
	}

	private accept(text: string, batch: FrameBatch): void {
		if (text.trim() === END) {
			this.isEnded = true;
			return;
		}
		const value = parsed(text);
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

/** Undefined, which is no frame, for what is no JSON. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The rest of a stream may lack its last characters. */
function isComplete(text: string): boolean {
	return text.trim() === END || parsed(text) !== undefined;
}

function truncated(cause?: unknown): ClientError {
	return new ClientError('truncated', 'the reply broke off before its end', { retryable: true, cause });
}
