import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from '../../../base/logger.ts';
import { ENTERPRISE_PATH } from '../../../contract/localConnection.ts';
import { registerChatRoutes } from '../../inference/chatRoutes.ts';
import { registerModelRoutes } from '../../inference/modelRoutes.ts';
import type { ReasoningSeal } from '../../responses/reasoningSeal.ts';
import { registerResponsesRoutes } from '../../responses/responsesRoutes.ts';
import { createApp } from '../../server.ts';
import { readAgentChat } from './agentChat.ts';
import { agentResponses } from './agentResponses.ts';
import type { TaskGateway } from './taskGateway.ts';

export interface ModelListenerOptions {
	gateway: TaskGateway;
	seal: ReasoningSeal;
	logger: Logger;
}

/**
 * Creates what answers the calls that a relay has let through: the list with the one model, chat completions and
 * responses.
 */
export function createModelListener({
	gateway,
	seal,
	logger,
}: ModelListenerOptions): (request: IncomingMessage, response: ServerResponse) => void {
	const app = createApp(logger);
	registerModelRoutes(app, gateway);
	registerChatRoutes(app, { gateway, logger, read: body => readAgentChat(body, gateway.model) });
	registerResponsesRoutes(app, { gateway, seal, logger, form: agentResponses(gateway.model, seal) });
	const answer = getRequestListener(app.fetch);
	return (request, response) => {
		// This is the only one of the contract's hosts that has all three paths.
		request.url = ENTERPRISE_PATH + request.url;
		void answer(request, response);
	};
}
