import assert from 'node:assert/strict';
import { MAXIMUM_RUNS, type Run, storableAnswers, withRun } from '../../../../src/decisions/model/run.ts';

const run = (id: string) => ({ id }) as Run;

describe('the runs that are kept', () => {
	it('are the newest, and no more than can be looked through', () => {
		let runs: Run[] = [];
		for (let count = 0; count < MAXIMUM_RUNS + 5; count++) {
			runs = withRun(runs, run(String(count)));
		}
		assert.equal(runs.length, MAXIMUM_RUNS);
		assert.deepEqual([runs[0]?.id, runs.at(-1)?.id], [String(MAXIMUM_RUNS + 4), '5']);
	});

	it('hold each run once', () => {
		assert.deepEqual(
			withRun([run('a'), run('b')], run('b')).map(({ id }) => id),
			['b', 'a'],
		);
	});

	it('have an answer for each question at most, and no more of it than can be an answer', () => {
		const answer = { type: 'noul', noul: 0.5 };
		const kept = storableAnswers(
			{ a: {}, b: {} },
			{ a: answer, b: { flood: 'x'.repeat(10_000_000) }, toString: answer },
		);
		assert.deepEqual([Object.keys(kept), kept['a']], [['a', 'b'], answer]);
		assert.equal(String(kept['b']).length, 100_000);
	});
});
