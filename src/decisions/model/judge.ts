// Which of several changes is better? The question is asked in two orders of the changes, so that the position does not
// decide.
import { defined } from '../../base/defined.ts';
import type { Question, Questions } from '../../contract/decisions.ts';
import { readOutcome } from './outcome.ts';
import type { Asked, Combined, DecisionReply } from './sending.ts';

/** The result of one agent for the prompt. */
interface Contender {
	/** Different from the names of the others. */
	name: string;
	changes: string;
}

export const JUDGE_QUESTION = 'better';

export const DEFAULT_CRITERIA =
	'It does what the prompt asks, completely and correctly; it changes nothing else; it is tested; it is simple and reads like the code around it.';

/** An option that belongs to no contender, so it stays in its place in both orders. */
const NONE = 'none_of_the_above';
const NONE_MEANING = 'None of them is better: they are equally good, or none does what the prompt asks.';

/** The reasons that can decide how good a contender is. A decision has no words of its own. */
const REASONS = {
	right: 'It does all that state.prompt asks, correctly, and nothing else.',
	incomplete: 'A part of what state.prompt asks is missing.',
	incorrect: 'Something in it is wrong, or breaks what worked.',
	changes_more: 'It changes more than state.prompt asks.',
	untested: 'It is not tested, or weakens tests.',
	hard_to_read: 'It is harder to read than need be, or unlike the code around it.',
	other: 'None of these decides.',
};

/** Returns the requests: the contenders in their order, with the reasons for each, and in the opposite one. */
export function judgeRequests(prompt: string, criteria: string, contenders: readonly Contender[]): Asked[] {
	return [contenders, contenders.toReversed()].map((order, at) => ({
		state: {
			prompt,
			criteria,
			...Object.fromEntries(order.map(({ changes }, at) => [positionOf(at), changes])),
		},
		questions: {
			...questionsFor(
				order.map((_, position) => [positionOf(position), `The changes in state.${positionOf(position)}.`]),
			),
			...(at === 0
				? reasonsFor(order.map((_, position) => [positionOf(position), `state.${positionOf(position)}`]))
				: {}),
		},
	}));
}

/** Returns the questions for the combined answers: the options are the contenders, and each has its reason. */
export function judgeQuestions(contenders: readonly Contender[]): Questions {
	return {
		...questionsFor(contenders.map(({ name }) => [name, ''])),
		...reasonsFor(contenders.map(({ name }) => [name, name])),
	};
}

const reasonOf = (name: string) => `reason: ${name}`;

/** Returns the question why for each of the contenders, of each its name and how the question names it. */
function reasonsFor(contenders: readonly (readonly [string, string])[]): Questions {
	return Object.fromEntries(
		contenders.map(([name, shown]) => [
			reasonOf(name),
			{
				type: 'choice',
				instructions: `What decides most how good the changes in ${shown} are, judged by state.criteria?`,
				criteria: REASONS,
			},
		]),
	);
}

/**
 * Averages the replies to `judgeRequests`. A contender has no probability if one of the orders gives none. If the
 * orders have different winners, nobody has won unless the averages distinguish two of them.
 */
export function combineJudgements(names: readonly string[], replies: readonly DecisionReply[]): Combined {
	const orders = [names, names.toReversed()];
	const read = replies.map(({ answers }, at) => readOrder(orders[at] ?? [], answers[JUDGE_QUESTION]));
	const options = [...names, NONE];
	const means = options.flatMap(name => {
		const shares = read.map(({ probabilities }) => probabilities.get(name));
		return shares.every(share => share !== undefined)
			? [[name, shares.reduce((sum, share) => sum + share, 0) / shares.length] as const]
			: [];
	});
	const winners = new Set(read.map(({ choice }) => choice));
	const [only] = winners;
	const choice = winners.size === 1 ? only : means.length === options.length ? clearlyFirst(means) : undefined;
	const probabilities = Object.fromEntries(means);
	const source = replies.flatMap(({ answers }) => sourceOf(answers[JUDGE_QUESTION]));
	const answer = {
		type: 'choice',
		...(choice === undefined ? { undecided: winners.size > 1 } : { choice, confidence: probabilities[choice] }),
		probabilities,
		...defined({ probabilities_source: source.includes('stated') ? 'stated' : undefined }),
	};
	const reasons = names.map((name, at) => [reasonOf(name), replies[0]?.answers[reasonOf(positionOf(at))]]);
	return {
		answers: { [JUDGE_QUESTION]: answer, ...Object.fromEntries(reasons) },
		ordersDisagree: winners.size > 1,
	};
}

/**
 * Averages that differ by less count as the same: a model that always prefers the first position produces such a pair.
 */
const SAME = 0.01;

function clearlyFirst(means: readonly (readonly [string, number])[]): string | undefined {
	const [first, second] = means.toSorted(([, one], [, other]) => other - one);
	return first && first[1] - (second?.[1] ?? 0) > SAME ? first[0] : undefined;
}

const positionOf = (at: number) => `solution_${at + 1}`;

function questionsFor(options: readonly (readonly [string, string])[]): Questions {
	const criteria = { ...Object.fromEntries(options), [NONE]: NONE_MEANING };
	const instructions =
		'Which of the solutions does best what state.prompt asks, judged by state.criteria? Their order means nothing.';
	return { [JUDGE_QUESTION]: { type: 'choice', instructions, criteria } };
}

/** Reads one reply, with the names of the contenders in place of their positions. */
function readOrder(
	order: readonly string[],
	received: unknown,
): { choice: string | undefined; probabilities: Map<string, number> } {
	const names = new Map(order.map((name, at) => [positionOf(at), name]));
	const question = questionsFor(order.map((_, at) => [positionOf(at), '']))[JUDGE_QUESTION] as Question;
	const { answer, rows } = readOutcome(question, received);
	const nameOf = (option: string) => names.get(option) ?? option;
	return {
		choice: typeof answer === 'string' ? nameOf(answer) : undefined,
		probabilities: new Map(
			rows.flatMap(({ name, probability }) => (probability === undefined ? [] : [[nameOf(name), probability]])),
		),
	};
}

function sourceOf(received: unknown): string[] {
	const { probabilities_source: source } = Object(received) as { probabilities_source?: unknown };
	return typeof source === 'string' ? [source] : [];
}
