import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import process from 'node:process';
import { systemAddresses } from '../../base/guardedRequest.ts';
import { dropBody, pathOf } from '../../base/httpRequest.ts';
import { oneLine } from '../../base/plainText.ts';
import { socketPlaceFor } from '../../base/socketPlace.ts';
import { bearerToken, createTokenMatch } from '../../base/tokenCheck.ts';
import { sendError } from './callAnswer.ts';
import { Refusals } from './refusals.ts';
import { carry, connectOutward, type OutwardOptions, TunnelRefused, targetOf } from './tunnel.ts';
import { answerWebCall, type WebAccess, type WebCall } from './webAccess.ts';

/** The paths that an agent may call, with their methods. The same paths without `/v1` are equivalent. */
const CALLS: ReadonlyMap<string, string> = new Map([
	['/v1/chat/completions', 'POST'],
	['/v1/responses', 'POST'],
	['/v1/messages', 'POST'],
	['/v1/messages/count_tokens', 'POST'],
	['/v1/models', 'GET'],
]);

/** The time limits for a client that sends its head or body, or reads its reply. The reply itself may take long. */
const LIMITS = {
	headMs: 10_000,
	bodyMs: 60_000,
	/** The longest time in which a client reads none of the bytes waiting for it. */
	unreadMs: 120_000,
	/** The maximum number of simultaneous calls and tunnels. */
	connections: 64,
};
const KEEP_ALIVE_MS = 60_000;
const CHECK_INTERVAL_MS = 2_000;
const MAXIMUM_HEAD_BYTES = 32 * 1024;
const MAXIMUM_HEADERS = 100;
const MAXIMUM_NAME = 100;

const WEB_PATH = /^\/v1\/web\/(fetch|search)$/;

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const MCP_TARGET = /^([\w.-]{1,100})\.mcp:1$/;

export interface RelayOptions {
	/**
	 * A socket at this absolute path, or a free port of 127.0.0.1. Anybody who can reach the socket may connect to it, so
	 * its folder must be closed to others.
	 */
	listen: { socket: string } | 'loopback';
	/** Receives the calls that carry the token. Their paths begin with `/v1` and have no query. */
	handle(request: IncomingMessage, response: ServerResponse): void;
	/**
	 * Returns whether a tunnel may lead to a host, given as in `URL.hostname`. If a name leads to this machine or its
	 * network, it is called again with the address as the host and with the name.
	 */
	allowsHost(host: string, port: number, name?: string): boolean;
	/** The answers to the agent's calls for the web, to `/v1/web/fetch` and `/v1/web/search`. */
	web?: WebAccess | undefined;
	/** The agent's MCP servers. A tunnel to `<name>.mcp:1` leads to one. */
	mcpServers?:
		| {
				/** Returns a function that connects a socket to a server, or undefined if refused, as for a wrong token. */
				connection(name: string, token: string | undefined): ((socket: Socket) => void) | undefined;
		  }
		| undefined;
	/** Receives sentences for the log, a limited number of times. */
	onRefused(sentence: string): void;
	/** The default is the system's resolver. */
	resolve?: OutwardOptions['resolve'];
	/** The environment that may name a proxy. The default is that of this process. */
	environment?: Readonly<Record<string, string | undefined>>;
	limits?: Partial<typeof LIMITS>;
}

/** Connects one agent to its model, and its package managers to the allowed hosts. */
export interface Relay {
	/** Agents send it as a bearer token or as `x-api-key`, package managers as the password of their proxy. */
	readonly token: string;
	/** `http://127.0.0.1:<port>`, or undefined for a socket. */
	readonly url: string | undefined;
	/** The absolute path of the socket. It differs from the requested one if that was too long. */
	readonly socket: string | undefined;
	/** Ends all calls and tunnels and accepts no new ones. Resolves when none is left. */
	close(): Promise<void>;
}

/** Answers every model call with a sentence that says why there is no model. */
export function withoutModel(message: string): RelayOptions['handle'] {
	return (request, response) => {
		sendError(request, response, { status: 503, code: 'unavailable', message });
	};
}

/** Returns the address of a relay as the variables of programs name a proxy. */
export function proxyAddress(url: string, token: string): string {
	return url.replace('://', `://errand:${token}@`);
}

