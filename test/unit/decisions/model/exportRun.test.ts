import assert from 'node:assert/strict';
import { type ExportWords, runAsJson } from '../../../../src/decisions/model/exportRun.ts';
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
	answer: ({ answer }) => `It is ${answer}`,
	notes: () => ['Uncertain.'],
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
});
