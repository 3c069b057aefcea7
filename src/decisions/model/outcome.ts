// The outcome of an answer, in a form that the page, exports and comparisons share.
import { type Question, type Questions, readAnswer } from '../../contract/decisions.ts';

/** One option, level or truth value. */
interface OutcomeRow {
	name: string;
	meaning: string;
	/** Undefined if the service gave none. */
	probability: number | undefined;
	isChosen: boolean;
}

/**
 * `even`: two options are nearly as likely, or the orders of a comparison have different winners. `doubtful`: the
 * chosen option is not likely. `contradictory`: another option is likelier than the chosen one. `unknown`: nothing
 * indicates it.
 */
type Certainty = 'clear' | 'even' | 'doubtful' | 'contradictory' | 'unknown';

export interface QuestionOutcome {
	type: Question['type'];
	/** The chosen option, the score or the probability that the statement is true; undefined if there is none. */
	answer: string | number | undefined;
	/** Sorted by probability; the levels of a score keep their order. */
	rows: readonly OutcomeRow[];
	certainty: Certainty;
	/** The two likeliest options, if they are nearly as likely. */
	rivals: readonly string[];
	confidence: number | undefined;
	/** True if the probability is the model's own statement and was not measured. */
	isStated: boolean;
	/** The received value, if it was not an answer to the question. */
	received: unknown;
}

/** The difference in probability below which two options count as nearly as likely. */
const NEAR = 0.15;
/** The probability below which a choice is doubtful. */
const LIKELY = 0.5;
/** The distance from one half within which a statement counts as uncertain. */
const HALF = 0.1;

/** The maximum number of options shown that were not asked for. */
const MAXIMUM_STRANGE = 20;

/** Reads the answer to a question, which may be anything. */
export function readOutcome(question: Question, received: unknown): QuestionOutcome {
	const answer = readAnswer(question.type, received);
	const stated = Object(received) as { probabilities_source?: unknown; undecided?: unknown };
	const base = {
		type: question.type,
		answer: undefined,
		...{ rivals: [], confidence: undefined, received: undefined },
		isStated: stated.probabilities_source === 'stated',
	};
	if (answer.type === 'other' || !isPossible(answer, question)) {
		const rows = criteriaOf(question).map(row => ({ ...row, probability: undefined, isChosen: false }));
		return { ...base, rows, certainty: 'unknown', received };
	}
	if (answer.type === 'noul') {
		const { noul } = answer;
		const rows = criteriaOf(question).map(({ name, meaning }) => ({
			name,
			meaning,
			probability: noul === undefined ? undefined : name === 'true' ? noul : 1 - noul,
			isChosen: noul !== undefined && noul !== 0.5 && noul > 0.5 === (name === 'true'),
		}));
		const isEven = noul !== undefined && Math.abs(noul - 0.5) < HALF;
		const certainty = noul === undefined ? 'unknown' : isEven ? 'even' : 'clear';
		const rivals = isEven ? ['true', 'false'] : [];
		return { ...base, answer: noul, rows, certainty, rivals };
	}
	const { probabilities, confidence } = answer;
	const chosen = answer.type === 'choice' ? answer.choice : answer.score;
	const level = typeof chosen === 'number' ? String(Math.round(chosen)) : chosen;
	const listed = criteriaOf(question);
	// A service may answer with an option that was not among the criteria.
	const names = new Set(listed.map(({ name }) => name));
	const strange = Object.keys(probabilities)
		.filter(name => !names.has(name))
		.slice(0, MAXIMUM_STRANGE);
	const rows = [...listed, ...strange.map(name => ({ name, meaning: '' }))].map(row => ({
		...row,
		probability: Object.hasOwn(probabilities, row.name) ? probabilities[row.name] : undefined,
		isChosen: row.name === level,
	}));
	const sorted = byProbability(rows);
	const { certainty, rivals } = certaintyOf(sorted, confidence, question.type === 'choice' ? level : undefined);
	if (chosen === undefined && stated.undecided === true) {
		return { ...base, rows: sorted, certainty: 'even', rivals };
	}
	const shown = question.type === 'score' ? rows : sorted;
	return chosen === undefined
		? { ...base, rows: shown, certainty: 'unknown', confidence, received }
		: { ...base, answer: chosen, rows: shown, certainty, rivals, confidence };
}

/** Reads all answers, in the order of their questions. */
export function readOutcomes(
	questions: Questions,
	answers: Readonly<Record<string, unknown>>,
): [string, QuestionOutcome][] {
	return Object.entries(questions).map(([id, question]) => [
		id,
		readOutcome(question, Object.hasOwn(answers, id) ? answers[id] : undefined),
	]);
}

/** Returns whether the numbers of an answer are possible for its question. */
function isPossible(
	answer: Exclude<ReturnType<typeof readAnswer>, { type: 'other' }>,
	{ criteria }: Question,
): boolean {
	if (answer.type === 'noul') {
		return isShare(answer.noul);
	}
	const score = answer.type === 'score' ? answer.score : undefined;
	return (
		(score === undefined || (score >= 0 && score <= Object.keys(criteria).length - 1)) &&
		isShare(answer.confidence) &&
		Object.values(answer.probabilities).every(isShare)
	);
}

const isShare = (value: number | undefined) => value === undefined || (value >= 0 && value <= 1);

function criteriaOf({ type, criteria }: Question): { name: string; meaning: string }[] {
	return type === 'score'
		? criteria.map((meaning, level) => ({ name: String(level), meaning }))
		: Object.entries(criteria).map(([name, meaning]) => ({ name, meaning }));
}

function byProbability(rows: readonly OutcomeRow[]): OutcomeRow[] {
	const weight = ({ probability = -1 }: OutcomeRow) => probability;
	return rows.toSorted((one, other) => weight(other) - weight(one));
}

function certaintyOf(
	[first, second]: readonly OutcomeRow[],
	confidence: number | undefined,
	chosen: string | undefined,
): { certainty: Certainty; rivals: string[] } {
	const likeliest = first?.probability ?? confidence;
	if (likeliest === undefined) {
		return { certainty: 'unknown', rivals: [] };
	}
	if (first?.probability !== undefined && second?.probability !== undefined) {
		const isEven = first.probability - second.probability < NEAR;
		return isEven
			? { certainty: 'even', rivals: [first.name, second.name] }
			: chosen !== undefined && chosen !== first.name
				? { certainty: 'contradictory', rivals: [first.name] }
				: { certainty: first.probability < LIKELY ? 'doubtful' : 'clear', rivals: [] };
	}
	return { certainty: likeliest < LIKELY ? 'doubtful' : 'clear', rivals: [] };
}
