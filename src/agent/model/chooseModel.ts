import { systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { MAXIMUM_QUOTE } from '../../base/explainFailure.ts';
import { nullLogger } from '../../base/logger.ts';
import { oneLine } from '../../base/plainText.ts';
import { createChat } from '../../client/chat.ts';
import { createCaller } from '../../client/core/caller.ts';
import { createFetchTransport } from '../../client/core/fetchTransport.ts';
import { LIMITS } from '../../client/core/limits.ts';
import { tooLong } from '../../client/core/tooLong.ts';
import { createResponses } from '../../client/responses.ts';
import type { Connection } from '../../contract/connection.ts';
import { imageIn } from '../conversation.ts';
import { TurnFailure } from '../failures.ts';
import type { AgentSettings } from '../settings.ts';
import { chatModel } from './chatModel.ts';
import type { Model } from './model.ts';
import { responsesModel } from './responsesModel.ts';

/** The error codes for services that lack the responses endpoint, or lack it for this model. */
const NO_RESPONSES: ReadonlySet<string> = new Set(['not-found', 'not-supported', 'plan-required']);

/** A model on this machine may take minutes to read a long conversation before it begins to answer. */
const FIRST_BYTE_MS = 15 * 60_000;

/** The key for a service that requires none, because the client makes no request without a key. */
const NO_KEY = 'none';

export function createModel({ url, key, model: name, api, contextLength }: AgentSettings): Model {
	const connection: Connection = {
		name: 'model',
		// The chat routes are beside `/v1` in the contract, and below it everywhere else.
		apiUrl: `${url}/v1`,
		enterpriseUrl: url,
		plan: 'public',
		service: 'model',
		models: [{ id: name, kinds: ['chat', 'responses'], ...defined({ contextLength }) }],
		providers: [],
		providerPrefixes: [],
		aliases: [],
		agents: [],
	};
	const transport = createFetchTransport((address, init) => globalThis.fetch(address, init));
	const caller = createCaller({
		connection,
		keys: async () => key ?? NO_KEY,
		transport,
		logger: nullLogger,
		clock: systemClock,
		random: Math.random,
		// Requests are retried where the user can be told, and then after any failure that may be temporary.
		limits: { ...LIMITS, tries: 1, streamFirstByteMs: FIRST_BYTE_MS, idleMs: FIRST_BYTE_MS },
	});
	const client = { chat: createChat(caller), responses: createResponses(caller) };
	const chat = chatModel(client, name);
	const responses = responsesModel(client, name);
	let isChat = api === 'chat';
	return {
		name,
		async reply(request) {
			try {
				// The responses endpoint of the contract takes no images.
				if (isChat || request.items.some(imageIn)) {
					return await chat.reply(request);
				}
				return await responses.reply(request).catch(error => {
					if (api !== undefined || !ClientError.is(error) || !NO_RESPONSES.has(error.code)) {
						throw error;
					}
					isChat = true;
					return chat.reply(request);
				});
			} catch (error) {
				throw tooLong(error) ?? cannotCallTools(error, name) ?? refusedBehind(error, name) ?? error;
			}
		},
	};
}

/** Services refuse a request with tools for a model that does not support them. */
function cannotCallTools(error: unknown, name: string): TurnFailure | undefined {
	const said = ClientError.is(error) && (error.status ?? 0) < 500 ? (error.serviceMessage ?? '') : '';
	return /\b(?:tools?|functions?|function calling)\b/i.test(said) && /\bnot\b|unsupported|n't\b/i.test(said)
		? new TurnFailure(`The model ${name} cannot call tools, which an agent needs. Choose another model.`)
		: undefined;
}

/** A service in front of others has its own code for when one of those has refused its key. */
function refusedBehind(error: unknown, name: string): TurnFailure | undefined {
	const isRefused = ClientError.is(error, 'upstream') && error.serviceCode === 'unauthorized';
	const said = oneLine((isRefused && error.serviceMessage) || 'Its server refuses the key.', MAXIMUM_QUOTE);
	return isRefused
		? new TurnFailure(`The model ${name} cannot be used: ${said} Enter another key for it, then try again.`)
		: undefined;
}
