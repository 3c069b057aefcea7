// The states of the files after each step of a task, which the local service keeps while an agent works. This is an
// addition of our own service: a task that has steps says how many in `errand.steps`.
import * as z from 'zod';
import { OBJECT_NAME } from '../base/objectName.ts';

/**
 * The addresses below a task, with the index of a step in `{index}`. All are read with `GET`, and `search` also takes a
 * `POST`.
 */
export const stepPaths = {
	/** `?fromIndex=` is the index of the first step of the page, 0 by default. Answers a page of steps. */
	list: '/api/tasks/{taskId}/steps',
	/** `?path=` names a file. Answers its bytes as they were after the step; those of a link are its target. */
	file: '/api/tasks/{taskId}/steps/{index}/files',
	/** Answers the changes of the step as a unified diff. */
	diff: '/api/tasks/{taskId}/steps/{index}/diff',
	/** Answers a git bundle whose only reference is `refs/errand/steps/<task>/<index>`. It needs the branch's start. */
	bundle: '/api/tasks/{taskId}/steps/{index}/bundle',
	/**
	 * `?agent=` names one of several agents, counted from 0. Answers what a search would run. A `POST` searches for the
	 * step that broke something, and answers a stream of its events. The search ends with its connection.
	 */
	search: '/api/tasks/{taskId}/steps/search',
} as const;

/** The most steps in one page. */
export const STEPS_PAGE = 200;
/** The size limits in bytes. A longer diff is cut at the end of a line, and the header `errand-cut: true` says so. */
export const MAXIMUM_STEP_FILE = 48 * 1024 * 1024;
export const MAXIMUM_STEP_DIFF = 2 * 1024 * 1024;
export const CUT_HEADER = 'errand-cut';

const STEP_FILE_STATUSES = ['added', 'modified', 'deleted', 'renamed', 'type'] as const;

/**
 * The reasons why something is missing in a state: it is too large, or git ignores it; it belongs to a submodule or is
 * a repository of its own; it is neither file nor link, or cannot be read.
 */
const NOT_KEPT_REASONS = ['too-large', 'ignored', 'submodule', 'special'] as const;

/** `unknown`: the agent does not tell how the command ended, or its end is not that of the tests. */
const TEST_RUN_OUTCOMES = ['passed', 'failed', 'unknown'] as const;

const testRunSchema = z.object({ command: z.string(), outcome: z.enum(TEST_RUN_OUTCOMES).catch('unknown') });
export type TestRun = z.output<typeof testRunSchema>;

/** The most that are told of one step. */
export const MAXIMUM_TEST_RUNS = 20;

export const commitSchema = z.string().regex(OBJECT_NAME, 'must be the full name of a commit');

export const notKeptSchema = z.object({
	reason: z.enum(NOT_KEPT_REASONS).catch('special'),
	names: z.array(z.string()),
});

export const taskStepSchema = z.object({
	/** Counts the steps of a task from 0. */
	index: z.int().min(0),
	/** The index of the log entry of the tool call whose work it is. */
	step: z.int().min(0),
	/** The agent, counted from 0 in the order of the request. */
	agent: z.int().min(0).default(0),
	/** The kind of the tool, such as `edit` or `execute`. `end` stands for changes that no tool call has reported. */
	tool: z.string(),
	title: z.string(),
	/** The commit whose tree is the state of the files after the step. */
	tree: z.string(),
	/** The changed files, at most 100. */
	files: z.array(
		z.object({
			path: z.string(),
			status: z.enum(STEP_FILE_STATUSES).catch('modified'),
			/** The earlier path of a renamed file. */
			from: z.string().optional(),
		}),
	),
	fileCount: z.number(),
	linesAdded: z.number(),
	linesRemoved: z.number(),
	/** True if something else may have written meanwhile, so that the state can be one of a moment later. */
	approximate: z.boolean(),
	/** The names that the state lacks, by reason, at most 20 for each. */
	notKept: z.array(notKeptSchema).optional(),
	/** The commands with which the agent has run tests on the files of this state, the last ones in order. */
	testRuns: z.array(testRunSchema).optional(),
});
export type TaskStep = z.output<typeof taskStepSchema>;

export const taskStepsSchema = z.object({
	steps: z.array(taskStepSchema),
	/** The index at which the next page begins, or `null` at the end of what is there now. */
	nextIndex: z.number().nullable(),
});
export type TaskSteps = z.output<typeof taskStepsSchema>;
