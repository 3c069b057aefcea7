import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { type ExportWords, runAsJson, runAsMarkdown } from '../../../../src/decisions/model/exportRun.ts';
import type { Run } from '../../../../src/decisions/model/run.ts';

const run: Run = {
	id: 'r1',
	at: '2026-01-02T03:04:05.000Z',
	connection: 'Acme',
	asked: 'decider-latest',
	model: 'decider-1.2.3',
	servedBy: [],
	questions: {
		cause: {
			type: 'choice',
			instructions: 'Why? <b>now</b>',
			criteria: { a: 'first | second', other: '[link](https://evil.example)\n# heading' },
		},
	},
	answers: { cause: { type: 'choice', choice: 'a', probabilities: { a: 0.75, other: 0.25 }, confidence: 0.75 } },
	requests: 1,
	state: { sha256: 'abc', characters: 12 },
	usage: { input: 10, output: 2 },
};
const words: ExportWords = {
	title: 'Triage',
	opinion: 'An opinion.',
	facts: ({ model }) => [`Model: ${model}`],
	answer: ({ answer }) => `It is ${answer}`,
	notes: () => ['Uncertain.'],
	ordersDisagree: 'The orders disagree.',
	columns: { option: 'Answer', meaning: 'Meaning', probability: 'Probability' },
	percent: probability => `${probability * 100} %`,
};

describe('an exported decision', () => {
	it('is JSON with questions, answers, model and usage', () => {
		const { id: _, ...kept } = run;
		assert.deepEqual(JSON.parse(runAsJson(run, words)), {
			format: 'errand-decision-1',
			title: 'Triage',
			note: 'An opinion.',
			...kept,
			inWords: { cause: ['It is a', 'Uncertain.'] },
		});
	});

	it('is Markdown in which texts of others are text', () => {
		const text = runAsMarkdown({ ...run, ordersDisagree: true }, words);
		assert.equal(
			text,
			`# Triage

An opinion.

- Model: decider-1.2.3

The orders disagree.

## cause

Why? \\<b\\>now\\</b\\>

**It is a**

Uncertain.

| Answer | Meaning | Probability |
| --- | --- | ---: |
| a | first \\| second | 75 % |
| other | \\[link\\]\\(https:\\/\\/evil.example\\) \\# heading | 25 % |
`,
		);
	});

	it('has in Markdown no link, image, formula or list that a text of others makes', () => {
		const texts = [
			'![x](https://evil.example/a.png) <img src=//evil.example> [a]: https://evil.example',
			'see https://evil.example, www.evil.example, HTTP://evil.example and <https://evil.example>',
			'$\\href{https://evil.example}{x}$ and `code`',
			'- item',
			'1. item',
			'--- \u202Ehidden\u0007',
		];
		const markdown = new MarkdownIt({ html: true, linkify: true });
		for (const hostile of texts) {
			const criteria = { a: hostile, [hostile]: 'x' };
			const cause = { type: 'choice' as const, instructions: hostile, criteria };
			const text = runAsMarkdown({ ...run, questions: { [hostile]: cause } }, { ...words, title: hostile });
			assert.doesNotMatch(markdown.render(text), /<(?:a|img|ol|hr|code)\b|<li>(?!Model)/, text);
			assert.doesNotMatch(text, /\p{Cf}|(?!\n)\p{Cc}|(?<!\\)\$/u);
		}
	});
});
