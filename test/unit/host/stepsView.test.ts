import assert from 'node:assert/strict';
import { type TaskStep, taskStepSchema } from '../../../src/contract/taskSteps.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { MAXIMUM_ROWS, stepsView } from '../../../src/tasks/review/stepsView.ts';
import { readTask } from '../../support/readTask.ts';

const task = (fields: object = {}): Task => readTask({ id: 'task', prompt: 'Mend it', status: 'completed', ...fields });
const step = (index: number, fields: Partial<TaskStep> = {}): TaskStep =>
	taskStepSchema.parse({
		...{ index, step: 10 + index, tool: 'edit', title: `Edited ${index}.txt`, tree: 'a'.repeat(40) },
		...{ files: [{ path: `src/${index}.txt`, status: 'added' }], fileCount: 1, linesAdded: 3, linesRemoved: 0 },
		...{ approximate: false, ...fields },
	});
const view = (fields: Partial<Parameters<typeof stepsView>[0]> = {}) =>
	stepsView({ task: task(), steps: [], problem: undefined, agent: 0, order: [], ...fields });

describe('what the page of steps shows', () => {
	it('is what each step was and has changed, in words', () => {
		const { sentence, tone, columns, rows, filesLeft, actions } = view({
			steps: [
				step(0),
				step(1, {
					...{ tool: 'execute', title: 'git mv\u202e src/0.txt\n docs', approximate: true, linesAdded: 0 },
					files: [{ path: 'docs/0.txt', status: 'renamed', from: 'src/0.txt' }],
					notKept: [{ reason: 'ignored', names: ['build'] }],
				}),
			],
		});
		assert.deepEqual([sentence, tone, filesLeft], ['2 steps changed 1 file.', 'open', '']);
		assert.deepEqual(
			columns.map(({ number, facts }) => [number, facts]),
			[
				['1', 'Edit · +3 in 1 file'],
				['2', 'Command · 1 file · approximate · incomplete'],
			],
		);
		assert.doesNotMatch(columns[1]?.title ?? '', /[\n\u202e]/);
		assert.match(
			columns[1]?.notes.join('\n') ?? '',
			/^Something else changed.*\nNot kept because Git ignores it: build\.$/,
		);
		assert.deepEqual(rows, [
			{
				...{ id: 0, path: 'docs/0.txt', name: '0.txt', folder: 'docs' },
				cells: [
					{ at: 0, status: 'added', text: 'added' },
					{ at: 1, status: 'renamed', text: 'renamed from src/0.txt' },
				],
			},
		]);
		assert.deepEqual(
			actions.map(({ action }) => action),
			['changes', 'files', 'continue', 'take'],
		);
	});

	it('says of tests who has run them and how they have ended, and nothing of those that nobody ran', () => {
		const runs = [
			{ command: 'npm test', outcome: 'failed' },
			{ command: 'npm test | tail', outcome: 'unknown' },
		] as const;
		const steps = [step(0, { testRuns: [...runs] }), step(1), step(2, { testRuns: [runs[0]] })];
		const { columns } = view({ steps, task: task({ errand: { tests: 'passed' } }) });
		assert.deepEqual(
			columns.map(({ tests }) => tests?.outcome),
			['unknown', undefined, 'passed'],
		);
		assert.deepEqual(columns[0]?.notes, [
			'The agent’s tests failed: npm test',
			'The agent ran tests, and it isn’t known how they ended: npm test | tail',
		]);
		assert.deepEqual(columns[2]?.notes, [
			'The agent’s tests failed: npm test',
			'Tests passed when the service ran them.',
		]);
		const notRun = view({ steps: steps.slice(1, 2), task: task({ errand: { tests: 'not-run' } }) });
		assert.equal(notRun.columns[0]?.tests, undefined);
	});

	it('has the steps of one agent of a race, with the tests of its own', () => {
		const race = task({
			multiLaunch: true,
			agentExecutions: [
				{ agent: 'one', errand: { tests: 'failed' } },
				{ agent: 'two', errand: { tests: 'passed' } },
			],
		});
		const steps = [step(0), step(1, { agent: 1 }), step(2)];
		const shown = (agent: number) =>
			view({ task: race, steps, agent }).columns.map(({ number, tests }) => [number, tests?.outcome]);
		assert.deepEqual(shown(0), [
			['1', undefined],
			['3', 'failed'],
		]);
		assert.deepEqual(shown(1), [['2', 'passed']]);
	});

	it('has a bounded number of files, and says how many it leaves out, and that a step does not name all', () => {
		const files = Array.from({ length: 100 }, (_, at) => ({ path: `${at}.txt`, status: 'added' as const }));
		const more = step(1, { fileCount: 300 });
		const { rows, filesLeft, sentence, order } = view({ steps: [step(0, { files, fileCount: 100 }), more] });
		assert.equal(rows.length, MAXIMUM_ROWS);
		assert.match(filesLeft, /^And 1 more file,/);
		assert.equal(sentence, '2 steps changed more than 101 files.');
		const later = step(2, { files: [{ path: 'src/1.txt', status: 'modified' }] });
		assert.deepEqual(view({ steps: [step(0, { files }), more, later], order }).rows, rows);
	});

	it('says why there is nothing, and that more may come', () => {
		const working = view({ task: task({ status: 'processing' }) });
		assert.deepEqual(
			[working.sentence, working.tone],
			['No step has changed a file yet. This page updates automatically.', 'pending'],
		);
		assert.match(view().sentence, /^There are no steps\. .* two weeks at most\.$/);
		assert.equal(view({ task: undefined }).sentence, 'Reading the steps…');
		const failed = view({ problem: 'The service doesn’t answer.', steps: [step(0)] });
		assert.deepEqual([failed.sentence, failed.tone, failed.columns.length], ['The service doesn’t answer.', 'bad', 1]);
	});
});
