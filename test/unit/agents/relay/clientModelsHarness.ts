import type { ServerResponse } from 'node:http';
import {
	type ClientCall,
	type ClientModelsOptions,
	createClientModels,
	type Endpoint,
} from '../../../../src/agents/relay/clientModels.ts';
import { openRelay, type Relay } from '../../../../src/agents/relay/relay.ts';
import { systemClock } from '../../../../src/base/async.ts';
import { ClientError } from '../../../../src/base/errors.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { createClient } from '../../../../src/client/client.ts';
import type { Client } from '../../../../src/client/types.ts';
import { beginEvents, FaultServer, type Received } from '../../../support/faultServer.ts';
import { chunk } from '../../client/chatWire.ts';
import { delta } from '../../client/responsesWire.ts';
import { testConnection } from '../../client/testClient.ts';

/** The key of the connection, which nothing that an agent gets may hold. */
export const KEY = 'sk-inference-8f3b5c7d9e1a2b4c';

export const CHAT = { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Add mul' }] } };
export const RESPONSES = { path: '/v1/responses', body: { input: 'Add mul' } };
export const BOTH = [CHAT, RESPONSES];

/** The service has its routes of chat beside `/v1`. */
export const isChat = (path: string): boolean => path.endsWith('/chat/completions');

/** An answer that the service has begun, on either endpoint. */
export const begin = (response: ServerResponse, path: string): void => {
	beginEvents(response);
	response.write(isChat(path) ? chunk({ content: 'Hel' }) : delta('Hel'));
};
export interface OpenedModels {
	relay: Relay;
	calls: ClientCall[];
	failures: { code: string; endpoint: Endpoint }[];
	log: string[];
	/** Posts a body with the relay's token. A text is sent as it is. */
	post(path: string, body: unknown, options?: { signal?: AbortSignal }): Promise<Response>;
}

/** The client as the host has it, for a service at `origin`. */
export function clientOf(origin: string, fields: Record<string, unknown> = {}, key: string = KEY): Client {
	return createClient({
		connection: testConnection(origin, { enterpriseUrl: origin, ...fields }),
		keys: () => Promise.resolve(key),
	});
}

/** Opens a relay whose calls are answered by a client. The caller closes it. */
export async function openClientModels(
	client: Client,
	options: Partial<ClientModelsOptions> = {},
): Promise<OpenedModels> {
	const calls: ClientCall[] = [];
	const failures: OpenedModels['failures'] = [];
	const log: string[] = [];
	const relay = await openRelay({
		listen: 'loopback',
		handle: createClientModels({
			client: () => Promise.resolve(client),
			model: 'large',
			provider: undefined,
			onCall: call => calls.push(call),
			onFailure: (error, endpoint) =>
				failures.push({ code: ClientError.is(error) ? error.code : String(error), endpoint }),
			logger: createLogger('test', (_, line) => log.push(line)),
			clock: systemClock,
			...options,
		}),
		allowsHost: () => false,
		onRefused: sentence => log.push(sentence),
	});
	const post: OpenedModels['post'] = (path, body, { signal } = {}) =>
		fetch(`${relay.url}${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${relay.token}`, 'content-type': 'application/json' },
			body: typeof body === 'string' ? body : JSON.stringify(body),
			...(signal && { signal }),
		});
	return { relay, calls, failures, log, post };
}

/** A service that answers as the tests of a `describe` say, and relays to it, all of which end with each test. */
export function useClientModels() {
	let server: FaultServer;
	const opened: OpenedModels[] = [];

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
	});
	afterEach(async () => {
		await Promise.all(opened.splice(0).map(({ relay }) => relay.close()));
		await server.stop();
	});

	return {
		get server() {
			return server;
		},
		/** The bodies that the service has got. */
		get bodies(): Record<string, unknown>[] {
			return server.received.map(({ body }) => JSON.parse(body));
		},
		/** Sets how the service answers, and opens a relay to it. */
		async open(
			answer: (response: ServerResponse, received: Received) => void | Promise<void>,
			options: Partial<ClientModelsOptions> = {},
			fields: Record<string, unknown> = {},
		): Promise<OpenedModels> {
			server.answer = answer;
			const models = await openClientModels(clientOf(server.origin, fields), options);
			opened.push(models);
			return models;
		},
	};
}

/** The error in a body of a refusal. */
export async function refusalOf(response: Response): Promise<{ message: string; type: string; code: string }> {
	const { error } = (await response.json()) as { error: { message: string; type: string; code: string } };
	return error;
}
