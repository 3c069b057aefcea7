import { type Clock, untilAborted } from '../../base/async.ts';
import { ClientError } from '../../base/errors.ts';
import { failureOf } from './failures.ts';
import { createKeyRemover, type KeyRemover, removeKeyFrom } from './keyRemoval.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** The limit for the service's own message about a failure, in characters (unspecified.md, "error bodies"). */
const MAXIMUM_WORDS = 500;

/** The time that a finished reply gets to close by itself, so that its connection can be reused. */
const DRAIN_MS = 1000;

export interface ExchangeOptions {
	transport: Transport;
	clock: Clock;
	/** The caller's own signal. Aborting it ends the exchange with `aborted`. */
	signal: AbortSignal | undefined;
	/** The longest wait for the reply's head, in milliseconds. */
	firstByteMs: number;
	/** The longest wait between bytes of the body while a read is pending, in milliseconds. */
	idleMs: number;
	/** True for the local service, the only one that may name the failed model servers behind it. */
	isLocal: boolean;
}

/**
 * One request and its reply, with time limits. Any early end is a ClientError: `aborted`, `timeout`, `offline`, or the
 * error that the transport itself threw. Once it has ended, nothing waits for the transport.
 */
export class Exchange {
	private readonly options: ExchangeOptions;
	private readonly controller = new AbortController();
	private readonly onAbort = () => this.end(abortedError());
	private response: TransportResponse | undefined;
	private body: AsyncIterator<Uint8Array> | undefined;
	private failure: ClientError | undefined;
	private reject: ((error: ClientError) => void) | undefined;
	private silentSince: number | undefined;
	private cancelWatch: (() => void) | undefined;
	private isRead = false;
	/** Removes the key that was sent with the request from a text. */
	private removeKey: KeyRemover = text => text;

	private constructor(options: ExchangeOptions) {
		this.options = options;
		options.signal?.addEventListener('abort', this.onAbort, { once: true });
		if (options.signal?.aborted) {
			this.end(abortedError());
		}
	}

	/** Resolves with the reply's head, whatever its status. */
	static async open(options: ExchangeOptions, request: Omit<TransportRequest, 'signal'>): Promise<Exchange> {
		const exchange = new Exchange(options);
		const key = request.headers['Authorization']?.replace(/^Bearer /, '');
		if (key !== undefined) {
			exchange.removeKey = createKeyRemover(key);
		}
		await exchange.send(request);
		return exchange;
	}

	get status(): number {
		return this.response?.status ?? 0;
	}

	header(name: string): string | undefined {
		return this.response?.headers.get(name);
	}

	/** Returns the service's words in a reportable form: they may quote the key that was sent, and be very long. */
	words(text: string): string {
		// The order matters: the rest of a key that was cut might not be recognised.
		return this.removeKey(text).slice(0, MAXIMUM_WORDS);
	}

	/**
	 * Returns a failure in a reportable form: without the key in any part of it, with the service's message shortened,
	 * and without model servers of the user that another service names.
	 */
	told(failure: unknown): unknown {
		removeKeyFrom(failure, this.removeKey);
		if (!ClientError.is(failure)) {
			return failure;
		}
		const own = this.options.isLocal ? failure : failure.withoutUpstreams();
		return own.serviceMessage === undefined ? own : own.withWords(this.words(own.serviceMessage));
	}

	/** Resolves with the next bytes, or undefined at the end of the body. Only one read may be pending at a time. */
	read(): Promise<Uint8Array | undefined> {
		return this.readAs(bytes => bytes);
	}

	/**
	 * Resolves with the value that `take` returns for the next bytes. It adds no promise of its own, because every chunk
	 * of a stream is read through it. `silentSince` is the time at which the reader began to wait for what it counts as
	 * activity; without it, any bytes count.
	 */
	readAs<T>(take: (bytes: Uint8Array | undefined) => T, silentSince = this.options.clock.elapsed()): Promise<T> {
		const { body } = this;
		if (this.failure || !body) {
			return Promise.reject(this.failure ?? new ClientError('aborted', 'the exchange has ended'));
		}
		this.silentSince = silentSince;
		this.watch(this.options.idleMs);
		return this.unlessEnded(body.next(), read => take(this.onRead(read)));
	}

