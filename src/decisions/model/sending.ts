// The requests of an evaluation, and their results.
import { estimateTokens } from '../../base/tokens.ts';
import type { Connection } from '../../contract/connection.ts';
import { type DecisionUsage, decisionModelId, type Questions } from '../../contract/decisions.ts';
import { findModel } from '../../contract/modelIdentifier.ts';
import { type Prices, readPrices } from '../../contract/prices.ts';

/** One request without its model, which the user may still change. */
export interface Asked {
	state: Record<string, unknown>;
	questions: Questions;
}

/** A part of the state, as it is shown before it is sent. */
export interface StatePart {
	name: string;
	/** A description, such as the name of a file. */
	label: string;
	characters: number;
}

/** The reply to one request. The answers are those that the service sent, as the client has read them. */
export interface DecisionReply {
	model: string | undefined;
	answers: Record<string, unknown>;
	usage: DecisionUsage | undefined;
}

/** The combined answers to all requests of an evaluation. */
export interface Combined {
	answers: Record<string, unknown>;
	/** True if the orders of one comparison had different winners. */
	ordersDisagree?: boolean;
}

const PER_TOKEN = 1 / 1_000_000;

/** A few words of JSON for each question. */
const TOKENS_OF_ANSWER = 20;

/** Returns the model that a request names. Undefined if neither the file nor the connection has one. */
export function modelOf(connection: Connection, chosen: string | undefined): string | undefined {
	return chosen ?? (connection.decisionModel === undefined ? undefined : decisionModelId(connection.decisionModel));
}

/**
 * Estimates the tokens of requests on the safe side: each question is evaluated separately, so the state counts once
 * for each of them.
 */
export function estimateUsage(requests: readonly Asked[]): { input: number; output: number } {
	let [input, output] = [0, 0];
	for (const { state, questions } of requests) {
		const ofState = estimateTokens(JSON.stringify(state));
		for (const question of Object.values(questions)) {
			input += ofState + estimateTokens(JSON.stringify(question));
			output += TOKENS_OF_ANSWER;
		}
	}
	return { input, output };
}

/** Returns the estimated cost in US dollars. Undefined if the connection states no price for the model. */
export function estimateCost(
	connection: Connection,
	model: string,
	{ input, output }: { input: number; output: number },
): number | undefined {
	const name = connection.decisionModel ?? model;
	const isNamed = model === name || model === decisionModelId(name);
	return costAt(pricesOf(connection, model) ?? (isNamed ? pricesOf(connection, name) : undefined), input, output);
}

/**
 * Returns the cost of replies in US dollars. The local service names the model that gave each answer; its price applies
 * to the usage only if all answers are of one model.
 */
export function costOf(connection: Connection, model: string, replies: readonly DecisionReply[]): number | undefined {
	let sum = 0;
	for (const { model: resolved = model, answers, usage } of replies) {
		const named = pricesOf(connection, resolved) ?? pricesOf(connection, model);
		const prices = servedPrices(connection, Object.values(answers)) ?? named;
		const cost = costAt(prices, usage?.input_tokens, usage?.output_tokens);
		if (cost === undefined) {
			return undefined;
		}
		sum += cost;
	}
	return sum;
}

function costAt(prices: Prices | undefined, input?: number, output?: number): number | undefined {
	return prices?.input === undefined || prices.output === undefined || input === undefined || output === undefined
		? undefined
		: (input * prices.input + output * prices.output) * PER_TOKEN;
}

/** Returns who has answered, if the service says so, each once. */
export function servedBy(replies: readonly DecisionReply[]): string[] {
	const names = replies.flatMap(({ answers }) => Object.values(answers).map(serverOf));
	return [...new Set(names.flatMap(served => (served ? [`${served.provider} · ${served.model}`] : [])))];
}

function servedPrices(connection: Connection, answers: readonly unknown[]): Prices | undefined {
	const all = answers.map(serverOf);
	const [first] = all;
	if (!first || all.some(other => other?.provider !== first.provider || other.model !== first.model)) {
		return undefined;
	}
	const provider = connection.providers.find(({ slug }) => slug === first.provider);
	return readPrices(provider?.prices) ?? pricesOf(connection, first.model);
}

const pricesOf = (connection: Connection, model: string) => readPrices(findModel(connection, model)?.prices);

function serverOf(answer: unknown): { provider: string; model: string } | undefined {
	const { served_by: served } = Object(answer) as { served_by?: unknown };
	const { provider, model } = Object(served) as { provider?: unknown; model?: unknown };
	return typeof provider === 'string' && typeof model === 'string' ? { provider, model } : undefined;
}
