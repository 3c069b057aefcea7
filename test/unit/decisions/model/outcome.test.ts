import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Question } from '../../../../src/contract/decisions.ts';
import { readOutcome } from '../../../../src/decisions/model/outcome.ts';

const choice: Question = { type: 'choice', instructions: '', criteria: { a: 'first', b: 'second', other: 'neither' } };
const score: Question = { type: 'score', instructions: '', criteria: ['low', 'middle', 'high'] };
const noul: Question = { type: 'noul', instructions: '', criteria: { true: 'yes', false: 'no' } };

const chosen = (probabilities: object, answer = 'a', others: object = {}) =>
	readOutcome(choice, { type: 'choice', choice: answer, probabilities, confidence: 0.9, ...others });
const certainty = (...asked: Parameters<typeof chosen>) => chosen(...asked).certainty;

describe('the outcome of an answer', () => {
	it('has the options of a choice by probability, with the chosen one marked', () => {
		const { answer, rows, confidence } = chosen({ a: 0.2, b: 0.7, other: 0.1 }, 'b');
		assert.equal(answer, 'b');
		assert.equal(confidence, 0.9);
		assert.deepEqual(rows, [
			{ name: 'b', meaning: 'second', probability: 0.7, isChosen: true },
			{ name: 'a', meaning: 'first', probability: 0.2, isChosen: false },
			{ name: 'other', meaning: 'neither', probability: 0.1, isChosen: false },
		]);
	});

	it('says in which way a choice is uncertain', () => {
		assert.equal(certainty({ a: 0.9, b: 0.1 }), 'clear');
		assert.equal(certainty({ a: 0.45, b: 0.4, other: 0.15 }), 'even');
		assert.deepEqual(chosen({ a: 0.45, b: 0.4, other: 0.15 }).rivals, ['a', 'b']);
		assert.equal(certainty({ a: 0.45, b: 0.25, other: 0.3 }), 'doubtful');
		assert.equal(certainty({ a: 0.4 }), 'doubtful');
		assert.equal(certainty({ a: 0.95 }), 'clear');
		assert.equal(certainty({}, 'a', { confidence: undefined }), 'unknown');
		assert.equal(certainty({}, 'a', { confidence: 0.3 }), 'doubtful');
	});

	it('makes up no probability that was not given, and keeps an option that was not asked for', () => {
		const { rows } = chosen({ a: 0.6, strange: 0.3 });
		assert.deepEqual(
			rows.map(({ name, probability }) => [name, probability]),
			[
				['a', 0.6],
				['strange', 0.3],
				['b', undefined],
				['other', undefined],
			],
		);
	});

	it('keeps the levels of a score in their order, and marks the nearest', () => {
		const { answer, rows } = readOutcome(score, {
			type: 'score',
			score: 1.6,
			probabilities: { 0: 0.1, 1: 0.2, 2: 0.7 },
		});
		assert.equal(answer, 1.6);
		assert.deepEqual(
			rows.map(({ name, probability, isChosen }) => [name, probability, isChosen]),
			[
				['0', 0.1, false],
				['1', 0.2, false],
				['2', 0.7, true],
			],
		);
	});

	it('takes a statement for uncertain near one half', () => {
		const of = (value: unknown) => readOutcome(noul, { type: 'noul', noul: value });
		assert.deepEqual([of(0.55).certainty, of(0.41).certainty], ['even', 'even']);
		assert.deepEqual([of(0.94).certainty, of(0.02).certainty], ['clear', 'clear']);
		assert.equal(of(undefined).certainty, 'unknown');
		const [yes, no] = of(0.94).rows;
		assert.deepEqual([yes?.probability, yes?.isChosen, no?.isChosen], [0.94, true, false]);
		assert.ok(Math.abs((no?.probability ?? 0) - 0.06) < 1e-9);
		assert.deepEqual(
			of(0.5).rows.map(({ isChosen }) => isChosen),
			[false, false],
		);
	});

	it('tells what a model states from what was measured', () => {
		assert.equal(chosen({ a: 1 }, 'a', { probabilities_source: 'stated' }).isStated, true);
		assert.equal(chosen({ a: 1 }, 'a', { probabilities_source: 'logprobs' }).isStated, false);
		assert.equal(chosen({ a: 1 }).isStated, false);
	});

	it('is even, and has nothing that came in its place, where a comparison is undecided', () => {
		const probabilities = { a: 0.45, b: 0.45, other: 0.1 };
		const {
			answer,
			certainty: how,
			rivals,
			received,
		} = readOutcome(choice, { type: 'choice', undecided: true, probabilities });
		assert.deepEqual([answer, how, rivals, received], [undefined, 'even', ['a', 'b'], undefined]);
		const bare = readOutcome(choice, { type: 'choice', undecided: true, probabilities: {} });
		assert.deepEqual([bare.certainty, bare.rivals], ['even', []]);
	});

	it('keeps what is no answer to the question, and is uncertain', () => {
		for (const received of [undefined, 'a', [], { type: 'noul', noul: 1 }, { type: 'choice' }]) {
			const { answer, certainty: how, rows, ...rest } = readOutcome(choice, received);
			assert.equal(answer, undefined);
			assert.equal(how, 'unknown');
			assert.equal(rows.length, 3);
			if (
				received !== undefined &&
				!Array.isArray(received) &&
				typeof received === 'object' &&
				!('choice' in received)
			) {
				assert.notEqual(rest.received, undefined);
			}
		}
	});

	it('is no answer where its numbers cannot be', () => {
		const impossible: [Question, object][] = [
			[noul, { noul: 5 }],
			[noul, { noul: -0.1 }],
			[score, { score: 7, probabilities: {} }],
			[score, { score: -1 }],
			[choice, { choice: 'a', probabilities: { a: 2.5 } }],
			[choice, { choice: 'a', probabilities: { a: 0.5, b: -1 } }],
			[choice, { choice: 'a', confidence: 1e308 }],
		];
		for (const [question, received] of impossible) {
			const outcome = readOutcome(question, received);
			assert.deepEqual([outcome.answer, outcome.certainty, outcome.received], [undefined, 'unknown', received]);
			assert.ok(outcome.rows.every(({ probability, isChosen }) => probability === undefined && !isChosen));
		}
	});

	it('is not clear where another option is likelier than the one that was chosen', () => {
		const { answer, certainty: how, rivals } = chosen({ a: 0.1, b: 0.9 });
		assert.deepEqual([answer, how, rivals], ['a', 'contradictory', ['b']]);
		assert.equal(certainty({ a: 0.1, b: 0.9 }, 'elsewhere'), 'contradictory');
	});

	it('shows few of the options that were not asked for, however many there are', () => {
		const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`x${at}`, 0]));
		const { rows } = chosen({ ...many, a: 0.9 });
		assert.ok(rows.length < 30, String(rows.length));
		assert.equal(rows[0]?.name, 'a');
	});

	it('never fails, whatever a service answers', () => {
		const parts = {
			type: fc.constantFrom('choice', 'score', 'noul', 1),
			choice: fc.jsonValue(),
			score: fc.jsonValue(),
		};
		const answers = fc.record({
			...parts,
			noul: fc.jsonValue(),
			probabilities: fc.jsonValue(),
			confidence: fc.jsonValue(),
		});
		fc.assert(
			fc.property(fc.oneof(answers, fc.jsonValue()), fc.constantFrom(choice, score, noul), (received, question) => {
				const { rows, certainty: how } = readOutcome(question, received);
				assert.ok(rows.length >= 2);
				assert.ok(['clear', 'even', 'doubtful', 'contradictory', 'unknown'].includes(how));
			}),
		);
	});
});
