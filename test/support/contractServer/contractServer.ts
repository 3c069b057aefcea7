/**
 * Implements the service contract as a real server. It is built from the contract's documents alone and stricter than a
 * service would be: a request with anything that no document names is refused with 400 and a message that names the
 * field. Each host name is an origin of its own.
 *
 * The whole text of the last user message chooses the scenario:
 * - chat: `text` (also any other text), `tools` (calls the first two tools of the request), `tool-free` (no call, tools or
 *   not), `reasoning`, `none` (nullable fields are the text None), `null`, `error-midway` (data with `error`),
 *   `error-event` (an event named error), `cut` (no finish reason, no end mark), `no-done` (a finish reason, no end mark).
 *   A request whose last message is a tool result is answered with a text that quotes it. `openModel` in fixtures.ts says
 *   which provider serves.
 * - responses: `text`, `tools`, `none`, `null`, `error-midway`, `failed`, `incomplete`, `cut`. An input that ends with a
 *   function_call_output is answered with a text that quotes it.
 * - channel: `text`, `growing` (reply nonces that grow by one), `lines` (one JSON object each), `cut`, `error-midway`.
 *
 * The other endpoints choose by other values. If `state.scenario` of a decision is `none` or `null`, its usage is absent.
 * The ids of tasks are in `taskIds` in taskFixtures.ts. A new task whose `prompt` is `bare` is answered with a bare task.
 * Keys of other accounts (`specialKeys` in fixtures.ts) lead to 401 (deleted), 402, 403, 404 (no source link), 500, 502,
 * an empty and a long task list, and a bare list of agent tasks. Status 599 says that a rule or a tampering of the test
 * threw.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentTaskRoutes } from './agentTasks.ts';
import { Channel, type DecryptedMessage } from './channel.ts';
import type { Deviation } from './channelCryptography.ts';
import { chatRoutes } from './chat.ts';
import { decisionRoutes } from './decisions.ts';
import { type HostName, jsonReply, type ReceivedRequest, type Reply, type Route, type Tampering } from './exchange.ts';
import { keys } from './fixtures.ts';
import { modelListRoutes } from './modelList.ts';
import { responsesRoutes } from './responses.ts';
import { dispatch } from './routing.ts';
import { sourceRoutes } from './sources.ts';
import { TaskStore } from './taskStore.ts';
import { taskRoutes } from './tasks.ts';

export type { HostName, ReceivedRequest, Reply, SentEvent, Tampering } from './exchange.ts';

type Answer = Reply | ((request: ReceivedRequest) => Reply | Promise<Reply>);

const hostNames: HostName[] = ['public', 'enterprise', 'cloud', 'agent', 'org', 'encrypt'];

/** The contract server, which listens on loopback. Every test that starts one must call `stop`. */
export class ContractServer {
	/** The origins, in the form 'http://127.0.0.1:port'. */
	readonly hosts: Record<HostName, string> = { public: '', enterprise: '', cloud: '', agent: '', org: '', encrypt: '' };
	/** The keys of the account that may do everything. */
	readonly keys: { inference: string; cloud: string; agent: string } = { ...keys };
	/** Every request, in order. */
	readonly received: ReceivedRequest[] = [];
	/** The settings of the account, whatever a request says. Tests may change them. */
	readonly account = { zeroDataRetention: false };
	private readonly channel: Channel;
	private readonly routes: Route[];
	private readonly rules: { matches: (request: ReceivedRequest) => boolean; reply: Answer }[] = [];
	private readonly servers: Server[] = [];
	private readonly tampering: Tampering;

	private constructor(tampering: Tampering) {
		this.tampering = tampering;
		this.channel = new Channel(tampering);
		this.routes = [
			...chatRoutes(this.account),
			...responsesRoutes(),
			...decisionRoutes(),
			...modelListRoutes(),
			...this.channel.routes(),
			...taskRoutes(new TaskStore()),
			...sourceRoutes(),
			...agentTaskRoutes(),
		];
	}

	static async start(options: { tampering?: Tampering } = {}): Promise<ContractServer> {
		const contractServer = new ContractServer(options.tampering ?? {});
		for (const host of hostNames) {
			const server = createServer((request, response) => void contractServer.exchange(host, request, response));
			contractServer.servers.push(server);
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			contractServer.hosts[host] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		}
		return contractServer;
	}

	/** Answers requests that match with this reply instead of the built-in answer. The newest rule wins. */
	answer(matches: (request: ReceivedRequest) => boolean, reply: Answer): void {
		this.rules.unshift({ matches, reply });
	}

	/** The messages of the encrypted channel, as the enclave decrypted them. */
	get decrypted(): readonly DecryptedMessage[] {
		return this.channel.decrypted;
	}

	/** The deviation from the contract for an enclave that stands in for the server's own. */
	get deviation(): Deviation | undefined {
		return this.tampering.deviation;
	}

	/** Expires every channel session, so that its next message is answered with 409. */
	expireSessions(): void {
		this.channel.expireSessions();
	}

	/** Changes the enclave's key. The next attestation carries another public key, and every session has expired. */
	changeEnclaveKey(): void {
		this.channel.changeKey();
	}

	async stop(): Promise<void> {
		const listening = this.servers.filter(server => server.listening);
		await Promise.all(
			listening.map(server => {
				const closed = once(server, 'close');
				server.close();
				server.closeAllConnections();
				return closed;
			}),
		);
	}

	private async exchange(host: HostName, message: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const request = await received(host, message);
			this.tampering.request?.(request);
			this.received.push(request);
			const reply = await this.replyTo(request);
			this.tampering.reply?.(reply, request);
			await send(reply, response);
		} catch (error) {
			// An error in a test's own rule or tampering must not look like a refusal by the service.
			if (response.headersSent) {
				response.destroy();
			} else {
				await send(jsonReply({ error: `The contract server failed: ${String(error)}` }, 599), response);
			}
		}
	}

	private async replyTo(request: ReceivedRequest): Promise<Reply> {
		const rule = this.rules.find(({ matches }) => matches(request));
		if (rule !== undefined) {
			this.channel.spend(request);
		}
		const reply =
			rule === undefined
				? await dispatch(this.routes, request)
				: typeof rule.reply === 'function'
					? await rule.reply(request)
					: rule.reply;
		// Tampering changes the reply in place, and must not change the values from which later answers are made.
		return structuredClone(reply);
	}
}

async function received(host: HostName, message: IncomingMessage): Promise<ReceivedRequest> {
	let text = '';
	for await (const piece of message.setEncoding('utf8')) {
		text += piece;
	}
	const [path = '', query = ''] = (message.url ?? '').split(/\?(.*)/s);
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		json = undefined;
	}
	return {
		host,
		method: message.method ?? '',
		path,
		query: Object.fromEntries(new URLSearchParams(query)),
		headers: message.headers,
		text,
		json,
	};
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
	const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
	if (reply.events !== undefined) {
		response.writeHead(reply.status, { 'content-type': 'text/event-stream', ...headers });
		for (const { event, data } of reply.events) {
			const lines = (typeof data === 'string' ? data : JSON.stringify(data)).split('\n');
			const name = event === undefined ? '' : `event: ${event}\n`;
			if (!response.write(`${name}${lines.map(line => `data: ${line}\n`).join('')}\n`)) {
				await Promise.race([once(response, 'drain'), once(response, 'close')]);
			}
		}
		response.end();
		return;
	}
	const isJson = reply.json !== undefined;
	response.writeHead(reply.status, isJson ? { 'content-type': 'application/json', ...headers } : headers);
	response.end(isJson ? JSON.stringify(reply.json) : (reply.text ?? ''));
}
