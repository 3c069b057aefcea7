// The schema of an agent's work in a conversation file. Times are in milliseconds since the epoch.
import * as z from 'zod';
import { type FormField, PLAN_STATUSES, TOOL_KINDS } from '../../agents/session/events.ts';
import { DECISIVE_REASONS } from '../../base/decisiveFiles.ts';
import { commitSchema, notKeptSchema } from '../../contract/taskSteps.ts';
import { APPROVAL_ANSWERS, APPROVAL_LEVELS } from './approvals.ts';

/** The largest distance of a date from the epoch, in milliseconds, in either direction. */
const MAXIMUM_TIME = 8.64e15;

/**
 * A time in a file, in milliseconds since the epoch. A time outside the range of dates is clamped, because it would
 * keep the whole conversation from being shown.
 */
export const time = z.number().transform(value => Math.min(Math.max(value, -MAXIMUM_TIME), MAXIMUM_TIME));

const count = z.int().nonnegative();

export const stepSchema = z.object({
	id: z.string(),
	/** The length of the reply's text when the step began, in UTF-16 code units. */
	offset: count,
	kind: z.enum(TOOL_KINDS),
	state: z.enum(['running', 'done', 'failed', 'stopped']),
	title: z.string(),
	/** The exact command, if the step runs one and the agent reports it. */
	command: z.string().exactOptional(),
	/** The tool of an MCP server that the step calls, as `server/tool`. */
	mcpTool: z.string().exactOptional(),
	/** The host of that server, if it is one at an address. */
	mcpHost: z.string().exactOptional(),
	/** Set if that server has to run without a sandbox. */
	isMcpOutside: z.literal(true).exactOptional(),
	/** The tool's arguments as JSON. Only steps with a question have them. */
	input: z.string().exactOptional(),
	locations: z.array(z.object({ path: z.string(), line: z.int().positive().exactOptional() })).exactOptional(),
	/** Paths are relative to the agent's folder, or absolute outside it. `before` is absent for a new file. */
	diffs: z.array(z.object({ path: z.string(), before: z.string().exactOptional(), after: z.string() })).exactOptional(),
	output: z.string().exactOptional(),
	startedAt: time,
	endedAt: time.exactOptional(),
	approval: z
		.object({
			/**
			 * `unanswered`: nobody answered before the turn ended. `setting` and `before`: it was allowed without a question, by
			 * the setting or by an earlier answer. `refused`: it was refused without a question.
			 */
			state: z.enum(['waiting', ...APPROVAL_ANSWERS, 'unanswered', 'setting', 'before', 'refused']),
			/** The id of the question while it waits. A step can be asked about more than once. */
			question: z.string().exactOptional(),
			/** The reason for a refusal without a question. */
			reason: z.string().exactOptional(),
			/** Set if only `once` and `no` are possible answers. */
			isOnlyOnce: z.literal(true).exactOptional(),
			/** The command rule that the answer `conversation` creates, as it is shown. */
			rule: z.string().exactOptional(),
			/** The reason why a file of the step decides what runs; `conversation` then holds for this file. */
			decides: z.enum(DECISIVE_REASONS).exactOptional(),
			/** Set if the step's changes are written to the user's files as soon as they are allowed and made. */
			isWritten: z.literal(true).exactOptional(),
		})
		.exactOptional(),
	/** True if the user's files have the allowed changes. Absent if there are none, and while they are being made. */
	isTaken: z.boolean().exactOptional(),
	// A form that was waiting can no longer be answered once it has been read from a file.
	form: z
		.array(z.unknown())
		.transform((): FormField[] => [])
		.exactOptional(),
	/**
	 * One for each repository in which the step has changed files. The commits are in the repository of states beside the
	 * agent's copy. Absent once they are gone.
	 */
	states: z
		.array(
			z.object({
				/** The top folder of the repository. */
				repository: z.string(),
				before: commitSchema,
				commit: commitSchema,
				fileCount: count,
				linesAdded: count,
				linesRemoved: count,
				/** Set if something else may have written meanwhile. */
				isApproximate: z.literal(true).exactOptional(),
				/** The names that the state lacks, by reason. */
				notKept: z.array(notKeptSchema).exactOptional(),
				/** The refused hunks that the agent's copy had then. */
				refused: z.array(z.object({ path: z.string(), before: z.string(), after: z.string() })).exactOptional(),
			}),
		)
		.exactOptional(),
});

