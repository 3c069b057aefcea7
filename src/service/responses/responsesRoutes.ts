import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import type { Logger } from '../../base/logger.ts';
import { sseEvent } from '../../base/streamText.ts';
import { findModel } from '../../contract/modelIdentifier.ts';
import { routes } from '../../contract/routes.ts';
import { type NoteField, noteInLog } from '../inference/foreignFields.ts';
import type { ChatGateway, GatewayReply } from '../inference/gateway.ts';
import { connectionOf } from '../inference/gatewayDescription.ts';
import { type HostForm, mount } from '../inference/hostForms.ts';
import { ProviderFailure } from '../inference/provider.ts';
import { brokenReply } from '../inference/providerFailure.ts';
import { COMMENT_EVERY_MS } from '../inference/streamComing.ts';
import { RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson, streamReply } from '../server.ts';
import { chatRequestOf } from './conversation.ts';
import type { ReasoningSeal } from './reasoningSeal.ts';
import { ResponseEvents, type SentEvent } from './responseEvents.ts';
import { type ReadResponses, readResponsesRequest } from './responsesRequest.ts';

const BODY_MEGABYTES = 16;

type Present = (events: SentEvent[]) => SentEvent[];

/** Reads requests and presents replies in a form other than the contract's. */
export interface ForeignResponses {
	/** Throws a RequestRefused. */
	read(body: unknown): ReadResponses & { present: Present };
}

export interface ResponsesRoutesDependencies {
	gateway: ChatGateway;
	seal: ReasoningSeal;
	logger: Logger;
	/** The default is the form of the contract and of public practice. */
	form?: ForeignResponses;
}

/**
 * Registers the stateless responses endpoint, which uses the chat gateway (contract: inference.md, Responses request).
 */
export function registerResponsesRoutes(app: App, dependencies: ResponsesRoutesDependencies): void {
	const note = noteInLog(dependencies.logger);
	mount(app, routes.responses, (context, host, signal) =>
		withDocumentedCode(() => answer(context, host, dependencies, note, signal)),
	);
}

/** An error before the first byte of the model's reply has its own HTTP status; after that, it is sent as an event. */
async function answer(
	context: AppContext,
	host: HostForm,
	{ gateway, seal, logger, form }: ResponsesRoutesDependencies,
	note: NoteField,
	signal: AbortSignal,
): Promise<Response> {
	const body = await readJson(context, BODY_MEGABYTES);
	const { request, parameters, format, present } =
		form?.read(body) ?? (await readDocumented(body, gateway, host, note));
	const asked = chatRequestOf(request, seal, parameters, isFields(body) ? body : {});
	const reply = await gateway.chat(asked, { host, endpoint: 'responses', signal });
	const response = new ResponseEvents({ model: reply.model, seal, format });
	if (request.stream !== true) {
		return answerWhole(context, reply, response, present);
	}
	return streamReply(() => events(reply, response, present), {
		outgoing: context.env.outgoing,
		commentEveryMs: COMMENT_EVERY_MS,
		onFailure: error => logger.log('warn', 'a response was broken off', { reason: describeError(error) }),
	});
}

async function readDocumented(
	body: unknown,
	gateway: ChatGateway,
	host: HostForm,
	note: NoteField,
): Promise<ReturnType<ForeignResponses['read']>> {
	const connection = connectionOf(await gateway.describe(), host);
	const isCodeOriented = (model: string) => findModel(connection, model)?.codeOriented === true;
	return { ...readResponsesRequest(body, isCodeOriented, note), present: events => events };
}

async function* events(
	reply: GatewayReply,
	response: ResponseEvents,
	present: Present,
): AsyncGenerator<string, void, undefined> {
	try {
		yield textOf(present(response.start()));
		for await (const chunk of reply.chunks) {
			const sent = present(response.add(chunk));
			if (sent.length > 0) {
				yield textOf(sent);
			}
		}
		yield textOf(present(response.end()));
	} catch (error) {
		// An error thrown here aborts the connection.
		if (!(error instanceof ProviderFailure)) {
			throw error;
		}
		yield textOf(present(response.fail(error)));
	}
}

/** Answers with the response that the last event of a stream would carry. */
async function answerWhole(
	context: AppContext,
	reply: GatewayReply,
	response: ResponseEvents,
	present: Present,
): Promise<Response> {
	try {
		present(response.start());
		for await (const chunk of reply.chunks) {
			present(response.add(chunk));
		}
		return context.json(present(response.end()).at(-1)?.['response']);
	} catch (error) {
		throw brokenReply(error);
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
			const { status, message, retryAfterMs, upstreams } = error;
			throw new RequestRefused(status, message, String(status), { upstreams, ...defined({ retryAfterMs }) });
		}
		throw error;
	}
}
