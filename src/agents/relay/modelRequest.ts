import { defined } from '../../base/defined.ts';
import type { ChatStreamEvent, Client } from '../../client/types.ts';
import type { Usage } from '../../contract/chatReply.ts';
import type { CallError } from './callAnswer.ts';

/** The part of a client that answers agents. */
export type ModelClient = Pick<Client, 'chat' | 'responses'>;

/** The facts that a reply has reported about itself so far. */
export interface ReplyFacts {
	/** The model that serves, as the service names it. */
	model?: string | undefined;
	provider?: string | undefined;
	id?: string | undefined;
	usage?: Usage | undefined;
}

/** Adds the facts that an event of a chat reply reports about the whole. */
export function addReplyFacts(told: ReplyFacts, event: ChatStreamEvent): void {
	if (event.type === 'served') {
		const { model, provider, id } = event;
		Object.assign(told, defined({ model, provider, id }));
	} else if (event.type === 'usage') {
		told.usage = event.usage;
	}
}

/** Converts the events of one reply into the text that an agent gets. */
export interface ReplyText<Event> {
	readonly told: Readonly<ReplyFacts>;
	/** Returns the text for an event, which may be empty. */
	add(event: Event): string;
	/** Returns the text that ends a whole reply. */
	end(): string;
}

/** An agent's call that was read and found valid. */
export interface ModelRequest<Event> {
	/** True if the agent gets the reply as it arrives. */
	isStreamed: boolean;
	ask(client: ModelClient, signal: AbortSignal): AsyncIterable<Event>;
	/** The text of the reply: of a stream of events, or of one JSON object that `end` returns. */
	text: ReplyText<Event>;
	/** Returns the events that end a stream instead of `end`. */
	failure(error: CallError): string;
}
