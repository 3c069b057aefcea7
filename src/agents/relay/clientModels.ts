// The models behind a relay, answered by the client of a connection. The agent gets no key: it knows the relay's token.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError, type ClientErrorCode, describeError, UserFacingError } from '../../base/errors.ts';
import { readJsonBody } from '../../base/httpRequest.ts';
import type { Logger } from '../../base/logger.ts';
import { CLIENT_GONE, streamText, type TextSource } from '../../base/streamText.ts';
import { tooLong } from '../../client/core/tooLong.ts';
import type { Usage } from '../../contract/chatReply.ts';
import { messagesRoutes } from '../../contract/messages.ts';
import { estimateRequestTokens } from '../../contract/requestTokens.ts';
import { type CallError, sendError, sendJson, TOO_LONG } from './callAnswer.ts';
import { type ChatSettings, readClientChat } from './clientChat.ts';
import { chatRequestIn, readClientMessages } from './clientMessages.ts';
import { type ResponsesSettings, readClientResponses } from './clientResponses.ts';
import type { ModelClient, ModelRequest } from './modelRequest.ts';
import type { RelayOptions } from './relay.ts';

const BODY_MEGABYTES = 16;

export type Endpoint = 'chat' | 'responses' | 'messages';

export interface ClientModelsOptions extends ChatSettings, ResponsesSettings {
	client(): Promise<ModelClient>;
	/** Called when a call has ended, with any outcome. A request that is refused before it is sent is not a call. */
	onCall(call: ClientCall): void;
	/**
	 * Receives the error of a failed call, so that the host can explain it in its own words. Some agents try the
	 * responses endpoint first and fall back to chat if a connection lacks it, so that failure may not concern the user.
	 */
	onFailure(error: unknown, endpoint: Endpoint): void;
	logger: Logger;
	clock: Clock;
}

/** A finished call of an agent for its model. It contains nothing of the request or the reply. */
export interface ClientCall {
	/** The model as the service names it, or else as the request did. */
	model: string;
	/** The provider that served the call, if the service reports it. */
	provider?: string;
	/** The id of the reply. */
	id?: string;
	/** `left` means that the agent did not read the reply to its end. */
	outcome: 'whole' | 'left' | 'failed';
	/** Undefined if the service did not count, or had not yet. */
	usage?: Usage;
	seconds: number;
}

/** Creates the handler for calls that a relay lets through: chat completions, responses, messages, the model list. */
export function createClientModels(options: ClientModelsOptions): RelayOptions['handle'] {
	const { model, contextLength, clock } = options;
	// Clients require a time. When the model was made is not known.
	const created = Math.floor(clock.now() / 1000);
	const entry = { id: model, object: 'model', created, ...defined({ context_length: contextLength }) };
	return (request, response) => {
		const answerBy = <Event>(
			endpoint: Endpoint,
			read: (body: unknown, settings: typeof options) => ModelRequest<Event>,
		) =>
			void withBody(request, response, (body, gone) => answer(response, read(body, options), endpoint, options, gone));
		switch (request.url) {
			case '/v1/chat/completions':
				answerBy('chat', readClientChat);
				break;
			case '/v1/responses':
				answerBy('responses', readClientResponses);
				break;
			case messagesRoutes.messages.path:
				answerBy('messages', readClientMessages);
				break;
			case messagesRoutes.count.path:
				// Nothing behind the relay counts, so the count is an estimate.
				void withBody(request, response, async body =>
					sendJson(response, 200, { input_tokens: estimateRequestTokens(chatRequestIn(body, options)) }),
				);
				break;
			default:
				sendJson(response, 200, { object: 'list', data: [entry] });
		}
	};
}

/** Has a call answered by its body. `gone` aborts when the agent has closed the connection, and is then told nothing. */
async function withBody(
	request: IncomingMessage,
	response: ServerResponse,
	run: (body: unknown, gone: AbortSignal) => Promise<void>,
): Promise<void> {
	const gone = new AbortController();
	response.once('close', () => gone.abort(CLIENT_GONE));
	const body = await readJsonBody(request, BODY_MEGABYTES);
	if (!('value' in body)) {
		const { status, problem: message } = body;
		const isTooLarge = status === 413;
		const code = isTooLarge ? 'too_large' : 'invalid_request';
		sendError(request, response, { status, code, message }, isTooLarge ? { connection: 'close' } : {});
		return;
	}
	try {
		await run(body.value, gone.signal);
	} catch (error) {
		if (!gone.signal.aborted) {
			refuse(request, response, describeFailure(error));
		}
	}
}

