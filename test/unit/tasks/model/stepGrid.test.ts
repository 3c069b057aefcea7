import assert from 'node:assert/strict';
import type { TaskStep } from '../../../../src/contract/taskSteps.ts';
import { orderFiles, stepGrid } from '../../../../src/tasks/model/stepGrid.ts';
import { parseFromStepsPage, parseShownSteps } from '../../../../src/tasks/model/stepsProtocol.ts';

type Files = TaskStep['files'];
const gridOf = (...steps: Files[]) => stepGrid(steps.map(files => ({ files })));
/** The cells of each file in short, such as `1 added`. */
const shown = (...steps: Files[]) =>
	gridOf(...steps).map(({ path, cells }) => [path, ...cells.map(({ at, status }) => `${at} ${status}`)]);

describe('the files of a task by its steps', () => {
	it('are each in one place, with the steps that have changed them', () => {
		assert.deepEqual(
			shown(
				[{ path: 'a', status: 'added' }],
				[
					{ path: 'b', status: 'modified' },
					{ path: 'a', status: 'modified' },
				],
				[],
				[{ path: 'a', status: 'deleted' }],
			),
			[
				['a', '0 added', '1 modified', '3 deleted'],
				['b', '1 modified'],
			],
		);
	});

	it('stay the same files where they are renamed, also into each other’s places', () => {
		assert.deepEqual(
			shown(
				[
					{ path: 'a', status: 'added' },
					{ path: 'b', status: 'added' },
				],
				[
					{ path: 'a', status: 'renamed', from: 'b' },
					{ path: 'b', status: 'renamed', from: 'a' },
				],
				[
					{ path: 'c', status: 'renamed', from: 'a' },
					{ path: 'a', status: 'added' },
				],
				[{ path: 'd', status: 'renamed', from: 'unknown' }],
			),
			[
				['b', '0 added', '1 renamed'],
				['c', '0 added', '1 renamed', '2 renamed'],
				['a', '2 added'],
				['d', '3 renamed'],
			],
		);
	});

	it('are ordered by how often they were changed, and keep the places that they were shown in', () => {
		const once = gridOf([{ path: 'a', status: 'added' }], [{ path: 'b', status: 'added' }]);
		const before = orderFiles(once, []);
		assert.deepEqual(before, [0, 1]);
		const later = gridOf(
			[{ path: 'a', status: 'added' }],
			[{ path: 'b', status: 'added' }],
			[
				{ path: 'b', status: 'modified' },
				{ path: 'c', status: 'added' },
				{ path: 'd', status: 'added' },
			],
			[{ path: 'd', status: 'modified' }],
		);
		assert.deepEqual(orderFiles(later, before), [0, 1, 3, 2]);
		assert.deepEqual(orderFiles(later, []), [1, 3, 0, 2]);
	});
});

describe('the messages of the page of steps', () => {
	it('are those that it has, and nothing else', () => {
		for (const message of [
			{ kind: 'page-ready' },
			{ kind: 'run-action', action: 'take', index: 3 },
			{ kind: 'select-step', index: 0 },
			{ kind: 'select-agent', agent: 1 },
		]) {
			assert.deepEqual(parseFromStepsPage(message), message);
		}
		for (const message of [
			undefined,
			{ kind: 'run-action', action: 'log', index: 3 },
			{ kind: 'run-action', action: 'take', index: -1 },
			{ kind: 'run-action', action: 'take', index: 1, taskId: 'another' },
			{ kind: 'select-step', index: '0' },
		]) {
			assert.equal(parseFromStepsPage(message), undefined);
		}
		assert.equal(parseShownSteps({ taskId: 'task' }), undefined);
	});
});
