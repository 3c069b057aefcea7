// The answers of a model server that stands in for a model in everything the contract says about models: it respects
// max_tokens, stop, seed, tools and formats, reasons, and reports the probabilities of its tokens.
import { createHash } from 'node:crypto';
import type { UpstreamHandoverInput } from '../../src/contract/upstreams.ts';
import { promptOf, textOf } from '../../src/service/inference/demo/demoReplies.ts';
import type { ProviderRequest } from '../../src/service/inference/provider.ts';
import { type UpstreamBehaviour, UpstreamServer } from './upstreamServer.ts';

/** The models. The second one is code-oriented and reasons. */
export const STAND_IN = 'stand-in';
export const CODE_STAND_IN = 'stand-in-code';

/** The prompts that make it do something other than repeat its input. */
export const PROMPTS = {
	fail: 'Fail before the first word',
	error: 'Fail in the middle',
	/** It calls the first tool of the request. */
	call: 'Call a tool',
	/** It calls two at once, or the same one twice if there is only one. */
	calls: 'Call two tools',
	reason: 'Reason before the reply',
	/** It says one word after another for 20 seconds. */
	slow: 'Take your time',
} as const;

const INTRODUCTION = 'This stand-in is no language model. It repeats what it was given.';
const REASONING = 'The user wants to see reasoning, so here it is.';

/** A piece of a reply, which counts as one token. */
interface Piece {
	text: string;
	/** All texts from which it was chosen, with their probabilities. */
	alternatives?: readonly { text: string; probability: number }[];
}

export interface StandIns {
	upstreams: UpstreamHandoverInput['upstreams'];
	stop(): Promise<void>;
}

/**
 * Starts a server behind two providers with the same models. `first` is free and keeps no data; `second` costs more,
 * runs a quantization, knows few parameters and vouches for nothing. `pauseMs` passes between two pieces.
 */
export async function startStandIns(pauseMs = 1): Promise<StandIns> {
	const server = await UpstreamServer.start({ atRequest: body => standInBehaviour(body, pauseMs) });
	const common = {
		url: server.url,
		// Otherwise they would count as the service's own capacity.
		local: false,
		openWeights: true,
		takesReasoning: true,
		images: true,
		models: [
			{ id: STAND_IN, label: 'Stand-in' },
			{ id: CODE_STAND_IN, codeOriented: true },
		],
	};
	return {
		upstreams: [
			{
				slug: 'first',
				...common,
				prices: { input: 0, output: 0 },
				dataPolicy: { zeroDataRetention: true, storesData: false },
			},
			{
				slug: 'second',
				...common,
				prices: { input: 1, output: 2 },
				quantization: 'int8',
				parameters: ['max_tokens', 'stop', 'seed', 'tools', 'tool_choice', 'temperature'],
			},
		],
		stop: () => server.stop(),
	};
}

function standInBehaviour(body: object, pauseMs: number): UpstreamBehaviour {
	const request = body as ProviderRequest;
	const prompt = promptOf(request);
	if (prompt === PROMPTS.fail) {
		return { status: 503, body: { error: { message: 'The stand-in was asked to fail.' } } };
	}
	const chunks = chunksOf(request, prompt);
	return {
		chunks,
		// The chunks already contain the finish reason and the usage.
		isForgetful: true,
		pauseMs: prompt === PROMPTS.slow ? 100 : pauseMs,
		...(prompt === PROMPTS.error ? { errorAfter: Math.floor(chunks.length / 2) } : {}),
	};
}

