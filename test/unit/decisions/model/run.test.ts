import assert from 'node:assert/strict';
import { storableAnswers } from '../../../../src/decisions/model/run.ts';

describe('the runs that are kept', () => {
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
