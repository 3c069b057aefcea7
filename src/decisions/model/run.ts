// Finished evaluations, which are stored for comparison.
import * as z from 'zod';
import { decisionRequestSchema } from '../../contract/decisions.ts';

/**
 * The state is not stored, as it may be large and contain anything; its digest shows whether two runs had the same one.
 */
const runSchema = z.object({
	id: z.string(),
	/** ISO 8601. */
	at: z.string(),
	/** The connection's name for the user. */
	connection: z.string(),
	/** The requested model. */
	asked: z.string(),
	/** The model that answered, by the service's name for it. */
	model: z.string().exactOptional(),
	servedBy: z.array(z.string()),
	/** The questions in the form in which their answers are shown. */
	questions: decisionRequestSchema.shape.questions,
	answers: z.record(z.string(), z.unknown()),
	ordersDisagree: z.boolean().exactOptional(),
	/** The number of requests sent. */
	requests: z.int().positive(),
	state: z.object({ sha256: z.string(), characters: z.int().nonnegative() }),
	usage: z.object({ input: z.number(), output: z.number() }).exactOptional(),
	/** US dollars. */
	cost: z.number().exactOptional(),
	/** The text of each log entry that a question names by its index. */
	lines: z.record(z.string(), z.string()).exactOptional(),
});
export type Run = z.output<typeof runSchema>;

/** The maximum number of runs that are stored for one file, task or comparison. */
export const MAXIMUM_RUNS = 20;
/** The maximum number of files, tasks and comparisons with stored runs. */
export const MAXIMUM_SUBJECTS = 50;

export const runsSchema = z.object({ subject: z.string(), runs: z.array(runSchema) });
export type Runs = z.output<typeof runsSchema>;

/**
 * The maximum length of one answer's JSON that is stored, in UTF-16 code units. Answers are far shorter, unless a
 * service is hostile.
 */
const MAXIMUM_ANSWER = 100_000;

/**
 * Returns the answers to the questions in the form in which they are stored. If an answer is too long, only the
 * beginning of its JSON is stored.
 */
export function storableAnswers(
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
