// The way in which the MCP server's process asks the editor: HTTP over a private socket, with a token. This is our own
// protocol and no part of the service's contract.
import * as z from 'zod';
import { hasInvisible } from '../base/invisible.ts';
import { decisionRequestSchema } from './decisions.ts';
import { lenient } from './lenient.ts';
import { integerFrom } from './ranges.ts';
import { logEntrySchema, taskListQuerySchema, taskSchema } from './tasks.ts';

export const PIPE_MEGABYTES = 1;

/** The limit for a line of an answer in bytes. The largest log entry is shorter. */
export const MAXIMUM_PIPE_LINE = 16 * 1024 * 1024;

/** The limit for a prompt from another program, in characters. Nobody can check a longer one before consenting. */
const MAXIMUM_ASKED_PROMPT = 50_000;

const MAXIMUM_NAME = 400;
const MAXIMUM_QUERY = 4_000;

/** A name as used in a command or an address: a task's id, a branch, an agent. */
export const nameSchema = z.string().min(1).max(MAXIMUM_NAME);
/** A name that cannot pass for anything else where it is shown. */
export const plainNameSchema = nameSchema.refine(
	name => !/\s/.test(name) && !hasInvisible(name),
	'has blanks or invisible characters',
);
const textUpTo = (maximum: number) =>
	z
		.string()
		.max(maximum, `must have at most ${maximum} characters`)
		.refine(text => text.trim() !== '', 'must not be empty');
export const promptSchema = textUpTo(MAXIMUM_ASKED_PROMPT);
export const querySchema = textUpTo(MAXIMUM_QUERY);
/** A path inside a repository. */
export const filePathSchema = z.string().min(1).max(4096);

/** The arguments of the calls, by path. Those of `acting` spend or change something, so the user is asked first. */
export const pipeCalls = {
	list: taskListQuerySchema,
	get: z.strictObject({ id: nameSchema }),
	/** Answers with the events of the log until the log ends. */
	follow: z.strictObject({ id: nameSchema, fromIndex: integerFrom(0) }),
	changes: z.strictObject({ id: nameSchema }),
	diff: z.strictObject({ id: nameSchema, result: nameSchema.optional(), path: filePathSchema }),
	start: z.strictObject({
		prompt: promptSchema,
		/** The address, the folder or the name of a repository. */
		repository: filePathSchema.optional(),
		branch: plainNameSchema.optional(),
		agent: plainNameSchema.optional(),
		model: plainNameSchema.optional(),
	}),
	continue: z.strictObject({ id: nameSchema, prompt: promptSchema }),
	stop: z.strictObject({ id: nameSchema }),
	decide: decisionRequestSchema.pick({ state: true, questions: true }),
	search: z.strictObject({ query: querySchema }),
} as const;
export type PipeCall = keyof typeof pipeCalls;
export type PipeArguments<Call extends PipeCall> = z.input<(typeof pipeCalls)[Call]>;
export type PipeParsed<Call extends PipeCall> = z.output<(typeof pipeCalls)[Call]>;

const changedFileSchema = z.object({
	path: z.string(),
	/** The status letter of git: `A`, `M`, `D`, `R` or `T`. */
	status: z.string(),
	/** Undefined for binary content. */
	added: z.number().optional(),
	removed: z.number().optional(),
});

/** The changes of a task, with one entry for each branch that it has made. */
const taskChangesSchema = z.object({
	results: z.array(
		z.object({
			/** Identifies the result if a task has several. */
			result: z.string(),
			branch: z.string(),
			agent: z.string().optional(),
			/** Some of them, in git's order. `total` counts all. */
			files: z.array(changedFileSchema),
			total: z.number(),
		}),
	),
});
export type TaskChangeList = z.output<typeof taskChangesSchema>;

const fileDiffSchema = z.object({ text: z.string(), isCut: z.boolean() });
export type FileDiff = z.output<typeof fileDiffSchema>;

/** Something to know before a task starts. */
const launchFindingSchema = z.object({
	text: z.string(),
	detail: z.string().optional(),
	isBlocking: z.boolean(),
});
export type LaunchFinding = z.output<typeof launchFindingSchema>;

/** The outcome of a call that needed the user's consent: a value, or a sentence that says why there is none. */
function outcomeOf<Value extends z.ZodType>(value: Value) {
	return z.discriminatedUnion('done', [
		z.object({ done: z.literal(true), value }),
		z.object({ done: z.literal(false), reason: z.string(), findings: z.array(launchFindingSchema).optional() }),
	]);
}
export type EditorOutcome<Value> =
	| { done: true; value: Value }
	| { done: false; reason: string; findings?: LaunchFinding[] | undefined };

const startedTaskSchema = z.object({
	task: taskSchema,
	findings: z.array(launchFindingSchema),
	/** The data that was sent, in one line. */
	sent: z.string(),
});
export type StartedTask = z.output<typeof startedTaskSchema>;

const continuedTaskSchema = z.object({
	/** The task that goes on, or the new one started from its branch. */
	task: taskSchema,
	isNew: z.boolean(),
});
export type ContinuedTask = z.output<typeof continuedTaskSchema>;

const madeDecisionSchema = z.object({
	model: z.string().optional(),
	answers: z.record(z.string(), z.unknown()),
});
export type MadeDecision = z.output<typeof madeDecisionSchema>;

const searchAnswerSchema = z.object({
	text: z.string(),
	sources: z.array(
		z.object({ url: z.string().optional(), title: z.string().optional(), excerpt: z.string().optional() }),
	),
});
export type SearchAnswer = z.output<typeof searchAnswerSchema>;

/** The value that each call answers with. For `follow`, it comes after the events. */
export const pipeAnswers = {
	list: z.object({
		tasks: z.array(taskSchema),
		hasMore: z.boolean(),
		offset: z.number(),
		limit: z.number(),
	}),
	get: taskSchema,
	follow: z.object({}),
	changes: taskChangesSchema,
	diff: fileDiffSchema,
	start: outcomeOf(startedTaskSchema),
	continue: outcomeOf(continuedTaskSchema),
	stop: outcomeOf(taskSchema),
	decide: outcomeOf(madeDecisionSchema),
	search: outcomeOf(searchAnswerSchema),
} as const;
export type PipeAnswer<Call extends PipeCall> = z.output<(typeof pipeAnswers)[Call]>;

/** An event of a followed log, reduced to what concerns the task. */
const logEventSchema = z.discriminatedUnion('type', [
	z.object({ type: z.literal('log'), index: z.number(), entry: logEntrySchema }),
	z.object({ type: z.literal('status'), status: z.string() }),
	z.object({ type: z.literal('gap'), from: z.number(), to: z.number() }),
	z.object({ type: z.literal('complete'), status: z.string(), message: lenient(z.string()) }),
]);
export type LogEventOfTask = z.output<typeof logEventSchema>;

/** A line of an answer. The last line has the value, or a sentence that says why there is none. */
export const pipeLineSchema = z.union([
	z.object({ event: logEventSchema }),
	z.object({ value: z.unknown() }),
	z.object({ problem: z.string() }),
]);
