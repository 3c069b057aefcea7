// Evaluations that were made, as they are kept for comparing them.
import * as z from 'zod';
import { decisionRequestSchema } from '../../contract/decisions.ts';

/** The state is not kept, as it may be large and hold anything; its digest says whether two runs had the same one. */
const runSchema = z.object({
	id: z.string(),
	/** ISO 8601. */
	at: z.string(),
	/** The connection's name for the user. */
	connection: z.string(),
	/** The model as it was asked for. */
	asked: z.string(),
	/** The model that answered, as the service names it. */
	model: z.string().exactOptional(),
	servedBy: z.array(z.string()),
	/** The questions as their answers are shown. */
	questions: decisionRequestSchema.shape.questions,
	answers: z.record(z.string(), z.unknown()),
	ordersDisagree: z.boolean().exactOptional(),
	/** How many requests it took. */
	requests: z.int().positive(),
	state: z.object({ sha256: z.string(), characters: z.int().nonnegative() }),
	usage: z.object({ input: z.number(), output: z.number() }).exactOptional(),
	/** US dollars. */
	cost: z.number().exactOptional(),
	/** The text of each log entry that a question names by its index. */
	lines: z.record(z.string(), z.string()).exactOptional(),
});
export type Run = z.output<typeof runSchema>;

/** How many runs are kept of one file, task or comparison. */
export const MAXIMUM_RUNS = 20;
/** How many files, tasks and comparisons have runs. */
export const MAXIMUM_SUBJECTS = 50;

export const runsSchema = z.object({ subject: z.string(), runs: z.array(runSchema) });
export type Runs = z.output<typeof runsSchema>;

/** The most characters of one answer's JSON that are kept. Answers are far shorter, unless a service is hostile. */
const MAXIMUM_ANSWER = 100_000;

/** Returns the answers to the questions as they are kept. If one is too long, only the beginning of its JSON is kept. */
export function keptAnswers(
	questions: Readonly<Record<string, unknown>>,
	answers: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const asked = Object.entries(answers).filter(([id]) => Object.hasOwn(questions, id));
	return Object.fromEntries(
		asked.map(([id, answer]) => {
			const text = JSON.stringify(answer);
			return [id, text.length > MAXIMUM_ANSWER ? text.slice(0, MAXIMUM_ANSWER) : answer];
		}),
	);
}

/** Adds the newest run to the others, which are sorted newest first. */
export function withRun(runs: readonly Run[], run: Run): Run[] {
	return [run, ...runs.filter(({ id }) => id !== run.id)].slice(0, MAXIMUM_RUNS);
}
