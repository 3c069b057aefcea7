import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ForeignCalls } from '../../../agents/relay/foreignTools.ts';
import { reduceChat } from '../../../agents/relay/reduceChat.ts';
import { reduceResponses } from '../../../agents/relay/reduceResponses.ts';
import { isFields } from '../../../base/fields.ts';
import type { Logger } from '../../../base/logger.ts';
import { ENTERPRISE_PATH } from '../../../contract/localConnection.ts';
import { registerChatRoutes } from '../../inference/chatRoutes.ts';
import { registerModelRoutes } from '../../inference/modelRoutes.ts';
import type { GatewayRequest } from '../../inference/provider.ts';
import { readChatRequest } from '../../inference/readChatRequest.ts';
import { isServerSealed } from '../../inference/serverSeal.ts';
import { registerMessagesRoutes } from '../../messages/messagesRoutes.ts';
import type { ReasoningSeal } from '../../responses/reasoningSeal.ts';
import { readResponsesRequest } from '../../responses/responsesRequest.ts';
import { type ForeignResponses, registerResponsesRoutes } from '../../responses/responsesRoutes.ts';
import { createApp } from '../../server.ts';
import type { TaskGateway } from './taskGateway.ts';

export interface ModelListenerOptions {
	gateway: TaskGateway;
	seal: ReasoningSeal;
	logger: Logger;
}

/**
 * Creates the listener for calls that a relay has let through: the list with the one model, chat completions, responses
 * and messages.
 */
export function createModelListener({
	gateway,
	seal,
	logger,
}: ModelListenerOptions): (request: IncomingMessage, response: ServerResponse) => void {
	const app = createApp(logger);
	registerModelRoutes(app, gateway);
	registerChatRoutes(app, { gateway, logger, read: body => readAgentChat(body, gateway.model) });
	registerMessagesRoutes(app, { gateway, logger, model: gateway.model });
	registerResponsesRoutes(app, { gateway, seal, logger, form: agentResponses(gateway.model, seal) });
	const answer = getRequestListener(app.fetch);
	return (request, response) => {
		// Of the contract's hosts, only this one has all of these paths.
		request.url = ENTERPRISE_PATH + request.url;
		void answer(request, response);
	};
}

/**
 * Reads the body of an agent's chat request. If it names no model, it is for `model`.
 * @throws RequestRefused 400 naming the field that is missing or out of its range.
 */
export function readAgentChat(body: unknown, model: string): GatewayRequest {
	return readChatRequest(isFields(body) ? { model, ...reduceChat(body, true) } : body);
}

/**
 * Creates the form in which agents use the responses endpoint. A request without a model is for `model`. Fields, tools
 * and items that a gateway can ignore are left out; tools that chat does not have become functions for the model alone;
 * reasoning that was sealed by neither this service nor the model's server is left out.
 */
export function agentResponses(model: string, seal: ReasoningSeal): ForeignResponses {
	return {
		read(body) {
			const { request, foreignTools } = reduceResponses(
				isFields(body) ? body : {},
				({ encrypted_content: sealed }) =>
					isServerSealed(sealed) || (typeof sealed === 'string' && seal.open(sealed) !== undefined),
			);
			const read = readResponsesRequest({ model, ...request }, () => false);
			const calls = new ForeignCalls(foreignTools);
			return { ...read, present: events => calls.present(events) };
		},
	};
}