const fileSchema = z.object({
	/** The path relative to the agent's folder. */
	path: z.string(),
	status: z.enum(['A', 'M', 'D', 'R', 'T']),
	/** Absent for content that is not text. */
	added: count.exactOptional(),
	removed: count.exactOptional(),
	/** Set if the user's own file has the agent's change, or a part of it. */
	isTaken: z.literal(true).exactOptional(),
	/** Set if the agent's copy has more of the change than the user's file. Only for a file that is taken. */
	isLeft: z.literal(true).exactOptional(),
	/** Set if the user has undone the change in their own file. */
	isUndone: z.literal(true).exactOptional(),
});

export const checkpointSchema = z.object({
	/** The top folder of the repository. */
	repository: z.string(),
	/** The subfolder of the agent's folder with the repository's files. Absent if there is only one repository. */
	at: z.string().exactOptional(),
	before: commitSchema,
	/** `before` with those of the agent's changes that the user's files have. Absent if they have none yet. */
	taken: commitSchema.exactOptional(),
	/** Absent while the agent works, and if the final state could not be recorded. */
	after: commitSchema.exactOptional(),
});

export const agentWorkSchema = z.object({
	agent: z.string(),
	/** The agent's display name. */
	label: z.string(),
	isSandboxed: z.boolean(),
	/** The approval level of this turn. */
	approvals: z.enum(APPROVAL_LEVELS).exactOptional(),
	/** Set if the agent was to change nothing and to end with a plan. */
	isPlan: z.literal(true).exactOptional(),
	/** The id of the agent's own session, which a later turn continues. */
	session: z.string().exactOptional(),
	/** `new` after earlier turns means that the agent got a summary of them. */
	how: z.enum(['new', 'resumed', 'loaded']).exactOptional(),
	summary: z.string().exactOptional(),
	/** The title of the step of the turn before with whose files the agent began. */
	startedFrom: z.string().exactOptional(),
	/** The agent's last report on its context and on the cost of its session. Absent if there was none. */
	context: z
		.object({
			used: z.number().nonnegative(),
			/** The size of the model's context window. */
			size: z.number().nonnegative(),
			cost: z.object({ amount: z.number().nonnegative(), currency: z.string() }).exactOptional(),
		})
		.exactOptional(),
	/** The agent's title for the conversation. */
	title: z.string().exactOptional(),
	/** The first updates that were not understood. `text` is the beginning of the JSON of one. */
	unknown: z.array(z.object({ kind: z.string(), text: z.string() })).exactOptional(),
	/** Set if the rest of the previous turn's changes cannot be merged with the user's files; it stays with that turn. */
	isSetAside: z.literal(true).exactOptional(),
	steps: z.array(stepSchema),
	/** The number of further steps, which are not stored. */
	further: count.exactOptional(),
	plan: z.array(z.object({ content: z.string(), status: z.enum(PLAN_STATUSES) })).exactOptional(),
	/** One for each repository whose copy the agent works in. */
	checkpoints: z.array(checkpointSchema),
	/** Folders of the window of which the agent has no copy. Without a reason, one has no Git repository. */
	leftOut: z.array(z.object({ folder: z.string(), reason: z.string().exactOptional() })).exactOptional(),
	/** The first files, sorted by path. `fileCount` counts all. */
	files: z.array(fileSchema).exactOptional(),
	fileCount: count.exactOptional(),
});
