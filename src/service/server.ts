import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
// The response that stands for one already sent is created when this module loads. That must happen before
// `getRequestListener` replaces the global `Response`: a response of the replaced kind would be sent a second time.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import { sendJson } from '../agents/relay/callAnswer.ts';
import { describeError, UserFacingError } from '../base/errors.ts';
import { dropBody, pathOf, readJsonBody } from '../base/httpRequest.ts';
import type { Logger } from '../base/logger.ts';
import { CLIENT_GONE, type StreamTextOptions, streamText, type TextSource } from '../base/streamText.ts';
import { createGuard, type Guard, isOpen, type Refusal } from './guard.ts';
import type { IdleWatch } from './idleWatch.ts';
import { errorBody, parseOrRefuse, RequestRefused } from './replies.ts';

export type App = Hono<{ Bindings: HttpBindings }>;
export type AppContext = Context<{ Bindings: HttpBindings }>;

/** Limits for a client that sends its head or body slowly. Replies may take as long as they like. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 60_000;
/** The interval at which a server that closes looks for connections whose replies have ended. */
const IDLE_CHECK_MS = 50;
/** The interval at which Node looks for requests that have exceeded these limits. */
const CHECK_INTERVAL_MS = 2_000;

export interface ListenOptions {
	/** The name or the address of an interface, such as `127.0.0.1`. */
	host: string;
	/** 0 takes any free port. */
	port: number;
	/** The certificate and its key as PEM, with which the server speaks TLS. */
	tls?: { cert: string; key: string };
	headersTimeoutMs?: number;
}

export interface ServiceServerOptions extends Pick<ListenOptions, 'port' | 'headersTimeoutMs'> {
	token: string;
	app: App;
	/** Held while an authorised request is in progress. Undefined while the service starts; requests then get a 503. */
	idleWatch: () => IdleWatch | undefined;
}

export interface ServiceServer {
	/** `http://<host>:<port>`, or `https:` with TLS. */
	readonly address: string;
	/** Accepts no further connections, gives replies in progress `graceMs` to finish, then closes the remaining ones. */
	close(graceMs: number): Promise<void>;
}

/**
 * Creates the app without routes. Errors of handlers become sentences instead of stack traces; the rest is a 404.
 * `failure` is what the caller learns of an error that only the log says more about.
 */
export function createApp(
	logger: Logger,
	failure = 'The local service failed at this request; its log (service.log) says why.',
): App {
	const app: App = new Hono();
	app.notFound(context => {
		const body = errorBody(context.req.path, { status: 404, message: 'There is no such address on this service.' });
		return context.json(body, 404);
	});
	app.onError((error, context) => {
		if (error instanceof RequestRefused) {
			const body = errorBody(context.req.path, error);
			// The connection cannot be reused after a body that was not read to its end.
			const headers: Record<string, string> = error.status === 413 ? { connection: 'close' } : {};
			if (error.retryAfterMs !== undefined) {
				headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000));
			}
			return Response.json(body, { status: error.status, headers });
		}
		logger.log('error', 'a request failed', {
			method: context.req.method,
			path: context.req.routePath,
			reason: describeError(error),
		});
		return context.json(errorBody(context.req.path, { status: 500, message: failure }), 500);
	});
	return app;
}

/** Reads the body of a request as JSON, of at most `megabytes`. */
export async function readJson(context: AppContext, megabytes: number): Promise<unknown> {
	const body = await readJsonBody(context.env.incoming, megabytes);
	if ('problem' in body) {
		throw new RequestRefused(body.status, body.problem);
	}
	return body.value;
}

export async function readBody<T extends z.ZodType>(
	context: AppContext,
	schema: T,
	megabytes = 1,
): Promise<z.output<T>> {
	return parseOrRefuse(schema, await readJson(context, megabytes));
}

/** Converts a path of the routes table to Hono's form. */
export const pattern = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** Answers with a stream of text, as `streamText` writes it. */
export function streamReply(produce: (signal: AbortSignal) => TextSource, options: StreamTextOptions): Response {
	streamText(produce, options);
	// A body made of Web streams would cost about as much for each piece as the rest of its processing.
	return RESPONSE_ALREADY_SENT;
}

/**
 * Calls `answer` with a signal that aborts when the client disconnects, so that work for it ends. Errors that `answer`
 * throws after that are dropped, as nobody can receive them.
 */
export async function untilClientGoes(
	context: AppContext,
	answer: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
	const { outgoing } = context.env;
	const gone = new AbortController();
	if (outgoing.destroyed) {
		// It has gone while the check of the request waited, and nothing will tell of that any more.
		gone.abort(CLIENT_GONE);
	}
	outgoing.once('close', () => gone.abort(CLIENT_GONE));
	try {
		return await answer(gone.signal);
	} catch (error) {
		if (gone.signal.aborted) {
			return new Response(null);
		}
		throw error;
	}
}

/** Answers a request that no route sees, and closes its connection. */
export async function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): Promise<void> {
	await dropBody(request);
	const headers = { 'cache-control': 'no-store', connection: 'close' };
	sendJson(response, refusal.status, errorBody(pathOf(request), refusal), headers);
}

/** Listens on 127.0.0.1. The guard sees requests before the routes. Throws a UserFacingError if the port is taken. */
export async function startServer({ app, token, idleWatch, ...place }: ServiceServerOptions): Promise<ServiceServer> {
	const answer = getRequestListener(app.fetch);
	const starting: Guard = () => ({ status: 503, message: 'The local service is starting.' });
	// The guard checks the port too, so nothing is answered before it is known.
	let guard = starting;
	const server = await listen({ host: '127.0.0.1', ...place }, (request, response) => {
		const watch = idleWatch();
		const refusal = (watch === undefined ? starting : guard)(request);
		if (refusal !== undefined) {
			void refuse(request, response, refusal);
			return;
		}
		// A request without a token must not keep the service alive.
		if (!isOpen(request)) {
			const hold = watch?.hold();
			response.once('close', () => hold?.dispose());
		}
		void answer(request, response);
	});
	guard = createGuard(token, Number(new URL(server.address).port));
	return server;
}

/** Listens where the options say. Throws a UserFacingError if it cannot. */
export async function listen(
	{ host, port, tls, headersTimeoutMs = HEADERS_TIMEOUT_MS }: ListenOptions,
	answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<ServiceServer> {
	const limits = {
		headersTimeout: headersTimeoutMs,
		requestTimeout: REQUEST_TIMEOUT_MS,
		keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
		connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
	};
	const server = tls === undefined ? createServer(limits, answer) : createTlsServer({ ...limits, ...tls }, answer);
	await listening(server, host, port);
	const { port: taken } = server.address() as AddressInfo;
	return {
		address: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${taken}`,
		close: graceMs => closeServer(server, graceMs),
	};
}

function listening(server: Server, host: string, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const onError = (error: NodeJS.ErrnoException) => {
			reject(
				error.code === 'EADDRINUSE'
					? new UserFacingError(`Port ${port} is taken by another program. Choose another one, or 0 for any free one.`)
					: error,
			);
		};
		server.once('error', onError);
		server.listen({ host, port }, () => {
			server.off('error', onError);
			resolve();
		});
	});
}

function closeServer(server: Server, graceMs: number): Promise<void> {
	return new Promise(resolve => {
		const timer = setTimeout(() => server.closeAllConnections(), graceMs);
		// Node closes the connections that are idle now, and leaves open those that become so at the end of their reply.
		const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
		server.close(() => {
			clearTimeout(timer);
			clearInterval(idle);
			resolve();
		});
	});
}
