import assert from 'node:assert/strict';
import { runAsJson } from '../../../src/decisions/exportDecision.ts';
import type { Run } from '../../../src/decisions/model/run.ts';

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

describe('an exported decision', () => {
	it('is JSON with questions, answers, model and usage', () => {
		const { id: _, ...kept } = run;
		assert.deepEqual(JSON.parse(runAsJson(run, 'Triage')), {
			format: 'errand-decision-1',
			title: 'Triage',
			note: 'The answers are a model’s opinion. Check them yourself before you act on them.',
			...kept,
			inWords: { cause: ['a · 75%'] },
		});
	});
});
