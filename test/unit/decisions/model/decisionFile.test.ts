import assert from 'node:assert/strict';
import { MAXIMUM_FILE_LENGTH, readDecisionFile } from '../../../../src/decisions/model/decisionFile.ts';
import { EXAMPLES } from '../../../../src/decisions/model/examples.ts';

const question = { type: 'noul', instructions: 'It is so.', criteria: { true: 'yes', false: 'no' } };
const read = (value: unknown) => readDecisionFile(JSON.stringify(value));

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
			return 'problem' in found && found.problem.kind === 'invalid' ? found.problem.path.join('.') : undefined;
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

	it('begins as an example that is one, the first of which needs nothing but a repository', () => {
		for (const example of Object.values(EXAMPLES)) {
			assert.deepEqual(read(example), { file: example });
		}
		const [first] = Object.values(EXAMPLES);
		assert.deepEqual(first?.sources, { diff: { from: 'diff' } });
	});
});
