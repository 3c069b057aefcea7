import { randomUUID } from 'node:crypto';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { type Fields, isFields } from '../../base/fields.ts';
import { sseEvent } from '../../base/streamText.ts';
import { checkRequest } from '../../client/core/requestCheck.ts';
import { ToolCallCollector } from '../../client/toolCalls.ts';
import type { ChatStreamEvent, TokenProbability } from '../../client/types.ts';
import { type Annotation, CHAT_STREAM_END } from '../../contract/chatReply.ts';
import { type ChatParameters, type ChatRequest, chatRequestSchema } from '../../contract/chatRequest.ts';
import { type ModelLimits, tokensWithin } from '../../contract/modelLimits.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { errorBody } from './callAnswer.ts';
import { addReplyFacts, type ModelRequest, type ReplyFacts, type ReplyText } from './modelRequest.ts';
import { reduceChat } from './reduceChat.ts';

export interface ChatSettings extends ModelLimits {
	/** The model of the session, whatever a request says. */
	model: string;
	/** The routing policy of every request, including zero data retention, whatever the agent requests. */
	provider: RoutingPolicy | undefined;
	/** The user's parameters, which a chat request gets unless the agent sets its own. */
	parameters?: ChatParameters | undefined;
}

/** The fields that an agent may not decide. A `user` is sent to a service only if the user wants that. */
const DECIDED: ReadonlySet<string> = new Set(['model', 'models', 'provider', 'stream', 'user']);

/**
 * Reads the body of an agent's chat request. The contract has no place for the reasoning of earlier messages.
 * @throws ClientError `invalid-request` naming the field.
 */
export function readClientChat(body: unknown, settings: ChatSettings): ModelRequest<ChatStreamEvent> {
	const received = isFields(body) ? body : {};
	const request = chatRequestFor(reduceChat(received, false), settings);
	const isStreamed = received['stream'] === true;
	return {
		isStreamed,
		ask: (client, signal) => client.chat.stream(request, { signal }),
		text: isStreamed ? new ChatChunks(settings.model) : new WholeChat(settings.model),
		failure: error => sseEvent({ error: errorBody(error) }),
	};
}

/**
 * Returns the request that is sent to the service instead of an agent's, with only fields of the contract.
 * @throws ClientError `invalid-request` naming the field.
 */
export function chatRequestFor(reduced: Fields, settings: ChatSettings): ChatRequest {
	const { model, provider, parameters } = settings;
	const own = Object.fromEntries(Object.entries(reduced).filter(([name]) => !DECIDED.has(name)));
	const asked = { ...parameters, ...own, model, ...defined({ provider }), stream: true } as ChatRequest;
	const request = checkRequest<ChatRequest>(chatRequestSchema, asked);
	return request.max_tokens === undefined
		? request
		: { ...request, max_tokens: tokensWithin(settings, request.max_tokens) };
}

type Event<T extends ChatStreamEvent['type']> = Extract<ChatStreamEvent, { type: T }>;

/** The maximum number of characters of a reply that is sent as a whole. */
const MAXIMUM_WHOLE = 32 * 1024 * 1024;

/** The text of a reply, in one object or several, which begin with the same fields. */
abstract class ChatText {
	readonly told: ReplyFacts = {};
	private readonly fields: { id: string; object: string; created: number; model: string; provider?: string };

	constructor(object: 'chat.completion' | 'chat.completion.chunk', model: string) {
		const created = Math.floor(Date.now() / 1000);
		this.fields = { id: `chatcmpl-${randomUUID()}`, object, created, model };
	}

	/** The fields, including the facts about the reply as far as they are known. */
	protected get head(): object {
		const { model, provider, id } = this.told;
		return { ...this.fields, ...defined({ id, model, provider }) };
	}
}

/** A streamed call. Its first fragment is held back until the name has come: clients need the name first. */
interface BegunCall {
	id: string | undefined;
	arguments: string;
	/** The index, or undefined as long as nothing of the call was sent. */
	index: number | undefined;
}

class ChatChunks extends ChatText implements ReplyText<ChatStreamEvent> {
	private readonly calls: BegunCall[] = [];
	private sentCalls = 0;
	private isBegun = false;

	constructor(model: string) {
		super('chat.completion.chunk', model);
	}

