// undici is imported in parts: its main module installs its own dispatcher for the `fetch` of the whole process, and
// adds half its size to the service.
/// <reference path="./undiciParts.d.ts" />
import type { Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherBase from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import { environmentProxy } from '../../base/environmentProxy.ts';
import { ClientError } from '../../base/errors.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import { codingOf, decoded, UNCODED } from './contentCoding.ts';
import { LIMITS } from './limits.ts';
import { followRedirects } from './redirects.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

// undici's main module adds its API methods to all dispatchers. Its proxy agent needs one of them to open a tunnel.
Object.assign(DispatcherBase.prototype, { connect });

/** The number of bytes received ahead of the reader at which the socket is paused. */
const READ_AHEAD = 64 * 1024;

/**
 * Creates a transport for programs outside the editor: pooled keep-alive connections, `HTTP_PROXY`, `HTTPS_PROXY` and
 * `NO_PROXY` of the environment, and additional certificates by Node's own `NODE_EXTRA_CA_CERTS`. Requests to this
 * machine never go to a proxy, whatever `NO_PROXY` says. The dispatchers belong to this transport.
 */
export function createUndiciTransport(): Transport & { close(): Promise<void> } {
	// The caller has its own limits for the head and for silence.
	const options = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: LIMITS.connectMs } };
	const direct = new Agent(options);
	// It would read the environment itself, but throw for a proxy without a scheme, with which no service would start.
	const proxy = (scheme: 'http' | 'https') => environmentProxy(process.env, scheme)?.href ?? '';
	const byEnvironment = new EnvHttpProxyAgent({ ...options, httpProxy: proxy('http'), httpsProxy: proxy('https') });
	const agentFor = ({ url }: TransportRequest) => (isLoopbackHost(new URL(url).hostname) ? direct : byEnvironment);
	return {
		request: request => followRedirects(request, single => send(agentFor(single), single)),
		/** Ends idle connections; those in use end with their exchange. */
		async close() {
			await Promise.all([direct.close(), byEnvironment.close()]);
		},
	};
}

function send(agent: Dispatcher, request: TransportRequest): Promise<TransportResponse> {
	return new Promise((resolve, reject) => {
		const { signal } = request;
		if (signal.aborted) {
			reject(signal.reason);
			return;
		}
		const body = new Body();
		let controller: Dispatcher.DispatchController | undefined;
		let ended: Error | undefined;
		const end = (error: Error) => {
			ended ??= error;
			clearTimeout(connecting);
			signal.removeEventListener('abort', onAbort);
			controller?.abort(error);
			body.fail(error);
			reject(error);
		};
		const onAbort = () => end(signal.reason);
		const connecting = setTimeout(
			() => end(new ClientError('timeout', 'no connection in time', { retryable: true, unsent: true })),
			request.connectTimeoutMs,
		);
		signal.addEventListener('abort', onAbort, { once: true });

		const { origin, pathname, search } = new URL(request.url);
		agent.dispatch(
			{
				origin,
				path: pathname + search,
				method: request.method,
				headers: { ...UNCODED, ...request.headers },
				body: request.body ?? null,
			},
			{
				// Called when there is a connection and the request is about to be written.
				onRequestStart(started) {
					clearTimeout(connecting);
					controller = started;
					body.controller = started;
					if (ended) {
						started.abort(ended);
					}
				},
				onResponseStart(_, status, headers) {
					if (status < 200) {
						return;
					}
					const flat = flatten(headers);
					try {
						const coding = codingOf(flat);
						resolve({ status, headers: flat, body: coding === undefined ? body : decoded(body, coding) });
					} catch (error) {
						end(error as ClientError);
					}
				},
				onResponseData(_, bytes) {
					body.push(bytes);
				},
				onResponseEnd() {
					signal.removeEventListener('abort', onAbort);
					body.end();
				},
				onResponseError(_, error) {
					end(error);
				},
			},
		);
	});
}

function flatten(headers: Record<string, string | string[] | undefined>): Map<string, string> {
	const flat = new Map<string, string>();
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) {
			flat.set(name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value);
		}
	}
	return flat;
}

/** One reader's view of a reply's bytes. The socket is paused while more than READ_AHEAD bytes are unread. */
class Body implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
	controller: Dispatcher.DispatchController | undefined;
	private readonly chunks: Uint8Array[] = [];
	private length = 0;
	private done = false;
	private error: Error | undefined;
	private waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;

	push(bytes: Uint8Array): void {
		if (this.waiting) {
			const { resolve } = this.waiting;
			this.waiting = undefined;
			resolve({ done: false, value: bytes });
			return;
		}
		this.chunks.push(bytes);
		this.length += bytes.length;
		if (this.length > READ_AHEAD) {
			this.controller?.pause();
		}
	}

	end(): void {
		this.done = true;
		this.waiting?.resolve({ done: true, value: undefined });
		this.waiting = undefined;
	}

	fail(error: Error): void {
		if (!this.done) {
			this.error ??= error;
			this.waiting?.reject(error);
			this.waiting = undefined;
		}
	}

	[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
		return this;
	}

	next(): Promise<IteratorResult<Uint8Array>> {
		const [first] = this.chunks;
		if (first) {
			// All at once, because a server may send single bytes.
			const value = this.chunks.length === 1 ? first : Buffer.concat(this.chunks, this.length);
			this.chunks.length = 0;
			this.length = 0;
			if (this.controller?.paused) {
				this.controller.resume();
			}
			return Promise.resolve({ done: false, value });
		}
		if (this.error) {
			return Promise.reject(this.error);
		}
		if (this.done) {
			return Promise.resolve({ done: true, value: undefined });
		}
		return new Promise((resolve, reject) => {
			this.waiting = { resolve, reject };
		});
	}

	return(): Promise<IteratorResult<Uint8Array>> {
		if (!this.done) {
			this.end();
			this.chunks.length = 0;
			this.controller?.abort(new ClientError('aborted', 'the reply was not read to its end'));
		}
		return Promise.resolve({ done: true, value: undefined });
	}
}
