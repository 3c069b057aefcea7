import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { type Fields, isFields } from '../../base/fields.ts';
import { sseEvent } from '../../base/streamText.ts';
import { checkRequest } from '../../client/core/requestCheck.ts';
import { type Usage, usageSchema } from '../../contract/chatReply.ts';
import {
	type OutputItem,
	type ResponseEvent,
	type ResponsesRequest,
	responsesRequestSchema,
} from '../../contract/responses.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { type CallError, errorBody } from './callAnswer.ts';
import { ForeignCalls } from './foreignTools.ts';
import type { ModelRequest, ReplyFacts, ReplyText } from './modelRequest.ts';
import { reduceResponses } from './reduceResponses.ts';

export interface ResponsesSettings {
	/** The model of the session, whatever a request says. */
	model: string;
	provider: RoutingPolicy | undefined;
	/** True if the model's responses are always under zero data retention. */
	codeOriented?: boolean | undefined;
}

/**
 * Reads the body of an agent's responses request. Reasoning is passed on unchanged, because the service has sealed it.
 * @throws ClientError `invalid-request` naming the field; `not-supported` for a routing policy, which has no field on
 * this endpoint: agents that support chat completions then use those.
 */
export function readClientResponses(body: unknown, settings: ResponsesSettings): ModelRequest<ResponseEvent> {
	const { model, provider = {}, codeOriented } = settings;
	if (Object.entries(provider).some(field => !isMet(field, codeOriented))) {
		const message =
			'The routing policy of this session cannot be sent with responses. Use chat completions, or a session without it.';
		throw new ClientError('not-supported', message, { unsent: true });
	}
	const received = isFields(body) ? body : {};
	const { request, foreignTools } = reduceResponses(received, () => true);
	const asked = checkRequest<ResponsesRequest>(responsesRequestSchema, {
		...(request as Fields & Pick<ResponsesRequest, 'input'>),
		model,
		stream: true,
	});
	const isStreamed = received['stream'] === true;
	const calls = new ForeignCalls(foreignTools);
	const present = (event: Sent) => (foreignTools.size === 0 ? [event] : calls.present([event]));
	return {
		isStreamed,
		ask: (client, signal) => client.responses.stream(asked, { signal }),
		text: new ResponseText(present, isStreamed),
		failure,
	};
}

/** Returns whether a field of a routing policy is satisfied without being sent. */
function isMet([name, value]: [string, unknown], codeOriented = false): boolean {
	return value === undefined || (name === 'zdr' && (value === false || codeOriented));
}

/** An event of a response, with the fields that a service sent in it. */
type Sent = Fields & { type: string };

/** The events of a response, or the response in the last one of them. */
class ResponseText implements ReplyText<ResponseEvent> {
	readonly told: ReplyFacts = {};
	private readonly present: (event: Sent) => Sent[];
	private readonly isStreamed: boolean;
	private response: unknown;

	constructor(present: (event: Sent) => Sent[], isStreamed: boolean) {
		this.present = present;
		this.isStreamed = isStreamed;
	}

	add(event: ResponseEvent): string {
		if (event.type === 'response.created' || event.type === 'response.completed') {
			const { id, model, usage } = event.response ?? {};
			Object.assign(this.told, defined({ id, model, usage: usage && usageOf(usage) }));
		}
		const sent = this.present(receivedEvent(event));
		if (this.isStreamed) {
			return sent.map(shown => sseEvent(shown, shown.type)).join('');
		}
		this.response = sent.at(-1)?.['response'];
		return '';
	}

	/** The last event has ended the stream. */
	end(): string {
		return this.isStreamed ? '' : JSON.stringify(this.response ?? {});
	}
}

type Response = NonNullable<Extract<ResponseEvent, { type: 'response.completed' }>['response']>;

/** Converts token counts to the names that they have in chat. */
function usageOf({ input_tokens, output_tokens, total_tokens, ...usage }: NonNullable<Response['usage']>): Usage {
	return usageSchema.parse({
		prompt_tokens: input_tokens,
		completion_tokens: output_tokens,
		total_tokens,
		prompt_tokens_details: usage.input_tokens_details,
		completion_tokens_details: usage.output_tokens_details,
	});
}

/** Returns an event as it was received: items that the contract does not know are wrapped in it. */
function receivedEvent(event: ResponseEvent): Sent {
	switch (event.type) {
		case 'response.output_item.added':
		case 'response.output_item.done':
			return { ...event, item: event.item && receivedItem(event.item) };
		case 'response.created':
		case 'response.in_progress':
		case 'response.completed': {
			const { response } = event;
			return { ...event, response: response && { ...response, output: response.output.map(receivedItem) } };
		}
		default:
			return event;
	}
}

function receivedItem(item: OutputItem): Fields {
	return item.type === 'other' ? item.received : item;
}

/** Some clients read the one event, some the other. */
function failure(error: CallError): string {
	const { code, message } = error;
	const response = { object: 'response', status: 'failed', error: { code, message } };
	return (
		sseEvent({ type: 'error', code, message, param: null, error: errorBody(error) }, 'error') +
		sseEvent({ type: 'response.failed', response }, 'response.failed')
	);
}
