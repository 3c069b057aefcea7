import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { sseEvent, type TextSource } from '../../base/streamText.ts';
import { CHAT_STREAM_END, type Usage } from '../../contract/chatReply.ts';
import { routes } from '../../contract/routes.ts';
import { untilClientGoes } from '../clientGone.ts';
import { errorBody, RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import { streamReply } from '../streamReply.ts';
import { noteInLog } from './foreignFields.ts';
import type { ChatGateway, GatewayCall, GatewayReply } from './gateway.ts';
import { mount } from './hostForms.ts';
import { type GatewayRequest, ProviderFailure, type ReplyChoice, type ReplyChunk } from './provider.ts';
import { brokenReply, errorInReply } from './providerFailure.ts';
import { readChatRequest } from './readChatRequest.ts';
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
 * After so long, the head of a stream is sent without its first word, which a server may take half an hour for: clients end
 * an exchange without a head. What fails after that is an event of the stream.
 */
const HEAD_AFTER_MS = 60_000;

/** Clients end a stream that is silent, too. */
export const COMMENT_EVERY_MS = 30_000;

/**
 * Registers both paths of the chat endpoint on both hosts, for streamed and whole replies (contract: inference.md,
 * Endpoints).
 */
export function registerChatRoutes(app: App, { gateway, logger, ...dependencies }: ChatRoutesDependencies): void {
	const note = noteInLog(logger);
	const { read = body => readChatRequest(body, note), clock = systemClock } = dependencies;
	for (const route of [routes.chatCompletions, routes.chatCompletionsV1]) {
		const takesPrefixes = route === routes.chatCompletions;
		mount(app, route, (context, host) =>
			untilClientGoes(context, signal =>
				answer(context, { host, takesPrefixes, endpoint: 'chat' }, signal, { gateway, logger, read, clock }),
			),
		);
	}
}

async function answer(
	context: AppContext,
	place: Omit<GatewayCall, 'signal'>,
	signal: AbortSignal,
	{ gateway, logger, read, clock }: Required<ChatRoutesDependencies>,
): Promise<Response> {
	const request = read(await readJson(context, BODY_MEGABYTES));
	const coming = gateway.chat(request, { ...place, signal });
	if (!request.stream) {
		return answerWhole(context, await coming);
	}
	const late = Promise.withResolvers<undefined>();
	const cancel = clock.after(HEAD_AFTER_MS, () => late.resolve(undefined));
	const reply = await Promise.race([coming, late.promise]).finally(cancel);
	return streamReply(() => (reply ? new ReplyEvents(reply) : lateEvents(coming)), {
		outgoing: context.env.outgoing,
		commentEveryMs: COMMENT_EVERY_MS,
		onFailure: error => logger.log('warn', 'a chat stream was broken off', { reason: describeError(error) }),
	});
}

/** The events of a reply that has not begun yet, or the refusal in place of one. */
async function* lateEvents(coming: Promise<GatewayReply>): AsyncGenerator<string, void, undefined> {
	let events: ReplyEvents;
	try {
		events = new ReplyEvents(await coming);
	} catch (error) {
		if (!(error instanceof RequestRefused)) {
			throw error;
		}
		yield sseEvent(errorBody(routes.chatCompletions.path, error));
		return;
	}
	try {
		for (let read = await events.next(); !read.done; read = await events.next()) {
			yield read.value;
		}
	} finally {
		await events.return();
	}
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

const END = { done: true, value: undefined } as const;

/**
 * contract: not shown beyond `choices[].delta.content`. The events have the OpenAI shape (unspecified.md, "chunk
 * objects").
 *
 * This iterator is written by hand: every chunk passes through it, and a generator would cost as much as writing the
 * chunk.
 */
class ReplyEvents implements TextSource {
	private readonly chunks: GatewayReply['chunks'];
	private readonly head: Head;
	/** The head is the same in nearly every chunk, so it is serialised only once. */
	private readonly headText: string;
	private readonly begun = new Set<number>();
	private isOver = false;

	constructor(reply: GatewayReply) {
		this.chunks = reply.chunks;
		this.head = headOf('chat.completion.chunk', reply);
		this.headText = sseEvent(this.head).slice(0, -'}\n\n'.length);
	}

	next(): Promise<IteratorResult<string, void>> {
		return this.isOver ? Promise.resolve(END) : this.chunks.next().then(this.onChunk, this.onFailure);
	}

	return(): Promise<unknown> {
		this.isOver = true;
		return this.chunks.return();
	}

	private readonly onChunk = ({ done, value }: IteratorResult<ReplyChunk, undefined>): IteratorResult<string, void> => {
		if (done) {
			this.isOver = true;
			return { done: false, value: `data: ${CHAT_STREAM_END}\n\n` };
		}
		let text = this.textOf(value);
		for (const arrived of this.chunks.takeArrived()) {
			text += this.textOf(arrived);
		}
		return { done: false, value: text };
	};

	private readonly onFailure = (error: unknown): IteratorResult<string, void> => {
		this.isOver = true;
		// An error that is thrown here aborts the connection.
		if (!(error instanceof ProviderFailure)) {
			throw error;
		}
		// contract: not shown. The error is sent as an event in the middle of the stream (unspecified.md, "mid-stream
		// errors").
		return { done: false, value: sseEvent({ error: errorInReply(error) }) };
	};

	private textOf({ choices, usage, model }: ReplyChunk): string {
		const streamed = choices.map(choice => streamedChoice(choice, this.begun));
		if (usage === undefined && model === undefined) {
			return `${this.headText},"choices":${JSON.stringify(streamed)}}\n\n`;
		}
		return sseEvent({
			...this.head,
			...defined({ model }),
			choices: streamed,
			...(usage === undefined ? {} : { usage: withDetails(usage) }),
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
		...(native === null ? {} : { provider_specific_fields: { native_finish_reason: native } }),
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
