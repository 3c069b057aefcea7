import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EXAMPLES } from '../../../../src/decisions/model/examples.ts';
import { lintDecision } from '../../../../src/decisions/model/lint.ts';

const choice = { type: 'choice', instructions: 'Which?', criteria: { a: 'x', other: 'y' } };
const kinds = (value: unknown) => lintDecision(value).map(({ kind, path }) => `${kind} ${path.join('.')}`);
const asking = (question: object) => kinds({ state: {}, questions: { only: { ...choice, ...question } } });

describe('the linter of decision files', () => {
	it('has nothing to say of the examples', () => {
		for (const example of Object.values(EXAMPLES)) {
			assert.deepEqual(lintDecision(example), []);
		}
	});

	it('advises an option that stands for none of the others', () => {
		assert.deepEqual(asking({ criteria: { a: 'x', b: 'y' } }), ['no-other questions.only.criteria']);
		assert.deepEqual(asking({ criteria: { a: 'x', none_of_the_above: 'y' } }), []);
		assert.deepEqual(asking({ type: 'score', criteria: ['low', 'high'] }), []);
	});

	it('finds what says nothing', () => {
		assert.deepEqual(asking({ instructions: '  ' }), ['empty-instructions questions.only.instructions']);
		assert.deepEqual(asking({ criteria: { a: '', other: ' ' } }), [
			'empty-description questions.only.criteria.a',
			'empty-description questions.only.criteria.other',
		]);
		assert.deepEqual(asking({ type: 'score', criteria: ['low', ''] }), ['empty-description questions.only.criteria.1']);
		assert.deepEqual(asking({ type: 'noul', criteria: { true: '', false: 'no' } }), [
			'empty-description questions.only.criteria.true',
		]);
	});

	it('counts questions and criteria against the limits of the local service', () => {
		const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, choice]));
		assert.deepEqual(kinds({ state: {}, questions: many(100) }), []);
		assert.deepEqual(kinds({ state: {}, questions: many(101) }), ['too-many-questions questions']);
		const levels = Array.from({ length: 101 }, () => 'level');
		assert.deepEqual(asking({ type: 'score', criteria: levels.slice(1) }), []);
		assert.deepEqual(asking({ type: 'score', criteria: levels }), ['too-many-criteria questions.only.criteria']);
	});

	it('finds paths that the state does not have, in state and sources', () => {
		const named = (instructions: string) =>
			lintDecision({
				state: { task: { files: ['a.ts'], 'tab-size': 2 }, toString: 1 },
				sources: { log: { from: 'task-log' } },
				questions: { only: { ...choice, instructions } },
			}).map(finding => (finding.kind === 'unknown-path' ? finding.named : finding.kind));
		assert.deepEqual(
			named('Is state.task.files[0] or state.task.files.0 like state.log? See state.task.tab-size.'),
			[],
		);
		assert.deepEqual(named('The state of state.tusk, then state.task.files[1].'), [
			'state.tusk',
			'state.task.files[1]',
		]);
		assert.deepEqual(named('A text has no parts: state.log.entries'), ['state.log.entries']);
		assert.deepEqual(named('`task.files` and `task.folders` and `console.log`'), ['task.folders']);
		assert.deepEqual(named('Nothing inherited: state.hasOwnProperty'), ['state.hasOwnProperty']);
		assert.deepEqual(named('state.gone and again state.gone'), ['state.gone']);
	});

	it('finds names that would be lost, and a file without a state', () => {
		assert.deepEqual(kinds({ state: { log: 1 }, sources: { log: { from: 'diff' } }, questions: {} }), [
			'same-name sources.log',
		]);
		const reserved = JSON.parse('{"state": {}, "sources": {"__proto__": {}}, "questions": {"__proto__": {}}}');
		assert.deepEqual(kinds(reserved), ['reserved-name sources.__proto__', 'reserved-name questions.__proto__']);
		assert.deepEqual(kinds({ questions: {} }), ['no-state ']);
		assert.deepEqual(kinds({ sources: {}, questions: {} }), ['no-state ']);
		assert.deepEqual(kinds({ state: {}, questions: {} }), []);
	});

	it('finds as much as there is, in however many places', () => {
		const instructions = Array.from({ length: 90_000 }, (_, at) => `state.x${at}`).join(' ');
		assert.equal(asking({ instructions }).length, 90_000);
		const questions = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`q${at}`, { instructions: '' }]));
		assert.equal(kinds({ state: {}, questions }).length, 50_001);
	});

	it('never fails, whatever the JSON is', () => {
		const field = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.record({ criteria: fc.jsonValue() })));
		fc.assert(
			fc.property(fc.record({ state: field, sources: field, questions: field }), value => void lintDecision(value)),
		);
		fc.assert(fc.property(fc.jsonValue(), value => void lintDecision(value)));
	});
});
