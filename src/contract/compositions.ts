// A result that is composed of the work of several agents of one task. This is an addition of our own service: such a
// result is an execution of the task, whose `errand.composedOf` names the agents.
import * as z from 'zod';
import { commitSchema } from './taskSteps.ts';

/** Takes a composition with `POST`, and answers with the task as `POST /api/tasks` does. */
export const COMPOSITIONS = '/api/tasks/{taskId}/compositions';

/** The most results of agents, and the most compositions of one task. */
export const MAXIMUM_COMPOSED = 8;
export const MAXIMUM_COMPOSITIONS = 4;

const agent = z
	.int()
	.min(0)
	.max(MAXIMUM_COMPOSED - 1);
/** Lines, counted from 0. */
const lines = { start: z.int().min(0), count: z.int().min(0) };

const path = z
	.string()
	.max(4_096)
	.refine(
		name => !name.includes('\0') && !name.split('/').some(part => ['', '.', '..'].includes(part)),
		'must name a file within the repository, relative to its top folder',
	);

export const compositionSchema = z.strictObject({
	/** The commit that the work of all agents began with. */
	base: commitSchema,
	/** The agents, counted from 0, with the commits of their branches. */
	results: z
		.array(z.strictObject({ agent, commit: commitSchema }))
		.min(1)
		.max(MAXIMUM_COMPOSED),
	/** What is taken of them. Whatever is not named stays as it is in `base`. */
	files: z
		.array(
			z.union([
				/** Each of the paths is as these agents have left it: a file, a link or nothing. */
				z.strictObject({ paths: z.array(path).min(1).max(2), agents: z.array(agent).min(1) }),
				/** Lines of `base` and, for each agent that has made this change, the lines in their place. */
				z.strictObject({
					path,
					hunks: z
						.array(z.strictObject({ ...lines, origins: z.array(z.strictObject({ agent, ...lines })).min(1) }))
						.min(1),
				}),
			]),
		)
		.min(1),
});
export type Composition = z.output<typeof compositionSchema>;