/** The variables by which programs reach allowed hosts. Node itself reads them only if it is told to. */
export function proxyVariables(url: string, token: string): Record<string, string> {
	const proxy = proxyAddress(url, token);
	return { HTTPS_PROXY: proxy, https_proxy: proxy, NODE_USE_ENV_PROXY: '1' };
}

/** Returns whether a tunnel may lead to a place, given as in `RelayOptions`: to one of `hosts`, as `host` or `host:port`. */
export function allowsOnly(hosts: readonly string[]): (host: string, port: number) => boolean {
	const allowed = new Set(hosts.map(host => (/:\d+$/.test(host) ? host : `${host}:443`)));
	return (host, port) => allowed.has(`${host}:${port}`);
}

/** Opens a relay with a token of its own. Rejects with the system's error if it cannot listen. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
	const token = randomBytes(32).toString('base64url');
	const limits = { ...LIMITS, ...options.limits };
	const connections = new Set<Socket>();
	const gate = new Gate(options, token);
	const server = createServer(
		{
			headersTimeout: limits.headMs,
			requestTimeout: limits.bodyMs,
			keepAliveTimeout: KEEP_ALIVE_MS,
			connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headMs),
			maxHeaderSize: MAXIMUM_HEAD_BYTES,
		},
		(request, response) => gate.onRequest(request, response),
	);
	server.maxHeadersCount = MAXIMUM_HEADERS;
	server.maxConnections = limits.connections;
	server.on('connection', socket => {
		connections.add(socket);
		socket.once('close', () => connections.delete(socket));
	});
	server.on('drop', () => gate.onTooMany(limits.connections));
	server.on('connect', (request, socket: Socket, ahead) => void gate.onConnect(request, socket, ahead));
	// A silent connection may wait for a slow model. Only one that does not read its bytes is closed.
	server.timeout = limits.unreadMs;
	server.on('timeout', socket => {
		if (socket.writableLength > 0) {
			socket.destroy();
		}
	});

	// The sandbox of macOS uses the machine's own network, of which it allows only the relay's port.
	const { listen: at } = options;
	const { place, folder } = at === 'loopback' || process.platform === 'darwin' ? {} : await socketPlaceFor(at.socket);
	server.listen(place === undefined ? { host: '127.0.0.1', port: 0 } : { path: place });
	await once(server, 'listening');
	if (place !== undefined && process.platform !== 'win32') {
		// In a sandbox, the agent is another user. The token grants it access.
		chmodSync(place, 0o666);
	}
	const address = server.address() as AddressInfo | string;
	return {
		token,
		url: typeof address === 'string' ? undefined : `http://127.0.0.1:${address.port}`,
		socket: place,
		async close() {
			gate.close();
			const closed = new Promise<void>(resolve => server.close(() => resolve()));
			for (const socket of connections) {
				socket.destroy();
			}
			await closed;
			for (const left of [folder, place]) {
				if (left !== undefined) {
					rmSync(left, { recursive: true, force: true });
				}
			}
		},
	};
}

class Gate {
	private readonly options: RelayOptions;
	private readonly isToken: (sent: string) => boolean;
	private readonly refusals: Refusals;
	private readonly closing = new AbortController();

	constructor(options: RelayOptions, token: string) {
		this.options = options;
		this.isToken = createTokenMatch(token);
		this.refusals = new Refusals(options.onRefused);
	}

	close(): void {
		this.closing.abort();
	}

	onTooMany(maximum: number): void {
		this.refusals.report('connections', `A connection was refused: the agent had ${maximum} open ones.`);
	}

	onRequest(request: IncomingMessage, response: ServerResponse): void {
		if (this.closing.signal.aborted) {
			request.destroy();
			return;
		}
		const { method, headers } = request;
		const target = pathOf(request);
		if (!target.startsWith('/')) {
			this.refusePlainProxying(request, response);
			return;
		}
		if (!this.isAuthorised(bearerToken(headers.authorization) ?? singleOf(headers['x-api-key']))) {
			this.refusals.report('token', 'A call was refused: it did not carry the token of this run.');
			const message =
				'Valid credentials are needed: send the key that was configured as Authorization: Bearer or as x-api-key.';
			refuse(request, response, 401, 'unauthorized', message);
			return;
		}
		const path = target.startsWith('/v1/') ? target : `/v1${target}`;
		const webCall = this.options.web?.[WEB_PATH.exec(path)?.[1] as WebCall];
		if (webCall !== undefined && method === 'POST') {
			void answerWebCall(request, response, webCall);
			return;
		}
		if (CALLS.get(path) !== method) {
			const call = oneLine(`${method} ${target}`, MAXIMUM_NAME);
			this.refusals.report('path', `The call ${call} was refused: the relay serves models and nothing else.`);
			const known = [...CALLS].map(([name, verb]) => `${verb} ${name}`).join(', ');
			refuse(request, response, 404, 'not_found', `There is no such address here. There is ${known}.`);
			return;
		}
		request.url = path;
		this.options.handle(request, response);
	}

	async onConnect(request: IncomingMessage, client: Socket, ahead: Buffer): Promise<void> {
		client.on('error', () => {});
		const { resolve = systemAddresses, environment = process.env, allowsHost } = this.options;
		const token = proxyTokenOf(request.headers['proxy-authorization']);
		const server = MCP_TARGET.exec(request.url ?? '')?.[1];
		if (server !== undefined) {
			const connect = this.options.mcpServers?.connection(server, token);
			if (connect === undefined) {
				this.refusals.report('mcp', `The connection to the MCP server “${server}” was refused.`);
				answer(client, '403 Forbidden');
				return;
			}
			client.write(ESTABLISHED);
			client.unshift(ahead);
			connect(client);
			return;
		}
		if (!this.isAuthorised(token)) {
			// Some programs send credentials only when they are asked for them.
			const isAsked = request.headers['proxy-authorization'] === undefined;
			if (!isAsked) {
				this.refusals.report('token', 'A connection was refused: it did not carry the token of this run.');
			}
			answer(client, '407 Proxy Authentication Required', 'Proxy-Authenticate: Basic realm="errand"\r\n');
			return;
		}
		const target = targetOf(request.url ?? '');
		if (target === undefined) {
			const name = oneLine(request.url ?? '', MAXIMUM_NAME);
			this.refusals.report('host', `The connection to ${name} was refused: it is not a host and a port.`);
			answer(client, '400 Bad Request');
			return;
		}
		const gone = new AbortController();
		client.once('close', () => gone.abort());
		const signal = AbortSignal.any([gone.signal, this.closing.signal]);
		try {
			const outward = await connectOutward(target, { allowsHost, resolve, environment, signal });
			if (client.destroyed) {
				outward.destroy();
				return;
			}
			client.write(ESTABLISHED);
			outward.write(ahead);
			carry(client, outward);
		} catch (error) {
			if (error instanceof TunnelRefused) {
				this.refusals.report(error.isForbidden ? 'host' : 'unreachable', oneLine(error.message));
				answer(client, error.isForbidden ? '403 Forbidden' : '502 Bad Gateway');
			} else {
				client.destroy();
			}
		}
	}

	/** A package manager that is configured for plain HTTP sends a whole address instead of requesting a tunnel. */
	private refusePlainProxying(request: IncomingMessage, response: ServerResponse): void {
		const host = oneLine(URL.parse(request.url ?? '')?.host || 'a host', MAXIMUM_NAME);
		this.refusals.report('plain', `A request to ${host} was refused: only encrypted connections lead out.`);
		refuse(request, response, 403, 'forbidden', 'Only encrypted connections (https) lead out of here.');
	}

	private isAuthorised(sent: string | undefined): boolean {
		return sent !== undefined && this.isToken(sent);
	}
}

const singleOf = (value: string | string[] | undefined): string | undefined =>
	typeof value === 'string' ? value : undefined;

/** Returns the password of Basic credentials, or a bearer token. */
function proxyTokenOf(value: string | undefined): string | undefined {
	const [, basic] = /^Basic ([\w+/=-]+)$/i.exec(value ?? '') ?? [];
	return basic === undefined
		? bearerToken(value)
		: Buffer.from(basic, 'base64')
				.toString('utf8')
				.replace(/^[^:]*:/, '');
}

function refuse(
	request: IncomingMessage,
	response: ServerResponse,
	status: number,
	code: string,
	message: string,
): void {
	void dropBody(request).then(() => sendError(request, response, { status, code, message }, { connection: 'close' }));
}

function answer(client: Socket, status: string, fields = ''): void {
	client.end(`HTTP/1.1 ${status}\r\n${fields}Content-Length: 0\r\nConnection: close\r\n\r\n`);
	// A client that does not close its side must not hold the connection.
	client.resume();
	client.setTimeout(KEEP_ALIVE_MS, () => client.destroy());
}
