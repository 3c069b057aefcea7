import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AnswerOf, decisionModelId, readAnswer } from '../../../src/contract/decisions.ts';

describe('readAnswer', () => {
	it('reads the three types, and keeps their unknown fields', () => {
		const choice = readAnswer('choice', {
			type: 'choice',
			choice: 'billing',
			probabilities: { billing: 0.9, other: 0.3 },
			confidence: 0.8,
			why: 'kept',
		});
		assert.ok(choice.type === 'choice');
		assert.equal(choice.choice, 'billing');
		assert.deepEqual(choice.probabilities, { billing: 0.9, other: 0.3 });
		assert.equal(choice.confidence, 0.8);
		assert.equal(choice['why'], 'kept');

		const score = readAnswer('score', {
			type: 'score',
			score: 1.4,
			legend: { 0: 'calm', 1: 'tense' },
			probabilities: { 0: 0.25, 1: 0.25 },
			confidence: 0.5,
		});
		assert.ok(score.type === 'score');
		assert.equal(score.score, 1.4);
		assert.deepEqual(score.legend, { 0: 'calm', 1: 'tense' });
		assert.deepEqual(score.probabilities, { 0: 0.25, 1: 0.25 });

		const noul = readAnswer('noul', { type: 'noul', noul: 0.5 });
		assert.ok(noul.type === 'noul');
		assert.equal(noul.noul, 0.5);
	});

	it('reads what is missing, null, None or of another kind as absent', () => {
		for (const value of [undefined, null, 'None', [], true]) {
			const read = readAnswer('score', { type: 'score', score: value, legend: value, probabilities: value });
			assert.ok(read.type === 'score');
			assert.equal(read.score, undefined);
			assert.deepEqual(read.legend, {});
			assert.deepEqual(read.probabilities, {});
		}
	});

	it('keeps an option that is called None', () => {
		const read = readAnswer('choice', { type: 'choice', choice: 'None' });
		assert.equal((read as AnswerOf<'choice'>).choice, 'None');
	});

	it('leaves out entries that do not fit, and reads a list by its positions', () => {
		const read = readAnswer('score', {
			type: 'score',
			legend: ['calm', 7, 'tense'],
			probabilities: { 0: '0.5', 1: 0.5 },
		});
		assert.ok(read.type === 'score');
		assert.deepEqual(read.legend, { 0: 'calm', 2: 'tense' });
		assert.deepEqual(read.probabilities, { 1: 0.5 });
	});

	it('gives an answer that does not name its type that of its question', () => {
		for (const type of [undefined, null, 'None']) {
			assert.equal(readAnswer('noul', { type, noul: 0.1 }).type, 'noul');
		}
	});

	it('keeps as they came answers of another type, and whatever else there is', () => {
		for (const received of [{ type: 'choice', choice: 'a' }, { type: 'essay' }, 0.5, 'None', null, [], undefined]) {
			assert.deepEqual(readAnswer('noul', received), { type: 'other', received });
		}
	});

	it('never throws', () => {
		fc.assert(
			fc.property(fc.constantFrom('choice', 'score', 'noul'), fc.jsonValue(), (type, received) => {
				assert.ok(readAnswer(type, received));
			}),
		);
	});
});

describe('decisionModelId', () => {
	for (const [name, id] of [
		['judge', 'judge-latest'],
		['judge-latest', 'judge-latest'],
		['judge-1.4.2', 'judge-1.4.2'],
		['judge-2', 'judge-2-latest'],
		['judgelatest', 'judgelatest-latest'],
		['the-latest-judge', 'the-latest-judge-latest'],
	] as const) {
		it(`is ${id} for ${name}`, () => {
			assert.equal(decisionModelId(name), id);
		});
	}
});
