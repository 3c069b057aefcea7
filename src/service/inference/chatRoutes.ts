import { randomUUID } from 'node:crypto';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { CHAT_STREAM_END } from '../../contract/chatReply.ts';
import { type ChatRequest, chatRequestSchema } from '../../contract/chatRequest.ts';
import { routes } from '../../contract/routes.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import { sseEvent, streamReply } from '../streamReply.ts';
import { type ChatProvider, ProviderFailure, type ProviderUsage } from './chatProvider.ts';

const BODY_MEGABYTES = 16;

export interface ChatRoutesDependencies {
	providers: readonly ChatProvider[];
	logger: Logger;
}

/** Both paths of the chat endpoint, streamed and whole (contract: inference.md, Endpoints). */
export function registerChatRoutes(app: App, dependencies: ChatRoutesDependencies): void {
	for (const { path } of [routes.chatCompletions, routes.chatCompletionsV1]) {
		app.post(path, async context => {
			const request = parseOrRefuse(chatRequestSchema, await readJson(context, BODY_MEGABYTES));
			refuseUnkept(request);
			const provider = chooseProvider(dependencies.providers, request);
			return request.stream
				? answerStreamed(context, request, provider, dependencies.logger)
				: await answerWhole(context, request, provider);
		});
	}
}

/** What a request may demand by the contract and no provider here can keep. Answering without it would be a lie. */
function refuseUnkept({ tool_choice, response_format }: ChatRequest): void {
	if (tool_choice === 'required' || typeof tool_choice === 'object') {
		throw new RequestRefused(400, 'tool_choice: no model here calls tools, so a call cannot be demanded.');
	}
	if (response_format !== undefined && response_format.type !== 'text') {
		throw new RequestRefused(400, 'response_format: no model here keeps to a format. Leave it out.');
	}
}

/** By model, then by the request's wishes. A wish that cannot be met is an error, never quietly passed over. */
function chooseProvider(providers: readonly ChatProvider[], request: ChatRequest): ChatProvider {
	const hosting = providers.filter(provider => provider.models.includes(request.model));
	if (hosting.length === 0) {
		const names = [...new Set(providers.flatMap(provider => provider.models))].map(name => `"${name}"`).join(', ');
		throw new RequestRefused(404, `There is no such model here. There is ${names}.`, 'model_not_found');
	}
	const { only, ignore, order, allow_fallbacks, quantizations = [] } = request.provider ?? {};
	const allowed = hosting.filter(
		({ slug }) =>
			(only === undefined || only.includes(slug)) &&
			!ignore?.includes(slug) &&
			// No provider here runs a quantized model.
			quantizations.length === 0 &&
			(allow_fallbacks !== false || order === undefined || order.includes(slug)),
	);
	const chosen = allowed[0];
	if (chosen === undefined) {
		const names = hosting.map(({ slug }) => `"${slug}"`).join(', ');
		throw new RequestRefused(
			404,
			`provider: it leaves no provider for this model. It is served by ${names}.`,
			'no_provider',
		);
	}
	return chosen;
}

interface Head {
	id: string;
	created: number;
	model: string;
	provider: string;
	system_fingerprint: null;
}

function headOf(request: ChatRequest, provider: ChatProvider): Head {
	return {
		id: `chatcmpl-${randomUUID()}`,
		created: Math.floor(Date.now() / 1000),
		model: request.model,
		provider: provider.slug,
		system_fingerprint: null,
	};
}

function answerStreamed(context: AppContext, request: ChatRequest, provider: ChatProvider, logger: Logger): Response {
	const { outgoing } = context.env;
	return streamReply(signal => chunks(request, provider, signal), {
		outgoing,
		onFailure: error => logger.log('warn', 'a chat stream was broken off', { reason: describeError(error) }),
	});
}

/** contract: not shown beyond `choices[].delta.content`. The OpenAI shape (unspecified.md, "chunk objects"). */
async function* chunks(
	request: ChatRequest,
	provider: ChatProvider,
	signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
	const head = { ...headOf(request, provider), object: 'chat.completion.chunk' };
	const choice = (delta: object, rest: object = {}) => ({
		...head,
		choices: [{ index: 0, delta, finish_reason: null, ...rest }],
	});
	yield sseEvent(choice({ role: 'assistant', content: '' }));
	try {
		for await (const event of provider.stream(request, signal)) {
			switch (event.type) {
				case 'text':
					yield sseEvent(choice({ content: event.text }));
					break;
				case 'finish':
					yield sseEvent(choice({}, finished(event.reason)));
					break;
				case 'usage':
					yield sseEvent({ ...head, choices: [], usage: withDetails(event.usage) });
					break;
			}
		}
		yield `data: ${CHAT_STREAM_END}\n\n`;
	} catch (error) {
		// What is thrown here breaks the connection off.
		if (!(error instanceof ProviderFailure) || error.code === 'cut') {
			throw error;
		}
		// contract: not shown. An error in the middle of a stream (unspecified.md, "mid-stream errors").
		yield sseEvent({ error: { message: error.message, code: error.code } });
	}
}

async function answerWhole(context: AppContext, request: ChatRequest, provider: ChatProvider): Promise<Response> {
	const gone = new AbortController();
	const onClose = () => gone.abort(new DOMException('The client has gone.', 'AbortError'));
	context.env.outgoing.once('close', onClose);
	let content = '';
	let reason = 'stop';
	let usage: ProviderUsage | undefined;
	try {
		for await (const event of provider.stream(request, gone.signal)) {
			switch (event.type) {
				case 'text':
					content += event.text;
					break;
				case 'finish':
					reason = event.reason;
					break;
				case 'usage':
					usage = event.usage;
					break;
			}
		}
	} catch (error) {
		if (error instanceof ProviderFailure && error.code === 'upstream_error') {
			throw new RequestRefused(502, error.message, error.code);
		}
		if (gone.signal.aborted || error instanceof ProviderFailure) {
			context.env.outgoing.destroy();
			return new Response(null);
		}
		throw error;
	} finally {
		context.env.outgoing.off('close', onClose);
	}
	return context.json({
		...headOf(request, provider),
		object: 'chat.completion',
		choices: [
			{ index: 0, message: { role: 'assistant', content, tool_calls: null, function_call: null }, ...finished(reason) },
		],
		...(usage === undefined ? {} : { usage: withDetails(usage) }),
	});
}

const finished = (reason: string): object => ({
	finish_reason: reason,
	provider_specific_fields: { native_finish_reason: reason },
});

const withDetails = (usage: ProviderUsage): object => ({
	...usage,
	completion_tokens_details: {
		accepted_prediction_tokens: 0,
		audio_tokens: 0,
		reasoning_tokens: 0,
		rejected_prediction_tokens: 0,
	},
	prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
});
