import { type Clock, onFirstUse } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import { explainUpstream } from '../../base/explainFailure.ts';
import type { Logger } from '../../base/logger.ts';
import { sseEvent } from '../../base/streamText.ts';
import { type ChannelMessage, type Health, messageRequestSchema } from '../../contract/channel.ts';
import { ENCRYPTED_PATH } from '../../contract/localConnection.ts';
import { channelRoute } from '../../contract/routes.ts';
import { withoutWords } from '../../contract/upstreamProblem.ts';
import type { ChatGateway, GatewayReply } from '../inference/gateway.ts';
import { ProviderFailure, type ProviderRequest } from '../inference/provider.ts';
import { brokenReply } from '../inference/providerFailure.ts';
import { wholeReply } from '../inference/wholeReply.ts';
import { RequestRefused } from '../replies.ts';
import { type App, type AppContext, pattern, readBody, streamReply, untilClientGoes } from '../server.ts';
import type { OpenedMessage } from './channelSession.ts';
import { textBatches } from './textBatches.ts';

/** This is enough for the largest ciphertext in base64. */
const BODY_MEGABYTES = 16;
const END = '[DONE]';
const LINES = 'application/x-ndjson';

export interface ChannelRoutesDependencies {
	gateway: ChatGateway;
	/** The name by which the service calls itself. */
	server: string;
	version: string;
	clock: Clock;
	logger: Logger;
}

/** The model and the provider that a path names; both are undefined for the shared form. */
interface Place {
	provider?: string;
	model?: string;
}

/**
 * Registers the encrypted channel in both addressings (contract: encrypted-channel.md, Endpoints). In the contract,
 * health and attestation are public. On this machine they require the service's token, as all routes do: it keeps other
 * users of the machine out, who could otherwise request attestations until the sessions of others are evicted from
 * memory.
 */
export function registerChannelRoutes(app: App, dependencies: ChannelRoutesDependencies): void {
	const { gateway, server, version, clock, logger } = dependencies;
	// The cryptography takes a tenth of a second to set up, and most runs of the service never need it.
	const ready = onFirstUse(async () => new (await import('./responder.ts')).Responder(version, clock));

	const open = async (context: AppContext): Promise<OpenedMessage> => {
		const request = await readBody(context, messageRequestSchema, BODY_MEGABYTES);
		return (await ready()).open(nameOf(placeOf(context)), request);
	};
	const ask = async (context: AppContext, history: ChannelMessage[], signal: AbortSignal): Promise<GatewayReply> => {
		const request = await chatRequestFor(placeOf(context), history, gateway);
		return gateway.chat(request, { host: 'enterprise', endpoint: 'chat', signal }).catch(error => {
			throw inClear(error);
		});
	};

	mountChannel(app, 'health', async context => {
		await ready();
		return context.json(healthOf(server, version));
	});
	mountChannel(app, 'attestation', async context => {
		const record = (await ready()).attest(nameOf(placeOf(context)));
		return context.json(record, 200, { 'cache-control': 'no-store' });
	});
	mountChannel(app, 'message', async (context, signal) => {
		const { history, seal } = await open(context);
		const reply = await ask(context, history, signal);
		try {
			const { choices } = await wholeReply(reply.chunks);
			return context.json(await seal(choices[0]?.message.content ?? ''));
		} catch (error) {
			throw inClear(error);
		}
	});
	mountChannel(app, 'messageStream', async (context, signal) => {
		const { history, seal } = await open(context);
		const reply = await ask(context, history, signal);
		// contract: not shown. The stream consists of server-sent events, or of one object per line if the client asks
		// for that (unspecified.md).
		const inLines = context.req.header('accept')?.includes(LINES) === true;
		return streamReply(() => frames(reply, seal, inLines ? asLine : sseEvent), {
			outgoing: context.env.outgoing,
			...defined({ contentType: inLines ? LINES : undefined }),
			onFailure: error => logger.log('warn', 'an encrypted stream was broken off', reasonOf(error)),
		});
	});
}

function mountChannel(
	app: App,
	endpoint: Parameters<typeof channelRoute>[0],
	handle: (context: AppContext, signal: AbortSignal) => Promise<Response>,
): void {
	for (const addressing of ['org', 'encrypt'] as const) {
		const { method, path } = channelRoute(endpoint, addressing);
		const prefix = addressing === 'org' ? '' : ENCRYPTED_PATH;
		app.on(method, prefix + pattern(path), context => untilClientGoes(context, signal => handle(context, signal)));
	}
}

function placeOf(context: AppContext): Place {
	const { provider, model } = context.req.param() as Place;
	return defined({ provider, model });
}

/** Returns a name that is different for each place. */
function nameOf({ provider, model }: Place): string {
	return JSON.stringify([provider, model]);
}

async function chatRequestFor(
	{ provider, model }: Place,
	messages: ChannelMessage[],
	gateway: ChatGateway,
): Promise<ProviderRequest> {
	if (model !== undefined && provider !== undefined) {
		return { model, messages, provider: { order: [provider], only: [provider] } };
	}
	// contract: not shown which model answers on the shared form. It is the first chat model, which belongs to an
	// upstream if there is one.
	const { models } = await gateway.describe();
	const first = models.find(({ kinds }) => kinds.includes('chat'));
	if (first === undefined) {
		throw new RequestRefused(404, 'There is no chat model here.', 'model_not_found');
	}
	return { model: first.id, messages };
}

function healthOf(server: string, version: string): Health {
	return {
		status: 'healthy',
		crypto_status: 'ready',
		server,
		version,
		timestamp: (performance.timeOrigin + performance.now()) / 1000,
		worker_pid: process.pid,
	};
}

async function* frames(
	reply: GatewayReply,
	seal: OpenedMessage['seal'],
	written: (data: unknown) => string,
): AsyncGenerator<string, void, undefined> {
	let isEmpty = true;
	try {
		for await (const text of textBatches(reply.chunks)) {
			isEmpty = false;
			yield written(await seal(text));
		}
	} catch (error) {
		const told = inClear(error);
		// An error thrown here aborts the connection.
		if (!(told instanceof RequestRefused)) {
			throw error;
		}
		const { message, code, upstreams } = told;
		yield written({
			error: { message, code, ...defined({ upstreams: upstreams.length > 0 ? upstreams : undefined }) },
		});
		return;
	}
	if (isEmpty) {
		// The end mark is not signed, so a reply without any frame would prove nothing.
		yield written(await seal(''));
	}
	yield written === asLine ? `${END}\n` : `data: ${END}\n\n`;
}

function asLine(data: unknown): string {
	return `${JSON.stringify(data)}\n`;
}

/** A provider's own message may quote the conversation, so it must not reach the log. */
function reasonOf(error: unknown): { code: string } | { reason: string } {
	return error instanceof ProviderFailure ? { code: error.code } : { reason: describeError(error) };
}

/**
 * Replaces the message of a gateway error by one that quotes nothing of the conversation, as a refusal is sent in clear
 * text. A 404 for an unknown model or for a policy that no provider meets keeps its message, which is our own.
 */
function inClear(error: unknown): unknown {
	const broken = brokenReply(error);
	if (!(broken instanceof RequestRefused) || broken.status === 404) {
		return broken;
	}
	const { status, code, retryAfterMs } = broken;
	const upstreams = broken.upstreams.map(withoutWords);
	const causes = upstreams.map(problem => explainUpstream(problem).cause);
	const message = causes.length === 0 ? 'The provider failed at the conversation.' : causes.join(' ');
	return new RequestRefused(status, message, code, { upstreams, ...defined({ retryAfterMs }) });
}
