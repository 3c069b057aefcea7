// The answers of the decision endpoint (contract: inference.md, Decision request and response).
import type { Question } from '../../contract/decisions.ts';
import type { FilledForm, Option } from './form.ts';

/**
 * contract: not shown what an answer holds if a model does not report its probabilities. An answer has the contract's
 * fields and two more that say how far it can be trusted. With `stated`, the probability that the model itself stated
 * is passed on, and none are made up for the options that it did not choose.
 */
export interface Decision {
	type: Question['type'];
	probabilities_source: 'logprobs' | 'stated';
	served_by: { provider: string; model: string };
	[field: string]: unknown;
}

/** `shares` are the probabilities by option, summing to one, if the upstream reported them. */
export function decisionOf(
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