async function answer<Event>(
	response: ServerResponse,
	asked: ModelRequest<Event>,
	endpoint: Endpoint,
	options: ClientModelsOptions,
	gone: AbortSignal,
): Promise<void> {
	const texts = textsOf(asked, endpoint, options, gone);
	// An error before the first text has its own HTTP status.
	const first = await texts.next();
	if (gone.aborted) {
		await texts.return();
	} else if (asked.isStreamed) {
		streamText(() => continued(first, texts), {
			outgoing: response,
			onFailure: error =>
				options.logger.log('warn', 'a reply to an agent was broken off', { reason: describeError(error) }),
		});
	} else {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(first.value);
	}
}

function refuse(request: IncomingMessage, response: ServerResponse, { retryAfterMs, ...error }: CallFailure): void {
	const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
	sendError(request, response, error, headers);
}

/**
 * Sends the request to the client and yields the text for the agent. Throws if the call fails before there is any, or
 * if the agent has gone.
 */
async function* textsOf<Event>(
	{ ask, text, failure }: ModelRequest<Event>,
	endpoint: Endpoint,
	options: ClientModelsOptions,
	signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
	const { clock, model } = options;
	const began = clock.elapsed();
	let outcome: ClientCall['outcome'] = 'left';
	let isBegun = false;
	let failed: CallFailure | undefined;
	let ending = '';
	try {
		const client = await untilAborted(options.client(), signal);
		for await (const event of ask(client, signal)) {
			const sent = text.add(event);
			if (sent !== '') {
				isBegun = true;
				yield sent;
			}
		}
		ending = text.end();
		outcome = 'whole';
	} catch (error) {
		if (signal.aborted) {
			throw error;
		}
		outcome = 'failed';
		report(error, endpoint, options);
		if (!isBegun) {
			throw error;
		}
		failed = describeFailure(error);
	} finally {
		const seconds = (clock.elapsed() - began) / 1000;
		options.onCall({ model, outcome, seconds, ...defined(text.told) });
	}
	yield failed === undefined ? ending : failure(failed);
}

function report(error: unknown, endpoint: Endpoint, { logger, onFailure }: ClientModelsOptions): void {
	const { code, status } = ClientError.is(error) ? error : {};
	logger.log('warn', 'a call of an agent for its model failed', {
		reason: describeError(error),
		...defined({ code, status }),
	});
	onFailure(error, endpoint);
}

/** A source whose first text was already taken from it. */
function continued(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void, undefined>): TextSource {
	let taken: IteratorResult<string, void> | undefined = first;
	return {
		next() {
			const result = taken === undefined ? rest.next() : Promise.resolve(taken);
			taken = undefined;
			return result;
		},
		return: () => rest.return(),
	};
}

/** A failed call as it is reported to its agent. */
interface CallFailure extends CallError {
	/** The time in milliseconds after which a retry may succeed. */
	retryAfterMs: number | undefined;
}

/** The status for errors without a status of the service. */
const STATUS: Partial<Record<ClientErrorCode, number>> = {
	'invalid-request': 400,
	'no-key': 401,
	unauthorised: 401,
	'payment-required': 402,
	forbidden: 403,
	'too-large': 413,
	'rate-limited': 429,
	timeout: 504,
};

/** An agent that gets this status for the responses endpoint may use chat completions instead. */
const NOT_FOUND = 404;
const NOT_THERE: ReadonlySet<ClientErrorCode> = new Set(['not-found', 'not-supported', 'plan-required']);

const FAILED: CallFailure = {
	status: 500,
	code: 'server_error',
	message: 'Errand failed at this call, and its log says why.',
	retryAfterMs: undefined,
};

/** Describes an error of the client. The client has removed the key from its message. */
export function describeFailure(error: unknown): CallFailure {
	if (error instanceof UserFacingError) {
		return { ...FAILED, status: 502, message: error.message };
	}
	if (!ClientError.is(error)) {
		return FAILED;
	}
	const { code, retryAfterMs } = error;
	const name = tooLong(error) === undefined ? code.replaceAll('-', '_') : TOO_LONG;
	return { status: statusOf(error), code: name, message: messageOf(error), retryAfterMs };
}

function statusOf({ code, status }: ClientError): number {
	if (NOT_THERE.has(code)) {
		return NOT_FOUND;
	}
	const isRefusal = status !== undefined && status >= 400 && status <= 599;
	return isRefusal ? status : (STATUS[code] ?? 502);
}

/** Agents look for the service's own words, such as those for a conversation that is too long. */
function messageOf({ code, message, serviceMessage }: ClientError): string {
	if (serviceMessage === undefined) {
		return message;
	}
	// A service describes a reply that it did not finish only by a word for the reason.
	return code === 'truncated' ? `${message}: ${serviceMessage}` : serviceMessage;
}
