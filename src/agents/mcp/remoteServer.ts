// An MCP server at an address, by streamable HTTP. It is spoken to here, in the process that has the gate: neither the
// agent nor its sandbox learns the address, a header or a token.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { GuardRefusal, readGuarded } from '../../base/guardedRequest.ts';
import { parseJson } from '../../base/json.ts';
import { oneLine } from '../../base/plainText.ts';
import { SseDecoder, type SseEvent } from '../../client/core/sse.ts';
import type { RemoteServer } from '../../contract/mcpServers.ts';
import { objectsIn } from '../lines.ts';
import { failure, type Id, INTERNAL_ERROR, idOf, MAXIMUM_LINE, type Message, PROTOCOL_VERSION, write } from './gate.ts';
import { BEGIN_MS, type ServerConnection } from './mcpServers.ts';
import { RemoteRequests, sentenceOf } from './remoteRequest.ts';
import { DISCOVER, type HeaderArgument, handshakeResult, headerArgumentsOf, headersOfRequest } from './stateless.ts';

/** The tokens for one server. */
export interface ServerAuthorization {
	/** Resolves with a token, or with undefined if none is known. Rejects as `renew` does. */
	token(signal: AbortSignal): Promise<string | undefined>;
	/**
	 * Gets a token in place of one that the server has refused with a challenge. Rejects with the signal's reason, or with
	 * a UserFacingError.
	 */
	renew(refused: string | undefined, challenge: string, signal: AbortSignal): Promise<void>;
}

export interface RemoteServerOptions {
	/** The headers of the declaration, with their values. */
	headers: Readonly<Record<string, string>>;
	/** Unused if one of the headers is the authorization. */
	authorization: ServerAuthorization;
	/** The time in milliseconds for the answer to the first message; that of every server by default. */
	beginMs?: number;
	/** Called when the server could not be begun with. The error's message is a sentence. */
	onFailed(error: unknown): void;
}

/** The bytes of one stream of events, of which a message is the smallest part. */
const MAXIMUM_STREAM = 64 * 1024 * 1024;
const MAXIMUM_REDIRECTS = 3;
/** The number of times that one message is sent again with another token or in another session. */
const MAXIMUM_TRIES = 3;
const END_MS = 2_000;
const MAXIMUM_WORDS = 200;

/** Returns a connection to a server, which is reached with the agent's first message. */
export function connectRemote(server: RemoteServer, options: RemoteServerOptions): ServerConnection {
	const [gate, own] = duplexPair();
	const connection = new RemoteConnection(server, options, own);
	void connection.run();
	return {
		input: gate,
		output: gate,
		async end() {
			await connection.end();
			gate.destroy();
			own.destroy();
		},
	};
}

/**
 * Begins with a server and ends at once, so that a sign-in which it wants takes place now. Whether it answers is not
 * told. Rejects as the sign-in does, or with the signal's reason.
 */