	add(event: ChatStreamEvent): string {
		switch (event.type) {
			case 'text':
				return this.delta({ content: event.text });
			case 'reasoning':
				return this.delta({ reasoning_content: event.text });
			case 'toolCall': {
				const fragment = this.fragmentOf(event);
				return fragment === undefined ? '' : this.delta({ tool_calls: [fragment] });
			}
			case 'annotations':
				return this.delta({ annotations: event.annotations });
			case 'logprobs':
				return this.delta({}, { logprobs: logprobsOf(event.tokens) });
			case 'finish':
				return this.delta({}, finishOf(event));
			default:
				addReplyFacts(this.told, event);
				return '';
		}
	}

	/** The usage comes last, whether or not the agent requested it. */
	end(): string {
		const { usage } = this.told;
		const last = usage === undefined ? '' : sseEvent({ ...this.head, choices: [], usage });
		return `${last}data: ${CHAT_STREAM_END}\n\n`;
	}

	private delta(fields: object, others: object = {}): string {
		const delta = this.isBegun ? fields : { role: 'assistant', content: '', ...fields };
		this.isBegun = true;
		return sseEvent({ ...this.head, choices: [{ index: 0, delta, finish_reason: null, ...others }] });
	}

	/** Name and id are in the first fragment only, because some clients concatenate those of all fragments. */
	private fragmentOf(event: Event<'toolCall'>): object | undefined {
		const call = this.calls[event.index] ?? { id: undefined, arguments: '', index: undefined };
		this.calls[event.index] = call;
		if (call.index !== undefined) {
			return { index: call.index, function: { arguments: event.arguments } };
		}
		call.id ||= event.id;
		call.arguments += event.arguments;
		if (!event.name) {
			return undefined;
		}
		call.index = this.sentCalls++;
		return {
			index: call.index,
			id: call.id || `call_${randomUUID()}`,
			type: 'function',
			function: { name: event.name, arguments: call.arguments },
		};
	}
}

class WholeChat extends ChatText implements ReplyText<ChatStreamEvent> {
	private readonly content: string[] = [];
	private readonly reasoning: string[] = [];
	private readonly calls = new ToolCallCollector();
	private readonly annotations: Annotation[] = [];
	private readonly tokens: TokenProbability[] = [];
	private finish: object = { finish_reason: null };
	private size = 0;

	constructor(model: string) {
		super('chat.completion', model);
	}

	/** Throws a ClientError for a reply that is too large. */
	add(event: ChatStreamEvent): string {
		this.size += JSON.stringify(event).length;
		if (this.size > MAXIMUM_WHOLE) {
			throw new ClientError('bad-response', `the reply is longer than ${MAXIMUM_WHOLE} characters`);
		}
		switch (event.type) {
			case 'text':
				this.content.push(event.text);
				break;
			case 'reasoning':
				this.reasoning.push(event.text);
				break;
			case 'annotations':
				append(this.annotations, event.annotations);
				break;
			case 'logprobs':
				append(this.tokens, event.tokens);
				break;
			case 'finish':
				this.finish = finishOf(event);
				break;
			default:
				this.calls.add(event);
				addReplyFacts(this.told, event);
		}
		return '';
	}

	end(): string {
		const { usage } = this.told;
		const calls = this.calls.collected();
		const message = {
			role: 'assistant',
			content: this.content.join(''),
			...defined({
				reasoning_content: this.reasoning.join('') || undefined,
				tool_calls: calls.length === 0 ? undefined : calls,
				annotations: this.annotations.length === 0 ? undefined : this.annotations,
			}),
		};
		const logprobs = this.tokens.length === 0 ? {} : { logprobs: logprobsOf(this.tokens) };
		const choice = { index: 0, message, ...this.finish, ...logprobs };
		return JSON.stringify({ ...this.head, choices: [choice], ...defined({ usage }) });
	}
}

function finishOf({ reason, nativeReason }: Event<'finish'>): object {
	const fields = nativeReason === undefined ? undefined : { native_finish_reason: nativeReason };
	return { finish_reason: reason, ...defined({ provider_specific_fields: fields }) };
}

function logprobsOf(tokens: readonly TokenProbability[]): object {
	return { content: tokens.map(({ top, ...token }) => ({ ...token, top_logprobs: top })) };
}
