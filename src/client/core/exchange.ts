import type { Clock } from '../../base/async.ts';
import { ClientError } from './errors.ts';
import { failureOf } from './failures.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A reply that ended is given this long to close by itself, so that its connection can be used again. */
const DRAIN_MS = 1000;

export interface ExchangeOptions {
	transport: Transport;
	clock: Clock;
	/** The caller's own; its abort ends the exchange with `aborted`. */
	signal: AbortSignal | undefined;
	/** Until the head has come. */
	firstByteMs: number;
	/** Between the bytes of the body, while somebody waits for them. */
	idleMs: number;
}

/**
 * One request and its reply, bounded in time. Whatever ends it early is a ClientError: `aborted`, `timeout`,
 * `offline`, or what the transport itself threw. Nothing waits for the transport once it has ended.
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
	/** The one that went out with the request. */
	private key: string | undefined;

	private constructor(options: ExchangeOptions) {
		this.options = options;
		options.signal?.addEventListener('abort', this.onAbort, { once: true });
		if (options.signal?.aborted) {
			this.end(abortedError());
		}
	}

	/** Resolves with the head, whatever its status is. */
	static async open(options: ExchangeOptions, request: Omit<TransportRequest, 'signal'>): Promise<Exchange> {
		const exchange = new Exchange(options);
		exchange.key = request.headers['Authorization']?.replace(/^Bearer /, '');
		await exchange.send(request);
		return exchange;
	}

	get status(): number {
		return this.response?.status ?? 0;
	}

	header(name: string): string | undefined {
		return this.response?.headers.get(name);
	}

	/** The service's own words about a failure: it may quote the key that it was sent. */
	withoutKey(text: string): string {
		return this.key ? text.replaceAll(this.key, '[key]') : text;
	}

	/** The same failure, its service's words without the key. */
	withoutKeyIn(failure: unknown): unknown {
		if (!ClientError.is(failure) || failure.serviceMessage === undefined) {
			return failure;
		}
		const { code, message, status, retryable, retryAfterMs, cause } = failure;
		const serviceMessage = this.withoutKey(failure.serviceMessage);
		return new ClientError(code, message, { status, retryable, retryAfterMs, cause, serviceMessage });
	}

	/** The next bytes; undefined at the end of the body. One read at a time. */
	read(): Promise<Uint8Array | undefined> {
		return this.readAs(bytes => bytes);
	}

	/**
	 * What `take` makes of the next bytes; without a promise of its own, as every chunk of a stream comes this way.
	 * `silentSince` tells that the reader has been waiting since then for what counts as life to him; without it the
	 * bytes do.
	 */
	readAs<T>(take: (bytes: Uint8Array | undefined) => T, silentSince = this.options.clock.now()): Promise<T> {
		const { body } = this;
		if (this.failure || !body) {
			return Promise.reject(this.failure ?? new ClientError('aborted', 'the exchange has ended'));
		}
		this.silentSince = silentSince;
		this.watch(this.options.idleMs);
		return this.unlessEnded(body.next(), read => take(this.onRead(read)));
	}

	/** Ends the exchange, on the server's side too. Harmless when it has ended. */
	close(): void {
		if (this.isRead) {
			return;
		}
		this.end(new ClientError('aborted', 'the reply was not read to its end'));
	}

	/** Ends the exchange in `milliseconds`, unless the function returned is called before. */
	closeAfter(milliseconds: number): () => void {
		return this.options.clock.after(milliseconds, () => this.close());
	}

	/** For a reply whose last event has come: lets the server close it, and closes it if that takes long. Never throws. */
	async drain(): Promise<void> {
		if (this.isRead) {
			return;
		}
		const cancel = this.closeAfter(DRAIN_MS);
		try {
			while ((await this.read()) !== undefined) {}
		} catch {
			// It was over before.
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
					// A transport that did not hear the abort: nobody will read this.
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

	/** Settles with what `take` makes of the promise's value, or rejects at once when the exchange ends first. */
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
					this.end(failure);
					reject(failure);
				},
			);
		});
	}

	/** One timer serves many reads: when it is due, it looks at the read under way and is set anew. */
	private watch(milliseconds: number): void {
		this.cancelWatch ??= this.options.clock.after(milliseconds, () => {
			this.cancelWatch = undefined;
			// A reader who takes his time is no silence: the watch ends, and the next read sets it again.
			if (this.silentSince === undefined) {
				return;
			}
			const { clock, idleMs } = this.options;
			const remaining = this.silentSince + idleMs - clock.now();
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
		// Not every transport ends its body at the abort alone.
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

function timeoutError(message: string): ClientError {
	return new ClientError('timeout', message, { retryable: true });
}
