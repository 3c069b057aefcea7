import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAXIMUM_FILE_LENGTH, readDecisionFile } from '../../../../src/decisions/model/decisionFile.ts';
import { EXAMPLE } from '../../../../src/decisions/model/examples.ts';

const question = { type: 'noul', instructions: 'It is so.', criteria: { true: 'yes', false: 'no' } };
const read = (value: unknown) => readDecisionFile(JSON.stringify(value));
/** What is wrong with a file that has one question, apart from fields of it. */
const problemOf = (fields: object) => {
	const found = read({ state: {}, questions: { question }, ...fields });
	return 'problem' in found ? found.problem : undefined;
};
const asking = (instructions: string, fields: object = {}) =>
	problemOf({ ...fields, questions: { question: { ...question, instructions } } });

describe('a decision file', () => {
	it('is a request of the contract as it stands', () => {
		const request = {
			state: { a: [1, { from: 'diff' }], from: 'file' },
			model: 'decider-1.2.3',
			questions: {
				one: { type: 'choice', instructions: 'Which?', criteria: { a: 'x', other: 'y' } },
				two: { type: 'score', instructions: 'How?', criteria: ['low', 'high'] },
				three: question,
			},
		};
		assert.deepEqual(read(request), { file: request });
	});

	it('may name sources of each kind beside the state', () => {
		const sources = {
			a: { from: 'selection' },
			b: { from: 'file', path: 'a/b.ts' },
			c: { from: 'diff' },
			d: { from: 'problems' },
			e: { from: 'problems', path: 'a.ts' },
			f: { from: 'task-prompt' },
			g: { from: 'task-log', task: 't1' },
			h: { from: 'task-changes' },
		};
		const file = { $schema: './x.json', sources, questions: { question } };
		assert.deepEqual(read(file), { file });
	});

	it('says where it is none', () => {
		const pathOf = (value: unknown) => {
			const found = read(value);
			return 'problem' in found && found.problem.kind === 'invalid' ? found.problem.path : undefined;
		};
		assert.equal(pathOf({ questions: {} }), 'questions');
		assert.equal(pathOf({ questions: { question: { ...question, type: 'poem' } } }), 'questions.question.type');
		assert.equal(pathOf({ state: [], questions: { question } }), 'state');
		assert.equal(pathOf({ sources: { a: { from: 'web' } }, questions: { question } }), 'sources.a.from');
		assert.equal(pathOf({ sources: { a: { from: 'file' } }, questions: { question } }), 'sources.a.path');
		assert.equal(
			pathOf({ questions: { question: { ...question, criteria: { true: 'yes' } } } }),
			'questions.question.criteria.false',
		);
		assert.equal(
			pathOf({ questions: { mood: { type: 'score', instructions: 'How?', criteria: ['low', 1] } } }),
			'questions.mood.criteria[1]',
		);
		assert.equal(pathOf({ model: '', questions: { question } }), 'model');
		assert.equal(pathOf({ temperature: 1, questions: { question } }), '');
		assert.equal(pathOf([]), '');
	});

	it('says where it is no JSON at all, without repeating it', () => {
		assert.deepEqual(readDecisionFile('{"questions": }'), { problem: { kind: 'not-json' } });
		assert.deepEqual(readDecisionFile(''), { problem: { kind: 'not-json' } });
	});

	it('refuses what is too long or too deep to be worked with, before anything looks into it', () => {
		const deep = `{"state":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
		assert.deepEqual(readDecisionFile(deep), { problem: { kind: 'too-deep' } });
		assert.deepEqual(readDecisionFile(JSON.stringify({ state: 'x'.repeat(MAXIMUM_FILE_LENGTH) })), {
			problem: { kind: 'too-long' },
		});
	});

	it('is refused without a state, and with a name that would be lost', () => {
		const sources = { log: { from: 'diff' } };
		assert.deepEqual(problemOf({ state: undefined }), { kind: 'no-state' });
		assert.deepEqual(problemOf({ state: undefined, sources: {} }), { kind: 'no-state' });
		assert.equal(problemOf({ state: undefined, sources }), undefined);
		assert.deepEqual(problemOf({ state: { log: 1 }, sources }), { kind: 'same-name', path: 'sources.log' });
		const reserved = (field: string, part: object) => {
			const text = JSON.stringify({ state: {}, sources, questions: { question }, [field]: part });
			return readDecisionFile(text.replace('"reserved"', '"__proto__"'));
		};
		const problem = (path: string) => ({ problem: { kind: 'reserved-name', path } });
		assert.deepEqual(reserved('sources', { reserved: {} }), problem('sources.__proto__'));
		assert.deepEqual(reserved('questions', { reserved: null, question }), problem('questions.__proto__'));
		const choice = { type: 'choice', instructions: 'Which?', criteria: { reserved: 'x', other: 'y' } };
		assert.deepEqual(reserved('questions', { choice }), problem('questions.choice.criteria.__proto__'));
	});

	it('is refused with a number that would be sent as null', () => {
		const text = JSON.stringify({ state: { a: { b: [1, 2] } }, questions: { question } }).replace('2', '1e999');
		const problem = { kind: 'invalid', path: 'state.a.b.1', message: 'allowed: a number below 1.8e308' };
		assert.deepEqual(readDecisionFile(text), { problem });
	});

	it('sends its state as it was written, whatever its members are called', () => {
		const text = JSON.stringify({ state: { reserved: 1 }, questions: { question } }).replace('reserved', '__proto__');
		const found = readDecisionFile(text);
		assert.ok('file' in found);
		assert.equal(JSON.stringify(found.file.state), '{"__proto__":1}');
	});

	it('is refused with a question that asks nothing', () => {
		const path = 'questions.question.instructions';
		assert.deepEqual(asking(''), { kind: 'empty-instructions', path });
		assert.deepEqual(asking(' \n'), { kind: 'empty-instructions', path });
	});

	it('is refused with a question about a part that the state does not have', () => {
		const named = (instructions: string) => {
			const state = { task: { files: ['a.ts'], 'tab-size': 2 }, toString: 1 };
			const problem = asking(instructions, { state, sources: { log: { from: 'task-log' } } });
			return problem?.kind === 'unknown-path' ? problem.named : problem?.kind;
		};
		assert.equal(
			named('Is state.task.files[0] or state.task.files.0 like state.log? See state.task.tab-size.'),
			undefined,
		);
		assert.equal(named('The state of state.tusk, then state.task.files.'), 'state.tusk');
		assert.equal(named('One of state.task.files[1].'), 'state.task.files[1]');
		assert.equal(named('A number has no parts: state.task.tab-size.width'), 'state.task.tab-size.width');
		assert.equal(named('Nothing inherited: state.hasOwnProperty'), 'state.hasOwnProperty');
		assert.equal(named('Code that is asked about: does state.log say that this.state.busy is set?'), undefined);
		assert.equal(named('A text may have parts of its own: state.log.entries, state.task.files[0].lines'), undefined);
	});

	it('is read or refused, and never fails, whatever JSON it is', () => {
		const field = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.record({ criteria: fc.jsonValue() })));
		fc.assert(fc.property(fc.record({ state: field, sources: field, questions: field }), value => void read(value)));
		fc.assert(fc.property(fc.jsonValue(), value => void read(value)));
	});

	it('begins as an example that needs nothing but a repository', () => {
		assert.deepEqual(read(EXAMPLE), { file: EXAMPLE });
		assert.deepEqual(EXAMPLE.sources, { diff: { from: 'diff' } });
	});
});
