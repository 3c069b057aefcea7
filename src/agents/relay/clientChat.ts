import { defined } from '../../base/defined.ts';
import { type Fields, isFields } from '../../base/fields.ts';
import { sseEvent } from '../../base/streamText.ts';
import { checkRequest } from '../../client/core/requestCheck.ts';
import type { ChatStreamEvent } from '../../client/types.ts';
import { type ChatParameters, type ChatRequest, chatRequestSchema } from '../../contract/chatRequest.ts';
import type { RoutingPolicy } from '../../contract/provider.ts';
import { errorBody } from './callAnswer.ts';
import { ChatChunks, WholeChat } from './chatText.ts';
import type { ModelRequest } from './modelRequest.ts';
import { reduceChat } from './reduceChat.ts';
import { type ModelLimits, tokensWithin } from './tokensWithin.ts';

export interface ChatSettings extends ModelLimits {
	/** The model of the session, whatever a request says. */
	model: string;
	/** The routing policy of every request, zero data retention included, whatever the agent's own says. */
	provider: RoutingPolicy | undefined;
	/** The user's parameters, which a chat request gets where the agent's own says nothing. */
	parameters?: ChatParameters | undefined;
}

/** The fields that an agent may not decide. A `user` is named to a service only where the user wants that. */
const DECIDED: ReadonlySet<string> = new Set(['model', 'models', 'provider', 'stream', 'user']);

/**
 * Reads the body of an agent's chat request. The contract has no place for the reasoning of earlier messages.
 * @throws ClientError `invalid-request` naming the field.
 */
export function readClientChat(body: unknown, settings: ChatSettings): ModelRequest<ChatStreamEvent> {
	const received = isFields(body) ? body : {};
	const request = requestOf(reduceChat(received, false), settings);
	const isStreamed = received['stream'] === true;
	return {
		isStreamed,
		ask: (client, signal) => client.chat.stream(request, { signal }),
		text: isStreamed ? new ChatChunks(settings.model) : new WholeChat(settings.model),
		failure: error => sseEvent({ error: errorBody(error) }),
	};
}

function requestOf(reduced: Fields, settings: ChatSettings): ChatRequest {
	const { model, provider, parameters } = settings;
	const own = Object.fromEntries(Object.entries(reduced).filter(([name]) => !DECIDED.has(name)));
	const asked = { ...parameters, ...own, model, ...defined({ provider }), stream: true } as ChatRequest;
	const request = checkRequest<ChatRequest>(chatRequestSchema, asked);
	return request.max_tokens === undefined
		? request
		: { ...request, max_tokens: tokensWithin(settings, request.max_tokens) };
}
