// Sends a request: checks its fields against the contract's ranges, asks for the key, and exchanges it by a transport.
// In the extension host the transport is the editor's own `fetch`, which knows the user's proxy and certificates;
// elsewhere it is undici. For the local connection, a wrapper replaces the fixed address with the service's present one
// and adds its token, so that a repeated request survives a restart of the service. An error says whether anything has
// left the machine.
import type { Clock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError, type ClientErrorCode } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { Connection } from '../../contract/connection.ts';
import { isPage, readErrorBody } from '../../contract/errorBody.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { fillPath, type KeyKind, type Route, type RouteHost } from '../../contract/routes.ts';
import { Exchange, orAborted } from './exchange.ts';
import { codeOfReply, RETRYABLE } from './failures.ts';
import type { Limits } from './limits.ts';
import { type RetryRule, readRetryAfter, withRetries } from './retry.ts';
import type { Transport, TransportRequest } from './transport.ts';

export interface CallerOptions {
	connection: Connection;
	/** Called for each request; the key is never kept. */
	keys: (kind: KeyKind) => Promise<string | undefined>;
	transport: Transport;
	logger: Logger;
	clock: Clock;
	/** From 0 to below 1; spreads the delays between attempts. */
	random: () => number;
	limits: Limits;
}

export interface Call {
	route: Route;
	/** The values for the braces in the route's path. */
	values?: Record<string, string>;
	query?: Record<string, string | number | boolean | undefined>;
	/** Sent as JSON. */
	body?: unknown;
	/** The meaning of a status on this route, if it is not the usual one. It may depend on the service's message. */
	codes?: Readonly<Record<number, ClientErrorCode | ((said: string) => ClientErrorCode)>>;
	/** Set if a redirect would hide who answers. */
	redirects?: 'refuse';
	/** The limit for a reply's JSON in bytes, if it differs from the general one. */
	jsonBytes?: number;
	/** True if a success status is enough, so that the body may be empty. The JSON is then undefined. */
	mayBeEmpty?: boolean;
	/** The longest wait for the head of the reply; that of a whole reply by default. */
	firstByteMs?: number;
	/** The limit for silence, if it differs from the general one. */
	idleMs?: number;
	retry: RetryRule;
	signal?: AbortSignal | undefined;
}

/** The way every area of the client reaches the service: address, key, limits, attempts and errors. */
export interface Caller extends Pick<CallerOptions, 'connection' | 'clock' | 'random' | 'limits'> {
	/**
	 * Resolves with the value that `read` returns for the JSON of a successful reply, or without `read` with the JSON
	 * itself. An error that `read` throws is reported like any other failure of the call.
	 */
	json<T = unknown>(call: Call, read?: (value: unknown) => T): Promise<T>;
	/** Resolves with a successful reply whose body is unread. The caller must close it. */
	stream(call: Call): Promise<Exchange>;
	/** Returns a caller for the `inference` host of an origin outside the connection. It has no key to send. */
	elsewhere(origin: string): Caller;
}

/** The longest wait for the body of an error. */
const ERROR_BODY_MS = 5000;

/** The limit for the characters of a content type in a report. */
const MAXIMUM_TYPE = 60;

/** Enough for most bodies. */
const FIRST_BODY_BYTES = 16 * 1024;