export async function signInAhead(
	server: RemoteServer,
	{ headers, authorization }: Pick<RemoteServerOptions, 'headers' | 'authorization'>,
	signal: AbortSignal,
): Promise<void> {
	const refused = Promise.withResolvers<never>();
	const connection = connectRemote(server, {
		headers,
		authorization: {
			token: own => authorization.token(own),
			async renew(...challenge) {
				await authorization.renew(...challenge).catch(error => {
					refused.reject(error);
					throw error;
				});
			},
		},
		onFailed: () => {},
	});
	try {
		const params = {
			protocolVersion: PROTOCOL_VERSION,
			capabilities: {},
			clientInfo: { name: 'errand', version: '1' },
		};
		const answered = once(connection.output, 'data', { signal });
		await write(connection, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
		await Promise.race([answered, refused.promise]);
	} finally {
		await connection.end();
	}
}

class RemoteConnection {
	private readonly url: URL;
	private readonly options: RemoteServerOptions;
	private readonly own: Duplex;
	private readonly requests: RemoteRequests;
	private readonly headers: Record<string, string>;
	private readonly authorization: ServerAuthorization | undefined;
	private readonly ending = new AbortController();
	/** The agent's requests that the server has not answered. */
	private readonly open = new Map<Id, AbortController>();
	private initialize: Message | undefined;
	/** The server's error, if it has refused the handshake. */
	private refusal: Message | undefined;
	/** The server speaks only the version of the protocol that has no handshake and no sessions. */
	private isStateless = false;
	private headerArguments: ReadonlyMap<unknown, HeaderArgument[]> = new Map();
	private session: string | undefined;
	private version: string | undefined;
	private renewal: Promise<void> | undefined;

	constructor(server: RemoteServer, options: RemoteServerOptions, own: Duplex) {
		this.url = new URL(server.url);
		this.options = options;
		this.own = own;
		this.requests = new RemoteRequests(server);
		this.headers = Object.fromEntries(
			Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]),
		);
		this.authorization = Object.hasOwn(this.headers, 'authorization') ? undefined : options.authorization;
	}

	/** Sends what the gate writes. Never rejects. */
	async run(): Promise<void> {
		// The gate has limited the messages, whose text it may have made longer.
		for await (const message of objectsIn(this.own)) {
			const id = idOf(message);
			if (id !== undefined && typeof message['method'] === 'string') {
				void this.request(id, message);
			} else {
				await this.tell(message);
			}
		}
	}

	/** Never rejects. */
	async end(): Promise<void> {
		this.ending.abort();
		if (this.session !== undefined) {
			try {
				const signal = AbortSignal.timeout(END_MS);
				const headers = await this.headersNow(signal);
				(await this.requests.open(this.url, { method: 'DELETE', headers, maximumRedirects: 0, signal })).destroy();
			} catch {
				// A server ends forgotten sessions by itself.
			}
		}
	}

	/** Passes a request of the agent on, and its answer back. */
	private async request(id: Id, message: Message): Promise<void> {
		const withdrawn = new AbortController();
		const signal = AbortSignal.any([withdrawn.signal, this.ending.signal]);
		this.open.set(id, withdrawn);
		const { method } = message;
		const isFirst = method === 'initialize' || method === DISCOVER;
		try {
			if (method === 'initialize') {
				[this.initialize, this.session, this.version, this.isStateless] = [message, undefined, undefined, false];
			}
			const response = await this.post(message, signal);
			for await (const answer of messagesOf(response, id)) {
				if (method === 'initialize') {
					this.begin(answer, response);
					// After any other refusal, the gate asks whether the server can do without a handshake.
					if (this.refusal?.['code'] === INTERNAL_ERROR) {
						this.reportRefusal();
					}
				} else if (method === DISCOVER) {
					this.isStateless = handshakeResult(answer, message) !== undefined;
					if (!this.isStateless) {
						this.reportRefusal();
					}
				} else if (method === 'tools/list' && this.isStateless) {
					this.headerArguments = new Map([...this.headerArguments, ...headerArgumentsOf(answer['result'])]);
				}
				await write({ input: this.own }, answer);
			}
		} catch (error) {
			if (!signal.aborted) {
				const sentence = error instanceof UserFacingError ? error.message : sentenceOf(error, this.url);
				await write({ input: this.own }, failure(id, INTERNAL_ERROR, `The MCP server was not used: ${sentence}`));
				if (isFirst) {
					this.options.onFailed(new UserFacingError(sentence, { cause: error }));
				}
			}
		} finally {
			this.open.delete(id);
		}
	}

	/** Passes on a message that gets no answer. */
	private async tell(message: Message): Promise<void> {
		try {
			// A server without sessions takes a request back once its stream has ended, and needs no other word.
			if (!this.isStateless) {
				(await this.post(message, this.ending.signal)).destroy();
			}
		} catch {
			// Nobody waits for an answer to it. The next request shows what is wrong.
		}
		const { method, params } = message;
		if (method === 'notifications/cancelled' && isFields(params)) {
			this.open.get(params['requestId'] as Id)?.abort();
		}
	}

	/** Resolves with the head of a reply to a message, of which only a success is returned. */
	private async post(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
		for (let tries = 1; ; tries++) {
			const { session } = this;
			const { beginMs = BEGIN_MS } = this.options;
			const headers = await this.headersNow(signal);
			const isFirst = message === this.initialize || message['method'] === DISCOVER;
			const response = await this.requests.open(this.url, {
				method: 'POST',
				headers: {
					...headers,
					...headersOfRequest(message, this.headerArguments),
					...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
				},
				body: JSON.stringify(message),
				maximumRedirects: MAXIMUM_REDIRECTS,
				// The time of a sign-in does not count.
				signal: isFirst ? AbortSignal.any([signal, AbortSignal.timeout(beginMs)]) : signal,
			});
			const { statusCode: status = 0 } = response;
			if (status >= 200 && status < 300) {
				return response;
			}
			const challenge = response.headers['www-authenticate'] ?? '';
			const isRefused = status === 401 || (status === 403 && /\binsufficient_scope\b/.test(challenge));
			const isSessionOver = status === 404 && session !== undefined && message !== this.initialize;
			if (tries < MAXIMUM_TRIES && isRefused && this.authorization !== undefined) {
				response.destroy();
				await this.authorization.renew(headers['authorization']?.replace(/^Bearer /, ''), challenge, signal);
			} else if (tries < MAXIMUM_TRIES && isSessionOver) {
				response.destroy();
				await this.renew(session);
			} else if (isJson(response) && idOf(message) !== undefined && status !== 401 && status !== 403) {
				// Such an answer may say in the protocol's own words what is wrong.
				return response;
			} else {
				response.destroy();
				throw new UserFacingError(refusalOf(status, this.url));
			}
		}
	}

	/** Begins another session in place of one that the server has ended. The agent need not know. */
	private async renew(ended: string): Promise<void> {
		const { initialize } = this;
		if (initialize === undefined || (this.renewal === undefined && this.session !== ended)) {
			return;
		}
		this.renewal ??= (async () => {
			[this.session, this.version] = [undefined, undefined];
			const response = await this.post(initialize, this.ending.signal);
			for await (const answer of messagesOf(response, idOf(initialize))) {
				this.begin(answer, response);
				this.reportRefusal();
			}
			await this.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
		})().finally(() => {
			this.renewal = undefined;
		});
		await this.renewal;
	}

	/** Remembers what an answer to the first request settles. */
	private begin({ result, error }: Message, { headers }: IncomingMessage): void {
		this.refusal = isFields(error) ? error : undefined;
		const version = isFields(result) ? result['protocolVersion'] : undefined;
		if (typeof version === 'string' && /^[\w.-]{1,40}$/.test(version)) {
			this.version = version;
			const session = String(headers['mcp-session-id'] ?? '');
			this.session = /^[\x21-\x7e]{1,1000}$/.test(session) ? session : undefined;
		}
	}

	/** Tells of a server that does not take the handshake. */
	private reportRefusal(): void {
		if (this.refusal !== undefined) {
			const { message } = this.refusal as { message?: unknown };
			const words = oneLine(typeof message === 'string' ? message : '', MAXIMUM_WORDS);
			this.options.onFailed(new UserFacingError(`it refuses to begin: “${words}”`));
		}
	}

	private async headersNow(signal: AbortSignal): Promise<Record<string, string>> {
		const { session, version } = this;
		const token = await this.authorization?.token(signal);
		return {
			...this.headers,
			...(session === undefined ? {} : { 'mcp-session-id': session }),
			...(version === undefined ? {} : { 'mcp-protocol-version': version }),
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		};
	}
}

