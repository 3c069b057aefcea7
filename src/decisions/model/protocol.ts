// The messages between the page of a decision and the host, which makes all texts.
import * as z from 'zod';

const fromPageSchema = z.discriminatedUnion('kind', [
	z.strictObject({ kind: z.literal('page-ready') }),
	z.strictObject({
		kind: z.enum(['prepare', 'send', 'stop', 'show-request', 'choose-model', 'help', 'export']),
	}),
	z.strictObject({ kind: z.literal('show-run'), run: z.string().max(64) }),
	z.strictObject({ kind: z.literal('show-entry'), entry: z.int().nonnegative() }),
]);
export type FromDecisionPage = z.infer<typeof fromPageSchema>;

/** Returns undefined for anything that is not a message of the page. */
export function parseFromDecisionPage(message: unknown): FromDecisionPage | undefined {
	return fromPageSchema.safeParse(message).data;
}

export interface RowView {
	name: string;
	meaning: string;
	/** 0 to 1, for the bar; undefined if the service gave no probability. */
	share?: number;
	/** The same number as text. */
	probability: string;
	isChosen: boolean;
	/** The word that marks the chosen row; empty in the others. */
	mark: string;
	/** The index of the log entry that the row represents. */
	entry?: number;
}

export interface QuestionView {
	id: string;
	/** The type of the question, in words. */
	type: string;
	instructions: string;
	/** The answer in words. */
	answer: string;
	isUncertain: boolean;
	notes: string[];
	rows: RowView[];
	/** The value received in place of an answer. */
	received?: string;
}

export interface SendingView {
	/** The facts about the request, its destination and its cost: labels with their texts. */
	facts: { label: string; text: string }[];
	/** The parts of the state with their sizes. */
	parts: { name: string; label: string; size: string }[];
	/** Warnings for the user before sending. */
	warnings: string[];
}

export interface ResultView {
	/** The notes about all answers. */
	notes: string[];
	facts: { label: string; text: string }[];
	questions: QuestionView[];
	/** Sentences that explain the bars, the words and the types of questions. */
	legend: string[];
	run: string;
}

export interface DecisionView {
	title: string;
	stage: 'preparing' | 'ready' | 'asking' | 'idle';
	/** The present state of the page. */
	sentence: string;
	tone: 'open' | 'bad' | 'pending';
	/** The label of the button that helps with a problem. */
	help?: string;
	/** The sentence which says that answers are a model's opinion. */
	opinion: string;
	/** Absent while nothing is prepared or no model is chosen. */
	sending?: SendingView;
	result?: ResultView;
	runs: { id: string; label: string }[];
	/** The number of stored runs, as a sentence. */
	kept: string;
}
