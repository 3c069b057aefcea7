// A run as a file to be exported.

import { type QuestionOutcome, readOutcomes } from './outcome.ts';
import type { Run } from './run.ts';

/** The sentences of an export, in the editor's language. */
export interface ExportWords {
	title: string;
	opinion: string;
	/** The answer in words. */
	answer(outcome: QuestionOutcome): string;
	/** The notes about an answer. */
	notes(outcome: QuestionOutcome): string[];
}

/** Returns a JSON text with everything that is stored of the run, and its answers in words. */
export function runAsJson(run: Run, words: ExportWords): string {
	const { id: _, questions, answers, ...facts } = run;
	const said = Object.fromEntries(
		readOutcomes(questions, answers).map(([id, outcome]) => [id, [words.answer(outcome), ...words.notes(outcome)]]),
	);
	const fields = { format: 'errand-decision-1', title: words.title, note: words.opinion, ...facts };
	return `${JSON.stringify({ ...fields, questions, answers, inWords: said }, undefined, '\t')}\n`;
}
