import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/async.ts';
import type { ReceivedToolCall, Usage } from '../../../contract/chatReply.ts';
import type { Parameter } from '../../../contract/chatRequest.ts';
import type { StoredImage } from '../../images/imageShelf.ts';
import {
	type ModelOffer,
	type Provider,
	ProviderFailure,
	type ProviderRequest,
	type ReplyChunk,
	type ReplyDelta,
} from '../provider.ts';
import { demoImage } from './demoImage.ts';
import { type DemoPiece, piecesOf, untilStop } from './demoPiece.ts';
import { type DemoCall, promptOf, textOf } from './demoReply.ts';
import { demoModels, demoReply } from './demoScripts.ts';

export interface DemoProviderOptions {
	clock: Clock;
	/** Makes an image available and returns its URL. */
	publish(image: StoredImage): string;
}

const DIGEST_LENGTH = 16;

/** The parameters of the second provider. They are few, so that `require_parameters` makes a difference. */
const FEW_PARAMETERS: ReadonlySet<Parameter> = new Set<Parameter>([
	'max_tokens',
	'stop',
	'seed',
	'tools',
	'tool_choice',
	'temperature',
]);

/**
 * Creates the built-in providers, which are always available. There are two with different prices and policies, so that
 * routing can be tried without any model. Their tokens are words, and every reply says that it comes from no model.
 * Nothing is charged for them.
 */
export function demoProviders(options: DemoProviderOptions): Provider[] {
	return [
		provider('demo', 'Demo', true, options, {
			prices: { input: 0, output: 0 },
			dataPolicy: { zeroDataRetention: true, storesData: false },
		}),
		provider('demo-two', 'Demo two', false, options, {
			prices: { input: 1, output: 2 },
			quantization: 'int8',
			parameters: FEW_PARAMETERS,
		}),
	];
}

function provider(
	slug: string,
	label: string,
	isFirst: boolean,
	options: DemoProviderOptions,
	terms: Partial<ModelOffer>,
): Provider {
	const common = { openWeights: true, takesReasoning: true, ...terms } as const;
	const offers: ModelOffer[] = [
		{ ...common, id: demoModels.chat, label: 'Demo', kinds: ['chat'], images: true },
		{ ...common, id: demoModels.code, label: 'Demo for code', kinds: ['chat'], codeOriented: true, images: true },
		{ ...common, id: demoModels.search, label: 'Demo search', kinds: ['search'] },
		{ ...common, id: demoModels.image, label: 'Demo image', kinds: ['image'] },
	];
	return {
		slug,
		label,
		isDedicated: false,
		prefixes: [slug],
		offers: () => offers,
		chat: (request, signal) =>
			request.model === demoModels.image ? image(request, options) : reply(request, isFirst, signal, options.clock),
	};
}

const chunkOf = (delta: ReplyDelta, rest: Partial<ReplyChunk['choices'][number]> = {}): ReplyChunk => ({
	choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});

/** Yields a reply whose whole content is the image's URL, and counts no tokens (contract: inference.md, Endpoints). */
async function* image(request: ProviderRequest, { publish }: DemoProviderOptions): AsyncGenerator<ReplyChunk> {
	const prompt = promptOf(request);
	if (prompt.trim() === '') {
		throw new ProviderFailure('invalid_request', 'messages: an image needs a description of what it is to show.');
	}
	const bytes = demoImage(prompt, request.seed);
	const digest = createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_LENGTH);
	const model = `${request.model}:${digest}`;
	yield { ...chunkOf({ role: 'assistant', content: publish({ bytes, contentType: 'image/png' }) }), model };
	yield { ...chunkOf({}, { finish_reason: 'stop' }), model };
	yield { choices: [], usage: usageOf(0, 0, 0), model };
}