	/** Ends the exchange on the server's side as well. Does nothing if it has already ended. */
	close(): void {
		if (this.isRead) {
			return;
		}
		this.end(new ClientError('aborted', 'the reply was not read to its end'));
	}

	/** Ends the exchange after `milliseconds`, unless the returned function is called before. */
	closeAfter(milliseconds: number): () => void {
		return this.options.clock.after(milliseconds, () => this.close());
	}

	/** Lets the server close a reply after its last event, and closes it if that takes too long. Never throws. */
	async drain(): Promise<void> {
		if (this.isRead) {
			return;
		}
		const cancel = this.closeAfter(DRAIN_MS);
		try {
			while ((await this.read()) !== undefined) {}
		} catch {
			// The exchange had already ended.
		} finally {
			cancel();
		}
	}

	private async send(request: Omit<TransportRequest, 'signal'>): Promise<void> {
		const { transport, clock, firstByteMs } = this.options;
		const cancel = clock.after(firstByteMs, () => this.end(timeoutError(`no answer within ${firstByteMs} ms`)));
		try {
			if (this.failure) {
				throw this.failure;
			}
			const sent = transport.request({ ...request, signal: this.controller.signal }).then(response => {
				const body = response.body[Symbol.asyncIterator]();
				if (this.failure) {
					// The transport ignored the abort, and nobody will read this body.
					body.return?.().catch(() => {});
				}
				this.response = response;
				this.body = body;
			});
			await this.unlessEnded(sent, () => {});
		} finally {
			cancel();
		}
	}

	private onRead({ done, value }: IteratorResult<Uint8Array>): Uint8Array | undefined {
		this.silentSince = undefined;
		if (done) {
			this.isRead = true;
			this.settle();
			return undefined;
		}
		return value;
	}

	/** Settles with the result of `take` for the promise's value, or rejects at once when the exchange ends first. */
	private unlessEnded<T, R>(promise: Promise<T>, take: (value: T) => R): Promise<R> {
		return new Promise((resolve, reject) => {
			this.reject = reject;
			promise.then(
				value => {
					try {
						resolve(take(value));
					} catch (error) {
						reject(error);
					}
				},
				error => {
					const failure = this.failure ?? failureOf(error);
					removeKeyFrom(failure, this.removeKey);
					this.end(failure);
					reject(failure);
				},
			);
		});
	}

	/** One timer serves many reads: when it fires, it checks the pending read and is set again. */
	private watch(milliseconds: number): void {
		this.cancelWatch ??= this.options.clock.after(milliseconds, () => {
			this.cancelWatch = undefined;
			// A slow reader does not count as silence: the watch ends here, and the next read starts it again.
			if (this.silentSince === undefined) {
				return;
			}
			const { clock, idleMs } = this.options;
			const remaining = this.silentSince + idleMs - clock.elapsed();
			if (remaining > 0) {
				this.watch(remaining);
			} else {
				this.end(timeoutError(`nothing was received for ${idleMs} ms`));
			}
		});
	}

	private end(failure: ClientError): void {
		if (this.failure) {
			return;
		}
		this.failure = failure;
		this.settle();
		this.controller.abort(failure);
		this.reject?.(failure);
		// Some transports do not end the body on abort alone.
		this.body?.return?.().catch(() => {});
	}

	private settle(): void {
		this.options.signal?.removeEventListener('abort', this.onAbort);
		this.cancelWatch?.();
		this.cancelWatch = undefined;
	}
}

export function abortedError(): ClientError {
	return new ClientError('aborted', 'the request was aborted');
}

/** Settles as the promise does, or throws `aborted` as soon as the signal aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	try {
		return await untilAborted(promise, signal);
	} catch (error) {
		throw signal?.aborted ? abortedError() : error;
	}
}

export function truncatedError(cause?: unknown): ClientError {
	return new ClientError('truncated', 'the reply broke off before its end', { retryable: true, cause });
}

/** Throws the error for a web page that came in place of a stream. */
export function refusePage(exchange: Exchange): void {
	if (/\bhtml\b/i.test(exchange.header('content-type') ?? '')) {
		const { status } = exchange;
		throw new ClientError('bad-response', 'a page came in place of a stream', { status, isPage: true });
	}
}

function timeoutError(message: string): ClientError {
	return new ClientError('timeout', message, { retryable: true });
}
