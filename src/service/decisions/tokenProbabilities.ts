// Reads the probability of each option from the log probabilities of the token that the model answered with.
import * as z from 'zod';
import type { Option } from './form.ts';

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

/** Returns the index of the token that holds the label. */
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
