import type { Usage } from '../../contract/chatReply.ts';
import type { Question } from '../../contract/decisions.ts';
import type { ChatGateway } from '../inference/gateway.ts';
import { ProviderFailure, type ProviderRequest } from '../inference/provider.ts';
import { type WholeReply, wholeReply } from '../inference/wholeReply.ts';
import { RequestRefused } from '../replies.ts';
import { type Decision, decisionOf } from './answers.ts';
import { messagesFor, type Option, optionsOf, readFilledForm, responseFormatFor } from './form.ts';
import { tokenProbabilities } from './tokenProbabilities.ts';

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

/** Who decides. */
export interface Decider {
	/** A chat model. */
	model: string;
	/** Slugs of the providers that must not be asked, even if they have the model. */
	without: readonly string[];
}

export interface QuestionAsked extends Decider {
	id: string;
	question: Question;
	state: object;
}

/**
 * Asks a chat model one question.
 * @throws RequestRefused 502 if the model gives no valid answer, or what the gateway throws; the signal's reason if it
 * aborts.
 */
export async function evaluate(gateway: ChatGateway, asked: QuestionAsked, signal: AbortSignal): Promise<Evaluation> {
	const { id, question, state, model, without } = asked;
	const options = optionsOf(question);
	const usage = { input_tokens: 0, output_tokens: 0 };
	const base: ProviderRequest = {
		model,
		...(without.length === 0 ? {} : { provider: { ignore: [...without] } }),
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
	const { provider, model, chunks } = await gateway.chat(request, { host: 'enterprise', signal });
	try {
		const reply = await wholeReply(chunks);
		return { reply, servedBy: { provider, model: reply.model ?? model } };
	} catch (error) {
		if (error instanceof ProviderFailure) {
			throw new RequestRefused(502, error.message, error.code);
		}
		throw error;
	}
}

function add(sum: Evaluation['usage'], usage: Usage | undefined): void {
	sum.input_tokens += usage?.prompt_tokens ?? 0;
	sum.output_tokens += usage?.completion_tokens ?? 0;
}