async function* reply(
	request: ProviderRequest,
	isFirst: boolean,
	signal: AbortSignal,
	clock: Clock,
): AsyncGenerator<ReplyChunk> {
	const answer = demoReply(request, isFirst);
	if (answer.fails) {
		throw new ProviderFailure(answer.fails.code, answer.fails.message);
	}
	const budget = new TokenBudget(request.max_tokens);
	const said = untilStop(answer.pieces, request.stop ?? []);
	const isStopped = said !== answer.pieces;
	yield chunkOf({ role: 'assistant', content: '' });
	for (const { text } of budget.take(answer.reasoning)) {
		yield chunkOf({ reasoning: text });
		await clock.sleep(answer.pauseMs, signal);
	}
	const reasoningTokens = budget.taken;
	for (const piece of budget.take(said)) {
		yield chunkOf({ content: piece.text }, logprobsOf(piece, request.top_logprobs));
		await clock.sleep(answer.pauseMs, signal);
	}
	if (answer.breaksWith === 'cut') {
		throw new ProviderFailure('cut', 'The connection was cut, as asked.');
	}
	if (answer.breaksWith === 'error') {
		throw new ProviderFailure('upstream_error', 'The demo was asked to fail in the middle of its reply (/demo error).');
	}
	if (answer.annotations.length > 0 && !budget.isSpent && !isStopped) {
		yield chunkOf({ annotations: [...answer.annotations] });
	}
	const calls = isStopped ? [] : answer.calls;
	for (const [index, call] of calls.entries()) {
		for (const fragment of budget.isSpent ? [] : fragmentsOf(call, index, request)) {
			const pieces = piecesOf(fragment.function?.arguments ?? '');
			if ([...budget.take(pieces)].length < pieces.length) {
				break;
			}
			yield chunkOf({ tool_calls: [fragment] });
			await clock.sleep(answer.pauseMs, signal);
		}
	}
	const finish = budget.isSpent ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
	yield chunkOf({}, { finish_reason: finish, provider_specific_fields: { native_finish_reason: finish } });
	const prompt = request.messages.reduce((count, message) => count + piecesOf(textOf(message)).length, 0);
	yield { choices: [], usage: usageOf(prompt, budget.taken, reasoningTokens) };
}

/** Counts tokens up to `max_tokens`. */
class TokenBudget {
	taken = 0;
	/** Whether there was more to say than the budget allowed. */
	isSpent = false;
	private readonly maximum: number;

	constructor(maximum = Number.POSITIVE_INFINITY) {
		this.maximum = maximum;
	}

	*take(pieces: readonly DemoPiece[]): Generator<DemoPiece> {
		for (const piece of pieces) {
			if (this.taken >= this.maximum) {
				this.isSpent = true;
				return;
			}
			this.taken++;
			yield piece;
		}
	}
}

/** Yields a call as streams send it: its id and name first, then its arguments in pieces. */
function* fragmentsOf(call: DemoCall, index: number, { messages }: ProviderRequest): Generator<ReceivedToolCall> {
	const { name, arguments: text } = call;
	// The ids differ between the rounds of a conversation.
	const id = `call_${messages.length}_${index}`;
	yield { index, id, type: 'function', function: { name, arguments: '' } };
	const third = Math.ceil(text.length / 3);
	for (let start = 0; start < text.length; start += third) {
		const part = text.slice(start, start + third);
		yield { index, id: undefined, type: undefined, function: { name: undefined, arguments: part } };
	}
}

/**
 * Returns the log probabilities of a piece. The demo is deterministic: if it did not choose among alternatives, the
 * piece has the probability 1.
 */
function logprobsOf({ text, alternatives = [{ text, probability: 1 }] }: DemoPiece, count: number | undefined): object {
	if (count === undefined || count === 0) {
		return {};
	}
	const all = alternatives
		.map(({ text: token, probability }) => ({ token, logprob: Math.log(probability) }))
		.sort((one, other) => other.logprob - one.logprob);
	const logprob = all.find(({ token }) => token === text)?.logprob ?? 0;
	return { logprobs: { content: [{ token: text, logprob, top_logprobs: all.slice(0, count) }] } };
}

function usageOf(prompt: number, completion: number, reasoning: number): Usage {
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		completion_tokens_details: {
			accepted_prediction_tokens: 0,
			audio_tokens: 0,
			reasoning_tokens: reasoning,
			rejected_prediction_tokens: 0,
		},
		prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
	};
}
