import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Usage } from '../../contract/chatReply.ts';
import type { Question } from '../../contract/decisions.ts';
import type { ChatGateway } from '../inference/gateway.ts';
import type { ProviderRequest } from '../inference/provider.ts';
import { brokenReply } from '../inference/providerFailure.ts';
import { type WholeReply, wholeReply } from '../inference/wholeReply.ts';
import { RequestRefused } from '../replies.ts';
import { type FilledForm, messagesFor, type Option, optionsOf, readFilledForm, responseFormatFor } from './form.ts';

/** The limit includes the reasoning that a reasoning model emits before its answer. */
const MAXIMUM_TOKENS = 2000;
/** The maximum that servers with the OpenAI API accept. */
const MAXIMUM_LOGPROBS = 20;
/** A model that once answered in an unreadable form may answer correctly the next time. */
const TRIES = 2;

export interface Evaluation {
	decision: Decision;
	usage: { input_tokens: number; output_tokens: number };
}

/** The model that decides, and the providers that must not be asked for it. */
export interface Decider {
	/** A chat model. */
	model: string;
	/** Slugs of the providers that must not be asked, even if they have the model. */
	without: readonly string[];
}

export interface QuestionRequest extends Decider {
	id: string;
	question: Question;
	state: object;
}

/**
 * Asks a chat model one question.
 * @throws RequestRefused 502 if the model gives no valid answer, or what the gateway throws; the signal's reason if it
 * aborts.
 */
export async function evaluate(gateway: ChatGateway, asked: QuestionRequest, signal: AbortSignal): Promise<Evaluation> {
	const { id, question, state, model, without } = asked;
	const options = optionsOf(question);
	const usage = { input_tokens: 0, output_tokens: 0 };
	const base: ProviderRequest = {
		model,
		...defined({ provider: without.length === 0 ? undefined : { ignore: [...without] } }),
		messages: messagesFor(state, question, options),
		max_tokens: MAXIMUM_TOKENS,
	};
	for (let tries = 0; tries < TRIES; tries++) {
		const { reply, servedBy } = await ask(gateway, base, options, signal);
		add(usage, reply.usage);
		const [choice] = reply.choices;
		const filled = readFilledForm(choice?.message.content ?? '', options);
		if (filled !== undefined) {
			const shares = tokenProbabilities(choice?.logprobs, options);
			return { decision: decisionOf(question, filled, shares, servedBy), usage };
		}
	}
	throw new RequestRefused(
		502,
		`questions.${id}: the model "${model}" gave no answer that fits, in ${TRIES} tries.`,
		'upstream_error',
	);
}

/**
 * Sends the request with all the fields that make an answer exact, and with fewer if they are refused: not every server
 * accepts a schema, token probabilities or a temperature. The messages contain the instructions in any case.
 */
async function ask(
	gateway: ChatGateway,
	base: ProviderRequest,
	options: readonly Option[],
	signal: AbortSignal,
): Promise<{ reply: WholeReply; servedBy: Decision['served_by'] }> {
	const constrained = { ...base, response_format: responseFormatFor(options), temperature: 0 };
	const top_logprobs = Math.min(MAXIMUM_LOGPROBS, Math.max(5, options.length));
	for (const request of [{ ...constrained, top_logprobs }, constrained]) {
		try {
			return await complete(gateway, request, signal);
		} catch (error) {
			if (!(error instanceof RequestRefused) || error.status !== 400) {
				throw error;
			}
		}
	}
	return await complete(gateway, base, signal);
}

async function complete(
	gateway: ChatGateway,
	request: ProviderRequest,
	signal: AbortSignal,
): Promise<{ reply: WholeReply; servedBy: Decision['served_by'] }> {
	const { provider, model, chunks } = await gateway.chat(request, { host: 'enterprise', endpoint: 'chat', signal });
	try {
		const reply = await wholeReply(chunks);
		return { reply, servedBy: { provider, model: reply.model ?? model } };
	} catch (error) {
		throw brokenReply(error);
	}
}

function add(sum: Evaluation['usage'], usage: Usage | undefined): void {
	sum.input_tokens += usage?.prompt_tokens ?? 0;
	sum.output_tokens += usage?.completion_tokens ?? 0;
}

