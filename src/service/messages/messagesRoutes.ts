// The service's Messages API: requests become chat requests, and the chunks of a reply become the API's events.
import { type Clock, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { isFields, withoutNulls } from '../../base/fields.ts';
import type { Logger } from '../../base/logger.ts';
import { sseEvent } from '../../base/streamText.ts';
import { chatRequestSchema } from '../../contract/chatRequest.ts';
import { type MessageEvent, MessageEvents, type ReplyEnd, WholeMessage } from '../../contract/messageEvents.ts';
import { messagesError, messagesRoutes } from '../../contract/messages.ts';
import { chatOfMessages, messagesRequestSchema } from '../../contract/messagesRequest.ts';
import { type NoteField, noteInLog } from '../inference/foreignFields.ts';
import type { ChatGateway, GatewayCall, GatewayReply } from '../inference/gateway.ts';
import { mount } from '../inference/hostForms.ts';
import { type GatewayRequest, ProviderFailure, type ReplyChunk } from '../inference/provider.ts';
import { brokenReply } from '../inference/providerFailure.ts';
import { STATUSES } from '../inference/refusals.ts';
import { type ChunkWriter, streamComing } from '../inference/streamComing.ts';
import { parseOrRefuse } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';

/** The limit of the original Messages API. */
const BODY_MEGABYTES = 32;

export interface MessagesRoutesDependencies {
	gateway: ChatGateway;
	logger: Logger;
	/** The model for requests that name none. Without it, they are refused. */
	model?: string;
	clock?: Clock;
}

/** Registers the Messages endpoint and its token count on both hosts. */
export function registerMessagesRoutes(app: App, dependencies: MessagesRoutesDependencies): void {
	const { gateway, logger, model, clock = systemClock } = dependencies;
	const note = noteInLog(logger);
	const read = async (context: AppContext): Promise<GatewayRequest> =>
		readMessagesRequest(await readJson(context, BODY_MEGABYTES), { model, note });
	mount(app, messagesRoutes.messages, async (context, host, signal) => {
		const request = await read(context);
		const coming = gateway.chat(request, { host, endpoint: 'chat', signal });
		return request.stream
			? streamComing(coming, {
					outgoing: context.env.outgoing,
					clock,
					logger,
					open: writerOf,
					refusal: ({ status, message }) => sseEvent(messagesError(status, message), 'error'),
				})
			: answerWhole(context, await coming);
	});
	mount(app, messagesRoutes.count, async (context, host, signal) => {
		const call: GatewayCall = { host, endpoint: 'chat', signal };
		return context.json({ input_tokens: await gateway.countTokens(await read(context), call) });
	});
}

/**
 * Reads the body of a request, which is for `model` if it names none. `note` receives the paths of fields and blocks
 * that are ignored here.
 * @throws RequestRefused 400 naming the field.
 */
function readMessagesRequest(
	body: unknown,
	{ model, note }: { model: string | undefined; note: NoteField },
): GatewayRequest {
	const received = isFields(body) ? { ...defined({ model }), ...withoutNulls(body) } : body;
	const asked = chatOfMessages(parseOrRefuse(messagesRequestSchema, received), note);
	const { mayCallSeveral, thoughts, hints } = asked;
	const request = parseOrRefuse(chatRequestSchema, asked.request);
	return {
		...request,
		messages: request.messages.map((message, index) => ({ ...message, ...thoughts.get(index) })),
		...defined({
			parallel_tool_calls: mayCallSeveral ? undefined : false,
			hints: Object.keys(hints).length === 0 ? undefined : hints,
		}),
	};
}

/** Converts the chunks of a reply into events of the Messages API. */
class ReplyEvents {
	private readonly events: MessageEvents;
	private ending: ReplyEnd = {};

	constructor({ model }: GatewayReply) {
		this.events = new MessageEvents(model);
	}

	/** Throws a ProviderFailure for a reply that the Messages API has no events for. */
	add({ choices, usage, model }: ReplyChunk): MessageEvent[] {
		const { events, ending } = this;
		events.head.model = model ?? events.head.model;
		ending.usage = usage ?? ending.usage;
		// The service never requests several choices.
		const [choice] = choices;
		if (choice === undefined || choice.index !== 0) {
			return [];
		}
		const { delta, finish_reason: reason, provider_specific_fields: specific } = choice;
		const { content, tool_calls: calls, reasoning_details: details } = delta;
		const reasoning = delta.reasoning || delta.reasoning_content;
		if (reason !== null) {
			Object.assign(ending, {
				reason,
				native: specific?.native_finish_reason,
				stopSequence: specific?.stop_sequence,
			} satisfies ReplyEnd);
		}
		// Nearly every chunk of a long reply is a text alone.
		if (content && !reasoning && details === undefined && calls === undefined) {
			return inForm(() => events.text(content));
		}
		return inForm(() => [
			...(reasoning ? events.thinking(reasoning) : []),
			...(details ?? []).flatMap(({ signature, data }) => [
				...(signature === undefined ? [] : events.signature(signature)),
				...(data === undefined ? [] : events.redacted(data)),
			]),
			...(content ? events.text(content) : []),
			...(calls ?? []).flatMap(({ index, id, function: called }) =>
				events.call({ index, id, name: called?.name, arguments: called?.arguments ?? '' }),
			),
		]);
	}

	end(): MessageEvent[] {
		return this.events.end(this.ending);
	}
}

/** Converts violations of the API's rules into provider failures, as the provider's reply caused them. */
function inForm<T>(write: () => T): T {
	try {
		return write();
	} catch (error) {
		throw ClientError.is(error, 'bad-response')
			? new ProviderFailure('upstream_error', `The reply cannot be passed on: ${error.message}.`)
			: error;
	}
}

function writerOf(reply: GatewayReply): ChunkWriter {
	const events = new ReplyEvents(reply);
	return {
		textOf: chunk => textOf(events.add(chunk)),
		end: () => textOf(events.end()),
		failure: ({ code, message }) => sseEvent(messagesError(STATUSES[code], message), 'error'),
	};
}

function textOf(events: readonly MessageEvent[]): string {
	let text = '';
	for (const event of events) {
		text += sseEvent(event, event.type);
	}
	return text;
}

async function answerWhole(context: AppContext, reply: GatewayReply): Promise<Response> {
	const events = new ReplyEvents(reply);
	const message = new WholeMessage();
	const put = (added: readonly MessageEvent[]) => {
		for (const event of added) {
			message.add(event);
		}
	};
	try {
		for await (const chunk of reply.chunks) {
			inForm(() => put(events.add(chunk)));
		}
		put(events.end());
		return context.json(inForm(() => message.end()));
	} catch (error) {
		throw brokenReply(error);
	}
}