function chunksOf(request: ProviderRequest, prompt: string): object[] {
	const chunks: object[] = [];
	const add = (delta: object, rest: object = {}) =>
		chunks.push({ choices: [{ index: 0, delta, finish_reason: null, ...rest }] });
	let left = request.max_tokens ?? Number.POSITIVE_INFINITY;
	let count = 0;
	const take = (pieces: readonly Piece[]): readonly Piece[] => {
		const taken = pieces.slice(0, left);
		count += taken.length;
		left -= pieces.length;
		return taken;
	};
	add({ role: 'assistant', content: '' });
	const reasons = prompt === PROMPTS.reason || request.model === CODE_STAND_IN;
	for (const { text } of take(reasons ? piecesOf(REASONING) : [])) {
		add({ reasoning: text });
	}
	const reasoningTokens = count;
	const calls = callsOf(request, prompt);
	const pieces = calls.length > 0 ? [] : replyTo(request, prompt);
	for (const piece of take(untilStop(pieces, request.stop ?? []))) {
		add({ content: piece.text }, logprobsOf(piece, request.top_logprobs));
	}
	for (const [index, { name, pieces: argumentPieces }] of calls.entries()) {
		// The ids differ between the rounds of a conversation.
		const id = `call_${request.messages.length}_${index}`;
		add({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
		for (const { text } of take(argumentPieces)) {
			add({ tool_calls: [{ index, function: { arguments: text } }] });
		}
	}
	const finish_reason = left < 0 ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
	add({}, { finish_reason, provider_specific_fields: { native_finish_reason: finish_reason } });
	const prompted = request.messages.reduce((sum, message) => sum + wordsIn(textOf(message)), 0);
	const usage = {
		prompt_tokens: prompted,
		completion_tokens: count,
		total_tokens: prompted + count,
		completion_tokens_details: { reasoning_tokens: reasoningTokens },
	};
	return [...chunks, { choices: [], usage }];
}

function replyTo(request: ProviderRequest, prompt: string): Piece[] {
	const { messages, response_format: format } = request;
	if (format?.type === 'json_schema') {
		const { schema } = format['json_schema'] as { schema: Schema };
		return sampleOf(schema, `${request.seed}\n${messages.map(textOf).join('\n')}`);
	}
	if (format?.type === 'json_object') {
		return piecesOf(JSON.stringify({ note: INTRODUCTION }));
	}
	if (prompt === PROMPTS.slow) {
		return piecesOf(Array.from({ length: 200 }, (_, index) => index + 1).join(' '));
	}
	const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1).map(textOf);
	const recalled = messages.filter(({ reasoning }) => reasoning !== undefined).length;
	return piecesOf(
		[
			INTRODUCTION,
			`The message has **${wordsIn(prompt)}** words: ${prompt.slice(0, 200)}`,
			`The conversation has **${messages.length}** messages.`,
			...(recalled === 0 ? [] : [`**${recalled}** of them with reasoning that came back.`]),
			...(results.length === 0 ? [] : [`The tools have answered: ${results.join(' ')}`]),
		].join('\n\n'),
	);
}

function callsOf({ tools = [], tool_choice: choice, messages }: ProviderRequest, prompt: string) {
	const isAnswered = messages.at(-1)?.role === 'tool';
	const [first] = tools;
	if (choice === 'none' || isAnswered || first === undefined) {
		return [];
	}
	const named = typeof choice === 'object' ? tools.filter(tool => tool.function.name === choice.function.name) : [];
	const two = [first, tools[1] ?? first];
	const one = choice === 'required' || prompt === PROMPTS.call ? [first] : [];
	return (named.length > 0 ? named : prompt === PROMPTS.calls ? two : one).map(({ function: called }) => ({
		name: called.name,
		pieces: sampleOf((called.parameters ?? { type: 'object' }) as Schema, prompt),
	}));
}

interface Schema {
	type?: string;
	enum?: readonly unknown[];
	properties?: Record<string, Schema>;
}

/** Returns the pieces of a JSON text that fits a simple schema. `key` chooses among values, always in the same way. */
function sampleOf(schema: Schema, key: string): Piece[] {
	if (schema.enum !== undefined || schema.type === 'boolean') {
		return choice(schema.enum ?? [true, false], key);
	}
	if (schema.type === 'object' || schema.properties !== undefined) {
		const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property], index) => [
			{ text: `${index === 0 ? '' : ','}${JSON.stringify(name)}:` },
			...sampleOf(property, `${key}\n${name}`),
		]);
		return [{ text: '{' }, ...properties, { text: '}' }];
	}
	return [{ text: schema.type === 'number' || schema.type === 'integer' ? '1' : JSON.stringify(STAND_IN) }];
}

/** Returns the value as a separate piece without its quotes, because a model often has a single token for it. */
function choice(values: readonly unknown[], key: string): Piece[] {
	const texts = values.map(value => JSON.stringify(value));
	const weights = texts.map(text => 1 + createHash('sha256').update(`${key}\n${text}`).digest().readUInt16BE());
	const sum = weights.reduce((total, weight) => total + weight, 0);
	const chosen = weights.indexOf(Math.max(...weights));
	const isText = values.every(value => typeof value === 'string');
	const quotes = isText ? [{ text: '"' }] : [];
	const inner = (text = '') => (isText ? text.slice(1, -1) : text);
	const alternatives = texts.map((text, index) => ({ text: inner(text), probability: (weights[index] ?? 0) / sum }));
	return [...quotes, { text: inner(texts[chosen]), alternatives }, ...quotes];
}

function logprobsOf({ text, alternatives = [{ text, probability: 1 }] }: Piece, count = 0): object {
	if (count === 0) {
		return {};
	}
	const top = alternatives
		.map(({ text: token, probability }) => ({ token, logprob: Math.log(probability) }))
		.sort((one, other) => other.logprob - one.logprob);
	return { logprobs: { content: [{ ...top.find(({ token }) => token === text), top_logprobs: top.slice(0, count) }] } };
}

function wordsIn(text: string): number {
	return text.match(/\S+/g)?.length ?? 0;
}

/** Splits a text into words, each with the white space before it. */
function piecesOf(text: string): Piece[] {
	return Array.from(text.match(/\s*\S+/g) ?? [], word => ({ text: word }));
}

/** Returns the pieces before the first of the stop texts. */
function untilStop(pieces: readonly Piece[], stops: readonly string[]): readonly Piece[] {
	const text = pieces.map(piece => piece.text).join('');
	const ends = stops.map(stop => text.indexOf(stop)).filter(end => end >= 0);
	return ends.length === 0 ? pieces : piecesOf(text.slice(0, Math.min(...ends)));
}