/**
 * contract: not shown what an answer holds if a model does not report its probabilities. An answer has the contract's
 * fields and two more that say how far it can be trusted. With `stated`, the probability that the model itself stated
 * is passed on, and none are made up for the options that it did not choose.
 */
interface Decision {
	type: Question['type'];
	probabilities_source: 'logprobs' | 'stated';
	served_by: { provider: string; model: string };
	[field: string]: unknown;
}

/** `shares` are the probabilities by option, summing to one, if the upstream reported them. */
function decisionOf(
	question: Question,
	{ chosen, probability }: FilledForm,
	shares: ReadonlyMap<string, number> | undefined,
	servedBy: Decision['served_by'],
): Decision {
	const likeliest = shares === undefined ? { name: chosen.name, share: probability } : likeliestOf(shares, chosen);
	const source = { probabilities_source: shares === undefined ? 'stated' : 'logprobs', served_by: servedBy } as const;
	const probabilities = Object.fromEntries(shares ?? [[chosen.name, probability]]);
	switch (question.type) {
		case 'choice':
			return { type: 'choice', choice: likeliest.name, probabilities, confidence: likeliest.share, ...source };
		case 'score':
			return {
				type: 'score',
				score: shares === undefined ? Number(chosen.name) : meanLevel(shares),
				legend: { ...question.criteria },
				probabilities,
				confidence: likeliest.share,
				...source,
			};
		case 'noul':
			return { type: 'noul', noul: shares?.get('true') ?? statedTruth(chosen, probability), ...source };
	}
}

/** If several are equally likely, the option that the model chose wins. */
function likeliestOf(shares: ReadonlyMap<string, number>, chosen: Option): { name: string; share: number } {
	let best = { name: chosen.name, share: shares.get(chosen.name) ?? 0 };
	for (const [name, share] of shares) {
		best = share > best.share ? { name, share } : best;
	}
	return best;
}

function meanLevel(shares: ReadonlyMap<string, number>): number {
	return [...shares].reduce((sum, [level, share]) => sum + Number(level) * share, 0);
}

function statedTruth(chosen: Option, probability: number): number {
	return chosen.name === 'true' ? probability : 1 - probability;
}

const tokenSchema = z.looseObject({ token: z.string(), logprob: z.number() });

/** The shape of `logprobs` in the choices of servers with the OpenAI API. */
const logprobsSchema = z.looseObject({
	content: z.array(tokenSchema.extend({ top_logprobs: z.array(tokenSchema).nullish() })),
});

/** Matches up to the label in `{"answer": "A"`. */
const BEFORE_ANSWER = /"answer"\s*:\s*"\s*/;

/**
 * Returns the probability of each option by name; they sum to one. The probability of tokens that are not a label is
 * ignored, and an option that is not among the most likely tokens gets 0. Returns undefined if the tokens do not tell.
 */
export function tokenProbabilities(logprobs: unknown, options: readonly Option[]): Map<string, number> | undefined {
	const tokens = logprobsSchema.safeParse(logprobs).data?.content;
	const labels = new Map(options.map(({ label, name }) => [label, name]));
	// A label of two characters may consist of two tokens, the first of which may belong to several labels.
	if (tokens === undefined || options.some(({ label }) => label.length > 1)) {
		return undefined;
	}
	const answering = tokens[answerPosition(tokens.map(({ token }) => token))];
	const alternatives = answering?.top_logprobs ?? [];
	const shares = new Map(options.map(({ name }) => [name, 0]));
	let sum = 0;
	for (const { token, logprob } of alternatives) {
		const name = labels.get(labelIn(token));
		if (name !== undefined) {
			const share = Math.exp(Math.min(0, logprob));
			shares.set(name, (shares.get(name) ?? 0) + share);
			sum += share;
		}
	}
	if (sum === 0) {
		return undefined;
	}
	return new Map([...shares].map(([name, share]) => [name, share / sum]));
}

function answerPosition(tokens: readonly string[]): number {
	const text = tokens.join('');
	const found = BEFORE_ANSWER.exec(text);
	if (found === null) {
		return -1;
	}
	const labelAt = found.index + found[0].length;
	let end = 0;
	return tokens.findIndex(token => {
		end += token.length;
		return end > labelAt;
	});
}

/** Removes the punctuation that a token may contain besides the label, as in `"A` or `A",`. */
function labelIn(token: string): string {
	return token.replace(/^[\s:"]+|[\s",}]+$/g, '');
}
