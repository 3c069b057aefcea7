// The schema of an agent's work in a conversation file.
import * as z from 'zod';
import { type FormField, PLAN_STATUSES, TOOL_KINDS } from '../../agents/session/events.ts';
import { DECISIVE_REASONS } from '../../base/decisiveFiles.ts';
import { commitSchema, notKeptSchema } from '../../contract/taskSteps.ts';
import { APPROVAL_LEVELS, APPROVAL_STATES, STEP_STATES } from './agentWork.ts';

/** The largest distance of a date from the epoch, in milliseconds, in either direction. */
const MAXIMUM_TIME = 8.64e15;

/**
 * A time in a file, in milliseconds since the epoch. A time outside the range of dates is clamped, because it would
 * keep the whole conversation from being shown.
 */
export const time = z.number().transform(value => Math.min(Math.max(value, -MAXIMUM_TIME), MAXIMUM_TIME));

const count = z.int().nonnegative();

const stepSchema = z.object({
	id: z.string(),
	offset: count,
	kind: z.enum(TOOL_KINDS),
	state: z.enum(STEP_STATES),
	title: z.string(),
	command: z.string().exactOptional(),
	mcpTool: z.string().exactOptional(),
	mcpHost: z.string().exactOptional(),
	isMcpOutside: z.literal(true).exactOptional(),
	input: z.string().exactOptional(),
	locations: z.array(z.object({ path: z.string(), line: z.int().positive().exactOptional() })).exactOptional(),
	diffs: z.array(z.object({ path: z.string(), before: z.string().exactOptional(), after: z.string() })).exactOptional(),
	output: z.string().exactOptional(),
	startedAt: time,
	endedAt: time.exactOptional(),
	approval: z
		.object({
			state: z.enum(APPROVAL_STATES),
			question: z.string().exactOptional(),
			reason: z.string().exactOptional(),
			isOnlyOnce: z.literal(true).exactOptional(),
			rule: z.string().exactOptional(),
			decides: z.enum(DECISIVE_REASONS).exactOptional(),
			isWritten: z.literal(true).exactOptional(),
		})
		.exactOptional(),
	isTaken: z.boolean().exactOptional(),
	// A form that was waiting can no longer be answered once it has been read from a file.
	form: z
		.array(z.unknown())
		.transform((): FormField[] => [])
		.exactOptional(),
	states: z
		.array(
			z.object({
				repository: z.string(),
				before: commitSchema,
				commit: commitSchema,
				fileCount: count,
				linesAdded: count,
				linesRemoved: count,
				isApproximate: z.literal(true).exactOptional(),
				notKept: z.array(notKeptSchema).exactOptional(),
				refused: z.array(z.object({ path: z.string(), before: z.string(), after: z.string() })).exactOptional(),
			}),
		)
		.exactOptional(),
});

const fileSchema = z.object({
	path: z.string(),
	status: z.enum(['A', 'M', 'D', 'R', 'T']),
	added: count.exactOptional(),
	removed: count.exactOptional(),
	isTaken: z.literal(true).exactOptional(),
	isLeft: z.literal(true).exactOptional(),
	isUndone: z.literal(true).exactOptional(),
});

export const agentWorkSchema = z.object({
	agent: z.string(),
	label: z.string(),
	isSandboxed: z.boolean(),
	approvals: z.enum(APPROVAL_LEVELS).exactOptional(),
	isPlan: z.literal(true).exactOptional(),
	session: z.string().exactOptional(),
	how: z.enum(['new', 'resumed', 'loaded']).exactOptional(),
	summary: z.string().exactOptional(),
	startedFrom: z.string().exactOptional(),
	context: z
		.object({
			used: z.number().nonnegative(),
			size: z.number().nonnegative(),
			cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).exactOptional(),
		})
		.exactOptional(),
	title: z.string().exactOptional(),
	unknown: z.array(z.object({ kind: z.string(), text: z.string() })).exactOptional(),
	isSetAside: z.literal(true).exactOptional(),
	steps: z.array(stepSchema),
	further: count.exactOptional(),
	plan: z.array(z.object({ content: z.string(), status: z.enum(PLAN_STATUSES) })).exactOptional(),
	checkpoints: z.array(
		z.object({
			repository: z.string(),
			at: z.string().exactOptional(),
			before: commitSchema,
			taken: commitSchema.exactOptional(),
			after: commitSchema.exactOptional(),
		}),
	),
	leftOut: z.array(z.object({ folder: z.string(), reason: z.string().exactOptional() })).exactOptional(),
	files: z.array(fileSchema).exactOptional(),
	fileCount: count.exactOptional(),
});