export function createCaller(options: CallerOptions): Caller {
	const { connection, clock, random, limits, logger } = options;

	const run = <T>(call: Call, accept: string, use: (exchange: Exchange) => Promise<T>): Promise<T> => {
		const { route, retry: rule, signal } = call;
		const { retryAfterMs: maximumWaitMs, tries } = limits;
		const fields = { method: route.method, path: route.path };
		let wasSent = false;
		return withRetries(
			{
				...{ rule, clock, random, tries, maximumWaitMs, signal },
				onRetry: ({ code }, attempt, delayMs) =>
					logger.log('info', 'a request is tried again', { ...fields, code, attempt, delayMs }),
			},
			async attempt => {
				const started = clock.now();
				try {
					const request = await prepare(options, call, accept).catch(notSent);
					const exchange = await open(options, call, request);
					try {
						logger.log('debug', 'answered', { ...fields, status: exchange.status, durationMs: clock.now() - started });
						return await use(exchange);
					} catch (error) {
						exchange.close();
						throw exchange.told(error);
					}
				} catch (error) {
					if (!ClientError.is(error)) {
						throw error;
					}
					const { code, status } = error;
					const durationMs = clock.now() - started;
					logger.log('debug', 'failed', { ...fields, code, attempt, durationMs, ...defined({ status }) });
					// An earlier attempt may have left this machine, whatever held this one back.
					wasSent ||= error.wasSent;
					throw error.withSent(wasSent);
				}
			},
		);
	};

	return {
		connection,
		clock,
		random,
		limits,
		json: <T>(call: Call, read = (value: unknown) => value as T) =>
			run(call, 'application/json', async exchange =>
				read(await readJson(exchange, call.jsonBytes ?? limits.jsonBytes, call.mayBeEmpty)),
			),
		stream: call => run(call, 'text/event-stream', exchange => Promise.resolve(exchange)),
		elsewhere: origin =>
			createCaller({
				...options,
				connection: { ...connection, apiUrl: origin, plan: 'public' },
				keys: () => Promise.resolve(undefined),
			}),
	};
}

function notSent(error: unknown): never {
	throw ClientError.is(error) ? error.withSent(false) : error;
}

async function open(options: CallerOptions, call: Call, request: Omit<TransportRequest, 'signal'>): Promise<Exchange> {
	const { connection, transport, clock, limits } = options;
	const isLocal = connection.name === LOCAL_CONNECTION_NAME;
	const { firstByteMs = limits.replyFirstByteMs, idleMs = limits.idleMs, signal } = call;
	const exchange = await Exchange.open({ transport, clock, signal, firstByteMs, idleMs, isLocal }, request);
	if (exchange.status >= 200 && exchange.status <= 299) {
		return exchange;
	}
	const failure = await statusFailure(exchange, call, options);
	exchange.close();
	throw exchange.told(failure);
}

async function statusFailure(exchange: Exchange, call: Call, { clock, limits }: CallerOptions): Promise<ClientError> {
	const { status } = exchange;
	const { route } = call;
	const retryAfterMs = readRetryAfter(exchange.header('retry-after'), clock.now());
	let text = '';
	const cancel = exchange.closeAfter(ERROR_BODY_MS);
	try {
		text = new TextDecoder().decode(await readUpTo(exchange, limits.errorBodyBytes));
	} catch (error) {
		if (call.signal?.aborted) {
			throw error;
		}
		// The status alone says enough.
	} finally {
		cancel();
	}
	const body = readErrorBody(text);
	const own = call.codes?.[status];
	const code = (typeof own === 'function' ? own(body.message ?? '') : own) ?? codeOfReply(status, body);
	return new ClientError(code, `${route.method} ${route.path} answered with HTTP ${status}`, {
		status,
		retryable: RETRYABLE.has(code),
		isPage: isPage(text),
		serviceCode: body.code,
		...defined({ retryAfterMs, serviceMessage: body.message, upstreams: body.upstreams }),
	});
}

function serialise(body: unknown): string | undefined {
	try {
		return body === undefined ? undefined : JSON.stringify(body);
	} catch (error) {
		throw new ClientError('invalid-request', 'the request holds what JSON cannot', { cause: error });
	}
}

/** Throws before anything is sent: `not-supported` without a host, `no-key`, `invalid-request`, `too-large`. */
async function prepare(
	{ connection, keys, limits }: CallerOptions,
	{ route, values, query, body, redirects, signal }: Call,
	accept: string,
): Promise<Omit<TransportRequest, 'signal'>> {
	const base = hostOf(connection, route);
	let path: string;
	try {
		path = fillPath(route.path, values);
	} catch (error) {
		throw new ClientError('invalid-request', 'the id cannot stand in an address', { cause: error });
	}
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) {
		if (value !== undefined) {
			search.set(name, String(value));
		}
	}
	const text = serialise(body);
	if (text !== undefined && text.length > limits.jsonBytes) {
		throw new ClientError('too-large', `the request has more than ${limits.jsonBytes} characters`);
	}
	// The key comes last, so that it is not requested in vain (the store may have to be unlocked).
	const key = route.key && checkKey(await readKey(keys, route.key, signal), route.key, connection.name);
	return {
		method: route.method,
		url: base + path + (search.size > 0 ? `?${search}` : ''),
		headers: {
			...defined({ Authorization: key === undefined ? undefined : `Bearer ${key}` }),
			Accept: accept,
			...defined({ 'Content-Type': text === undefined ? undefined : 'application/json' }),
		},
		...defined({ body: text, redirects }),
		connectTimeoutMs: limits.connectMs,
	};
}

