// The APIs that model servers offer.
import { defined } from '../../../base/defined.ts';
import type { Fields } from '../../../base/fields.ts';
import type { ReplyDecoder } from '../../../client/core/streamedReply.ts';
import type { Parameter } from '../../../contract/chatRequest.ts';
import { type ListedModel, listedTraits } from '../../../contract/modelList.ts';
import type { Route } from '../../../contract/routes.ts';
import type { UpstreamKind } from '../../../contract/upstreams.ts';
import type { ModelOffer, ProviderRequest, ReplyChunk } from '../provider.ts';
import type { ServerSeal } from '../serverSeal.ts';
import { countedBody, MESSAGES_PARAMETERS, messagesBody } from './messagesBody.ts';
import { MessagesDecoder } from './messagesDecoder.ts';
import { RESPONSES_PARAMETERS, responsesBody } from './responsesBody.ts';
import { ResponsesDecoder } from './responsesDecoder.ts';
import { UpstreamDecoder } from './upstreamDecoder.ts';

/** A path relative to an upstream's address, which ends in the version. */
type UpstreamRoute = Omit<Route, 'key'>;

export interface UpstreamForm {
	route: UpstreamRoute;
	/** The parameters that the API has. Undefined means all of them. */
	parameters: readonly Parameter[] | undefined;
	/** Throws a ClientError. */
	bodyOf(request: ProviderRequest, offer: Partial<ModelOffer>): Fields;
	/** `requested` is the model's name in the request. */
	decoder(requested: string, seal: ServerSeal): ReplyDecoder<ReplyChunk>;
	/** Reads what a server's model list says beyond names and context lengths. */
	traitsOf?(model: ListedModel): ReturnType<typeof listedTraits>;
	/** The request by which a server counts tokens, if it can. */
	count?: { route: UpstreamRoute; bodyOf(request: ProviderRequest): Fields };
}

const route = (path: string): UpstreamRoute => ({ method: 'POST', host: 'inference', path });

export const UPSTREAM_FORMS: Readonly<Record<UpstreamKind, UpstreamForm>> = {
	chat: {
		route: route('/chat/completions'),
		parameters: undefined,
		bodyOf: chatBody,
		decoder: requested => new UpstreamDecoder(requested),
	},
	responses: {
		route: route('/responses'),
		parameters: RESPONSES_PARAMETERS,
		bodyOf: responsesBody,
		decoder: (requested, seal) => new ResponsesDecoder(requested, seal),
	},
	messages: {
		route: route('/messages'),
		parameters: MESSAGES_PARAMETERS,
		bodyOf: messagesBody,
		decoder: (requested, seal) => new MessagesDecoder(requested, seal),
		traitsOf: listedTraits,
		count: { route: route('/messages/count_tokens'), bodyOf: countedBody },
	},
};

/**
 * Adds fields that OpenAI-compatible servers document beyond the contract, for streamed usage and for log
 * probabilities. The token limit keeps the client's name.
 */
function chatBody({
	limitName,
	max_tokens: limit,
	hints: _,
	responses: __,
	reasoning_effort: ___,
	messages,
	...request
}: ProviderRequest): Fields {
	return {
		...request,
		messages: messages.map(message => {
			const { thinking, ...others } = message;
			return thinking === undefined ? message : others;
		}),
		...(limit === undefined ? {} : { [limitName ?? 'max_tokens']: limit }),
		...defined({ logprobs: request.top_logprobs === undefined ? undefined : true }),
		stream: true,
		stream_options: { include_usage: true },
	};
}