const isJson = ({ headers }: IncomingMessage): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '');

/** Yields the messages of a reply, up to the answer to `id`. Rejects if there is none. */
async function* messagesOf(response: IncomingMessage, id: Id | undefined): AsyncGenerator<Message> {
	try {
		for await (const value of isJson(response) ? readWhole(response) : readEvents(response)) {
			if (isFields(value)) {
				// A server that cannot read a request may refuse it without its id.
				const isRefusal = response.statusCode !== 200 && isFields(value['error']) && idOf(value) === undefined;
				yield isRefusal ? { ...value, id } : value;
				if (isRefusal || (idOf(value) === id && value['method'] === undefined)) {
					return;
				}
			}
		}
	} finally {
		response.destroy();
	}
	throw new UserFacingError(
		response.statusCode === 200
			? 'it ended its answer before the end. Try again.'
			: `it refused the request (HTTP ${response.statusCode}).`,
	);
}

async function* readWhole(response: IncomingMessage): AsyncGenerator<unknown> {
	yield parseJson(Buffer.from(await readGuarded(response, MAXIMUM_LINE)).toString('utf8'));
}

async function* readEvents(response: IncomingMessage): AsyncGenerator<unknown> {
	if (!/^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')) {
		throw new UserFacingError('it answers with something else than MCP. Check the address.');
	}
	const decoder = new SseDecoder(MAXIMUM_LINE);
	let size = 0;
	for await (const bytes of response as AsyncIterable<Uint8Array>) {
		size += bytes.byteLength;
		if (size > MAXIMUM_STREAM) {
			throw new GuardRefusal('too-large');
		}
		for (const { data } of eventsIn(decoder, bytes)) {
			yield parseJson(data);
		}
	}
}

function eventsIn(decoder: SseDecoder, bytes: Uint8Array): SseEvent[] {
	try {
		return decoder.decode(bytes);
	} catch {
		throw new GuardRefusal('too-large');
	}
}

function refusalOf(status: number, { host }: URL): string {
	switch (status) {
		case 401:
			return `${host} refuses the sign-in or the token. Check its headers and your account there.`;
		case 403:
			return `${host} does not allow this to your account.`;
		case 404:
		case 405:
			return `${host} has no MCP server at this address (HTTP ${status}). Check the address.`;
		default:
			return `${host} refused (HTTP ${status}). Try again later.`;
	}
}
