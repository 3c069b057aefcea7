// The messages between the page of a task's steps and the host, and the state that the editor keeps of it. The host puts
// all facts into words.
import * as z from 'zod';
import type { TestRun } from '../../contract/taskSteps.ts';
import type { StepFileStatus } from './stepGrid.ts';

/** What the page offers to do with a step. */
const PAGE_ACTIONS = ['changes', 'files', 'continue', 'take'] as const;
export type PageAction = (typeof PAGE_ACTIONS)[number];

const index = z.int().min(0);

const fromPageSchema = z.discriminatedUnion('kind', [
	z.strictObject({ kind: z.enum(['page-ready', 'read-again']) }),
	/** `index` is that of the step. */
	z.strictObject({ kind: z.literal('run-action'), action: z.enum(PAGE_ACTIONS), index }),
	z.strictObject({ kind: z.literal('select-step'), index }),
	/** `agent` is its position among those of the task. */
	z.strictObject({ kind: z.literal('select-agent'), agent: index }),
]);
export type FromStepsPage = z.infer<typeof fromPageSchema>;

/** Returns undefined for anything that is not a message of the page. */
export function parseFromStepsPage(message: unknown): FromStepsPage | undefined {
	return fromPageSchema.safeParse(message).data;
}

const shownStepsSchema = z.object({ connection: z.string(), taskId: z.string(), title: z.string() });
export type ShownSteps = z.infer<typeof shownStepsSchema>;

/** Returns undefined for anything but the subject of a page. */
export function parseShownSteps(value: unknown): ShownSteps | undefined {
	return shownStepsSchema.safeParse(value).data;
}

export interface StepColumn {
	index: number;
	/** The number by which the step is known. */
	number: string;
	title: string;
	/** What it was, and how much it has changed. */
	facts: string;
	/** The sentences about what restricts its state, and about runs of tests. */
	notes: string[];
	/** The outcome of the last run of tests on its files, in a form and in words. */
	tests: { outcome: TestRun['outcome']; text: string } | undefined;
}

export interface FileRow {
	/** Identifies the file as long as the page shows the same agent. */
	id: number;
	path: string;
	name: string;
	folder: string;
	/** `at` is the position of a step. The text says what has happened to the file. */
	cells: { at: number; status: StepFileStatus; text: string }[];
}

export interface StepsView {
	title: string;
	/** What there is, or why there is nothing. */
	sentence: string;
	tone: 'open' | 'bad' | 'pending';
	/** The agents of a task that has several, of which one is shown. */
	agents: string[];
	agent: number;
	/** The index of the step that is selected when the page opens, or when `request` changes. */
	selected: number | undefined;
	request: number;
	actions: { action: PageAction; label: string }[];
	columns: StepColumn[];
	rows: FileRow[];
	/** Says how many files are left out; empty if there are none. */
	filesLeft: string;
}
