// The Messages API as agents use it, answered by the chat endpoint of a connection.
import { isFields, withoutNulls } from '../../base/fields.ts';
import { sseEvent } from '../../base/streamText.ts';
import { checkRequest } from '../../client/core/requestCheck.ts';
import type { ChatStreamEvent } from '../../client/types.ts';
import type { ChatRequest } from '../../contract/chatRequest.ts';
import { type MessageEvent, MessageEvents, type ReplyEnd, WholeMessage } from '../../contract/messageEvents.ts';
import { chatOfMessages, type MessagesRequest, messagesRequestSchema } from '../../contract/messagesRequest.ts';
import { messagesErrorBody } from './callAnswer.ts';
import { type ChatSettings, chatRequestFor } from './clientChat.ts';
import { addReplyFacts, type ModelRequest, type ReplyFacts, type ReplyText } from './modelRequest.ts';

/**
 * Reads the body of an agent's request. The contract has no place for the thinking of earlier messages.
 * @throws ClientError `invalid-request` naming the field.
 */
export function readClientMessages(body: unknown, settings: ChatSettings): ModelRequest<ChatStreamEvent> {
	const request = chatRequestIn(body, settings);
	const isStreamed = isFields(body) && body['stream'] === true;
	return {
		isStreamed,
		ask: (client, signal) => client.chat.stream(request, { signal }),
		text: new MessageText(settings.model, isStreamed),
		failure: error => sseEvent(messagesErrorBody(error), 'error'),
	};
}

/**
 * Returns the request for the service.
 * @throws ClientError `invalid-request` naming the field.
 */
export function chatRequestIn(body: unknown, settings: ChatSettings): ChatRequest {
	const received = isFields(body) ? { ...withoutNulls(body), model: settings.model } : body;
	const { request } = chatOfMessages(checkRequest(messagesRequestSchema, received as MessagesRequest));
	return chatRequestFor({ ...request }, settings);
}

/** The events of a reply, or the message that they add up to. */
class MessageText implements ReplyText<ChatStreamEvent> {
	readonly told: ReplyFacts = {};
	private readonly events: MessageEvents;
	private readonly whole: WholeMessage | undefined;
	private ending: ReplyEnd = {};

	constructor(model: string, isStreamed: boolean) {
		this.events = new MessageEvents(model);
		this.whole = isStreamed ? undefined : new WholeMessage();
	}

	/** Throws a ClientError for a reply that the Messages API has no events for. */
	add(event: ChatStreamEvent): string {
		const { events, told } = this;
		switch (event.type) {
			case 'text':
				return this.textOf(events.text(event.text));
			case 'reasoning':
				return this.textOf(events.thinking(event.text));
			case 'toolCall':
				return this.textOf(events.call(event));
			case 'finish':
				this.ending = { reason: event.reason, native: event.nativeReason };
				return '';
			default:
				addReplyFacts(told, event);
				events.head.id = told.id ?? events.head.id;
				events.head.model = told.model ?? events.head.model;
				return '';
		}
	}

	end(): string {
		const text = this.textOf(this.events.end({ ...this.ending, usage: this.told.usage }));
		return this.whole === undefined ? text : JSON.stringify(this.whole.end());
	}

	private textOf(sent: readonly MessageEvent[]): string {
		let text = '';
		for (const event of sent) {
			if (this.whole === undefined) {
				text += sseEvent(event, event.type);
			} else {
				this.whole.add(event);
			}
		}
		return text;
	}
}