const HOST_FIELDS = {
	enterprise: 'enterpriseUrl',
	cloud: 'cloudUrl',
	agent: 'agentUrl',
	org: 'orgUrl',
	encrypt: 'encryptUrl',
} as const satisfies Record<Exclude<RouteHost, 'inference'>, keyof Connection>;

function hostOf(connection: Connection, { host }: Route): string {
	const { apiUrl, plan, name } = connection;
	if (host === 'inference' && plan === 'public') {
		return apiUrl;
	}
	const field = HOST_FIELDS[host === 'inference' ? 'enterprise' : host];
	const base = connection[field];
	if (base === undefined) {
		throw new ClientError('not-supported', `the connection "${name}" has no ${field}`);
	}
	return base;
}

async function readKey(
	keys: CallerOptions['keys'],
	kind: KeyKind,
	signal: AbortSignal | undefined,
): Promise<string | undefined> {
	try {
		return await orAborted(keys(kind), signal);
	} catch (error) {
		throw ClientError.is(error)
			? error
			: new ClientError('no-key', `the ${kind} key could not be read`, { cause: error });
	}
}

/** A header may contain visible ASCII only; the key itself is never part of the error. */
function checkKey(key: string | undefined, kind: KeyKind, connection: string): string {
	if (key === undefined || key === '') {
		throw new ClientError('no-key', `the connection "${connection}" has no ${kind} key`);
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		const message = `the ${kind} key of the connection "${connection}" has blanks or other characters that no key has; enter it again`;
		throw new ClientError('no-key', message);
	}
	return key;
}

/** Returns the JSON of the body. Throws `bad-response` if it is not JSON or larger than `maximum` bytes. */
async function readJson(exchange: Exchange, maximum: number, mayBeEmpty = false): Promise<unknown> {
	const bytes = await readBody(exchange, maximum);
	if (mayBeEmpty && bytes.length === 0) {
		return undefined;
	}
	const value = parseJson(new TextDecoder().decode(bytes));
	if (value === undefined) {
		throw notJson(exchange);
	}
	return value;
}

/** Returns the error for a body that is not JSON. */
export function notJson(exchange: Exchange): ClientError {
	const type = exchange.words(exchange.header('content-type')?.split(';')[0] ?? 'no type').slice(0, MAXIMUM_TYPE);
	return new ClientError('bad-response', `the reply is not JSON, or nested too deeply (${type})`, {
		status: exchange.status,
		isPage: /html/i.test(type),
	});
}

/** Returns the whole body, beginning with `beginning`. Throws `bad-response` if it is larger than `maximum` bytes. */
export async function readBody(exchange: Exchange, maximum: number, beginning?: Uint8Array): Promise<Uint8Array> {
	const bytes = await readUpTo(exchange, maximum + 1, beginning);
	if (bytes.length > maximum) {
		throw new ClientError('bad-response', `the reply has more than ${maximum} bytes`);
	}
	return bytes;
}

/** Returns the body up to `maximum` bytes, merged as it arrives: one-byte chunks cost a hundred times as much. */
async function readUpTo(exchange: Exchange, maximum: number, beginning?: Uint8Array): Promise<Uint8Array> {
	let bytes = new Uint8Array(Math.min(maximum, FIRST_BODY_BYTES));
	let length = 0;
	let chunk = beginning;
	while (length < maximum) {
		chunk ??= await exchange.read();
		if (!chunk) {
			break;
		}
		const end = Math.min(length + chunk.length, maximum);
		if (end > bytes.length) {
			const grown = new Uint8Array(Math.min(maximum, Math.max(end, bytes.length * 2)));
			grown.set(bytes.subarray(0, length));
			bytes = grown;
		}
		bytes.set(chunk.subarray(0, end - length), length);
		length = end;
		chunk = undefined;
	}
	return bytes.subarray(0, length);
}
