import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { Logger } from '../../base/logger.ts';
import { sseEvent } from '../../base/streamText.ts';
import { CHAT_STREAM_END, type Usage } from '../../contract/chatReply.ts';
import { routes } from '../../contract/routes.ts';
import { errorBody } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import { noteInLog } from './foreignFields.ts';
import type { ChatGateway, GatewayCall, GatewayReply } from './gateway.ts';
import { mount } from './hostForms.ts';
import type { GatewayRequest, ProviderFailure, ReplyChoice, ReplyChunk } from './provider.ts';
import { brokenReply, errorInReply } from './providerFailure.ts';
import { readChatRequest } from './readChatRequest.ts';
import { type ChunkWriter, streamComing } from './streamComing.ts';
import { wholeReply } from './wholeReply.ts';

const BODY_MEGABYTES = 16;

export interface ChatRoutesDependencies {
	gateway: ChatGateway;
	logger: Logger;
	/** Reads the body of a request. The default accepts what the contract and public practice have. */
	read?: (body: unknown) => GatewayRequest;
	clock?: Clock;
}

/**
 * Registers both paths of the chat endpoint on both hosts, for streamed and whole replies (contract: inference.md,
 * Endpoints).
 */
export function registerChatRoutes(app: App, { gateway, logger, ...dependencies }: ChatRoutesDependencies): void {
	const note = noteInLog(logger);
	const { read = body => readChatRequest(body, note), clock = systemClock } = dependencies;
	for (const route of [routes.chatCompletions, routes.chatCompletionsV1]) {
		const takesPrefixes = route === routes.chatCompletions;
		mount(app, route, (context, host, signal) =>
			answer(context, { host, takesPrefixes, endpoint: 'chat', signal }, { gateway, logger, read, clock }),
		);
	}
}

async function answer(
	context: AppContext,
	call: GatewayCall,
	{ gateway, logger, read, clock }: Required<ChatRoutesDependencies>,
): Promise<Response> {
	const request = read(await readJson(context, BODY_MEGABYTES));
	const coming = gateway.chat(request, call);
	if (!request.stream) {
		return answerWhole(context, await coming);
	}
	return streamComing(coming, {
		outgoing: context.env.outgoing,
		clock,
		logger,
		open: reply => new ChunkEvents(reply),
		refusal: error => sseEvent(errorBody(routes.chatCompletions.path, error)),
	});
}

interface Head {
	id: string;
	object: 'chat.completion' | 'chat.completion.chunk';
	created: number;
	model: string;
	provider: string;
	system_fingerprint: null;
	/** Our own: the parameters of the request that the model does not take. */
	left_out?: readonly string[];
}

function headOf(object: Head['object'], { provider, model, leftOut = [] }: GatewayReply): Head {
	const created = Math.floor(Date.now() / 1000);
	const told = leftOut.length === 0 ? {} : { left_out: leftOut };
	return { id: `chatcmpl-${randomUUID()}`, object, created, model, provider, system_fingerprint: null, ...told };
}

/**
 * contract: not shown beyond `choices[].delta.content`. The events have the OpenAI shape (unspecified.md, "chunk
 * objects").
 */
class ChunkEvents implements ChunkWriter {
	private readonly head: Head;
	/** The head is the same in nearly every chunk, so it is serialised only once. */
	private readonly headText: string;
	private readonly begun = new Set<number>();

	constructor(reply: GatewayReply) {
		this.head = headOf('chat.completion.chunk', reply);
		this.headText = sseEvent(this.head).slice(0, -'}\n\n'.length);
	}

	end(): string {
		return `data: ${CHAT_STREAM_END}\n\n`;
	}

	/**
	 * contract: not shown. The error is sent as an event in the middle of the stream (unspecified.md, "mid-stream
	 * errors").
	 */
	failure(error: ProviderFailure): string {
		return sseEvent({ error: errorInReply(error) });
	}

	textOf({ choices, usage, model }: ReplyChunk): string {
		const streamed = choices.map(choice => streamedChoice(choice, this.begun));
		if (usage === undefined && model === undefined) {
			return `${this.headText},"choices":${JSON.stringify(streamed)}}\n\n`;
		}
		return sseEvent({
			...this.head,
			...defined({ model }),
			choices: streamed,
			...defined({ usage: usage === undefined ? undefined : withDetails(usage) }),
		});
	}
}

/**
 * Adds the role to the first chunk of a choice and the native finish reason to the last one, even if the provider omits
 * them.
 */
function streamedChoice(choice: ReplyChoice, begun: Set<number>): ReplyChoice {
	const { index, delta, finish_reason, provider_specific_fields } = choice;
	const isFirst = !begun.has(index);
	if (!isFirst && finish_reason === null) {
		return choice;
	}
	begun.add(index);
	const native = provider_specific_fields?.native_finish_reason ?? finish_reason;
	return {
		...choice,
		delta: isFirst ? { ...delta, role: delta.role ?? 'assistant', content: delta.content ?? '' } : delta,
		...defined({ provider_specific_fields: native === null ? undefined : { native_finish_reason: native } }),
	};
}

async function answerWhole(context: AppContext, reply: GatewayReply): Promise<Response> {
	const head = headOf('chat.completion', reply);
	try {
		const { choices, usage, model } = await wholeReply(reply.chunks);
		return context.json({
			...head,
			...defined({ model, choices, usage: usage && withDetails(usage) }),
		});
	} catch (error) {
		throw brokenReply(error);
	}
}

const NO_COMPLETION_DETAILS = {
	accepted_prediction_tokens: 0,
	audio_tokens: 0,
	reasoning_tokens: 0,
	rejected_prediction_tokens: 0,
};
const NO_PROMPT_DETAILS = { audio_tokens: 0, cached_tokens: 0 };

/** Adds the fields that the contract documents, even if the provider omits them (inference.md, Usage). */
function withDetails(usage: NonNullable<ReplyChunk['usage']>): Usage {
	const { prompt_tokens = 0, completion_tokens = 0 } = usage;
	return {
		...usage,
		prompt_tokens,
		completion_tokens,
		total_tokens: usage.total_tokens ?? prompt_tokens + completion_tokens,
		completion_tokens_details: { ...NO_COMPLETION_DETAILS, ...usage.completion_tokens_details },
		prompt_tokens_details: { ...NO_PROMPT_DETAILS, ...usage.prompt_tokens_details },
	};
}
