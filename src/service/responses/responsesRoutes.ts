import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { findModel } from '../../contract/modelIdentifier.ts';
import type { ResponsesRequest } from '../../contract/responses.ts';
import { routes } from '../../contract/routes.ts';
import { untilClientGoes } from '../clientGone.ts';
import type { ChatGateway, GatewayReply } from '../inference/gateway.ts';
import { connectionOf } from '../inference/gatewayDescription.ts';
import { type HostForm, mount } from '../inference/hostForms.ts';
import { ProviderFailure } from '../inference/provider.ts';
import { RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import { sseEvent, streamReply } from '../streamReply.ts';
import { chatRequestOf } from './conversation.ts';
import type { ReasoningSeal } from './reasoningSeal.ts';
import { ResponseEvents, type SentEvent } from './responseEvents.ts';
import { readResponsesRequest } from './responsesRequest.ts';

const BODY_MEGABYTES = 16;

export interface ResponsesRoutesDependencies {
	gateway: ChatGateway;
	seal: ReasoningSeal;
	logger: Logger;
}

/**
 * Registers the stateless responses endpoint, which uses the chat gateway (contract: inference.md, Responses request).
 */
export function registerResponsesRoutes(app: App, dependencies: ResponsesRoutesDependencies): void {
	mount(app, routes.responses, (context, host) =>
		untilClientGoes(context, signal => withDocumentedCode(() => answer(context, host, dependencies, signal))),
	);
}

/** An error before the first byte of the model's reply has its own HTTP status; after that, it is sent as an event. */
async function answer(
	context: AppContext,
	host: HostForm,
	{ gateway, seal, logger }: ResponsesRoutesDependencies,
	signal: AbortSignal,
): Promise<Response> {
	const body = await readJson(context, BODY_MEGABYTES);
	const connection = connectionOf(await gateway.describe(), host);
	const isCodeOriented = (model: string) => findModel(connection, model)?.codeOriented === true;
	const request = readResponsesRequest(body, isCodeOriented);
	const reply = await gateway.chat(chatRequestOf(request, seal), { host, signal });
	return streamReply(() => events(request, reply, seal), {
		outgoing: context.env.outgoing,
		onFailure: error => logger.log('warn', 'a response was broken off', { reason: describeError(error) }),
	});
}

async function* events(
	request: ResponsesRequest,
	reply: GatewayReply,
	seal: ReasoningSeal,
): AsyncGenerator<string, void, undefined> {
	const response = new ResponseEvents({
		model: reply.model,
		seal,
		allowsParallelCalls: request.parallel_tool_calls !== false,
	});
	try {
		yield textOf(response.start());
		for await (const chunk of reply.chunks) {
			const sent = response.add(chunk);
			if (sent.length > 0) {
				yield textOf(sent);
			}
		}
		yield textOf(response.end());
	} catch (error) {
		// An error that is thrown here aborts the connection.
		if (!(error instanceof ProviderFailure) || error.code === 'cut') {
			throw error;
		}
		yield textOf(response.fail(error));
	}
}

function textOf(events: readonly SentEvent[]): string {
	return events.map(event => sseEvent(event, event.type)).join('');
}

/**
 * On this endpoint the code in an error body is the status, as in the documented example (contract: inference.md,
 * Errors).
 */
async function withDocumentedCode(run: () => Promise<Response>): Promise<Response> {
	try {
		return await run();
	} catch (error) {
		if (error instanceof RequestRefused) {
			const { status, message, retryAfterMs } = error;
			throw new RequestRefused(status, message, String(status), retryAfterMs === undefined ? {} : { retryAfterMs });
		}
		throw error;
	}
}
