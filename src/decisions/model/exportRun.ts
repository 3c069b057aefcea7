// A run as a file to be exported.

import { append } from '../../base/append.ts';
import { oneLine } from '../../base/plainText.ts';
import { type QuestionOutcome, readOutcomes } from './outcome.ts';
import type { Run } from './run.ts';

/** The sentences of an export, in the editor's language. */
export interface ExportWords {
	title: string;
	opinion: string;
	facts(run: Run): string[];
	/** The answer in words. */
	answer(outcome: QuestionOutcome): string;
	/** The notes about an answer. */
	notes(outcome: QuestionOutcome): string[];
	ordersDisagree: string;
	columns: { option: string; meaning: string; probability: string };
	percent(probability: number): string;
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

/** Returns the run as Markdown. Foreign texts are escaped so that they remain plain text. */
export function runAsMarkdown(run: Run, words: ExportWords): string {
	const { option, meaning, probability } = words.columns;
	const lines = [
		`# ${plain(words.title)}`,
		'',
		plain(words.opinion),
		'',
		...words.facts(run).map(fact => `- ${plain(fact)}`),
	];
	if (run.ordersDisagree) {
		lines.push('', plain(words.ordersDisagree));
	}
	for (const [id, outcome] of readOutcomes(run.questions, run.answers)) {
		const rows = outcome.rows.map(row => {
			const share = row.probability === undefined ? '' : words.percent(row.probability);
			return `| ${plain(row.name)} | ${plain(row.meaning)} | ${share} |`;
		});
		append(lines, [
			...['', `## ${plain(id)}`, '', plain(run.questions[id]?.instructions ?? ''), ''],
			`**${plain(words.answer(outcome))}**`,
			...words.notes(outcome).flatMap(note => ['', plain(note)]),
			...['', `| ${plain(option)} | ${plain(meaning)} | ${plain(probability)} |`, '| --- | --- | ---: |', ...rows],
		]);
	}
	return `${lines.join('\n')}\n`;
}

/**
 * Escapes everything that Markdown or HTML could interpret, including addresses and formulas, and puts the text on one
 * line.
 */
function plain(text: string): string {
	return oneLine(text)
		.replace(/[\\`*_{}[\]<>()#+!|~&$]/g, '\\$&')
		.replaceAll('://', ':\\/\\/')
		.replace(/\bwww\./gi, match => `${match.slice(0, -1)}\\.`)
		.replace(/^(?:[-=]|\d+(?=\.))/, match => (/\d/.test(match) ? `${match}\\` : `\\${match}`));
}
