// The search for the step of a task that broke something, which the local service makes (`stepPaths.search`).
import * as z from 'zod';
import { TEST_OUTCOMES } from './agents.ts';

/** The length in UTF-16 code units of the command of a search. */
export const MAXIMUM_SEARCH_COMMAND = 2_000;

export const stepSearchRequestSchema = z.strictObject({
	/** A line for a shell, which succeeds where nothing is broken; the repository's tests by default. */
	command: z
		.string()
		.trim()
		.min(1)
		.max(MAXIMUM_SEARCH_COMMAND)
		.regex(/^[^\0]*$/, 'must not have a NUL')
		.optional(),
	/** The agent whose steps are searched, counted from 0. */
	agent: z.int().min(0).optional(),
});
export type StepSearchRequest = z.output<typeof stepSearchRequestSchema>;

export const stepSearchPlanSchema = z.object({
	/** The command of the repository's tests, or `null` if it does not say how it is tested. */
	command: z.string().nullable(),
	/** The number of steps, one after the other, that lead to the last state. */
	steps: z.number(),
	/** The most runs that a search takes, apart from those that repeat an unstable result. */
	runs: z.number(),
	/** True if they are in a sandbox. Otherwise the user has allowed that in this repository. */
	isSandboxed: z.boolean(),
});
export type StepSearchPlan = z.output<typeof stepSearchPlanSchema>;

const outcomeSchema = z.enum(TEST_OUTCOMES);

/** In all events, `index` is the step after which the state is, or -1 for the state before the first step. */
export const stepSearchEventSchema = z.discriminatedUnion('type', [
	/** A run begins, the first with number 1. `repeats` says why the state runs once more. */
	z.object({
		type: z.literal('run'),
		run: z.number(),
		of: z.number(),
		index: z.number(),
		repeats: z.enum(['check', 'unstable']).optional(),
	}),
	/** Lines of the present run: what the command prints, and what is said about it. */
	z.object({ type: z.literal('output'), lines: z.array(z.string()) }),
	z.object({ type: z.literal('end'), run: z.number(), index: z.number(), outcome: outcomeSchema }),
	/** Two runs of one state have ended differently. */
	z.object({ type: z.literal('unstable'), index: z.number() }),
	/**
	 * The end of the search: the command passes on the state before the step `index`, which is the one after the step
	 * `before`, and does not pass after it.
	 */
	z.object({
		type: z.literal('found'),
		index: z.number(),
		before: z.number(),
		outcome: outcomeSchema,
		runs: z.number(),
	}),
	/**
	 * The end of a search without such a step: the command passes after the last one; fails or cannot be run already
	 * before the first; or the state at `index` passes in some runs only.
	 */
	z.object({
		type: z.literal('none'),
		reason: z.enum(['passes', 'fails-before', 'not-run', 'unstable']),
		index: z.number(),
		runs: z.number(),
	}),
	/** The end of a search that failed, with a sentence. */
	z.object({ type: z.literal('error'), error: z.string() }),
]);
export type StepSearchEvent = z.output<typeof stepSearchEventSchema>;
