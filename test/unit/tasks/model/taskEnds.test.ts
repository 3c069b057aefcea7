import assert from 'node:assert/strict';
import { TaskEnds } from '../../../../src/tasks/model/taskEnds.ts';
import { readTask } from '../../../support/readTask.ts';

const working = (id: string) => readTask({ id, status: 'processing' });
const over = (id: string, status = 'completed') => readTask({ id, status, completedAt: '2026-11-21T10:00:00Z' });

describe('the ends of tasks', () => {
	let told: string[];
	let ends: TaskEnds;

	beforeEach(() => {
		told = [];
		ends = new TaskEnds();
		ends.onDidEnd(({ connection, task }) => told.push(`${connection} ${task.id} ${task.status}`));
	});

	for (const status of ['completed', 'error', 'timeout', 'stopped']) {
		it(`are told of once for a task that was seen at work and is ${status}`, () => {
			ends.see('c', working('a'));
			ends.see('c', working('a'));
			assert.deepEqual(told, []);
			ends.see('c', over('a', status));
			ends.see('c', over('a', status));
			ends.end('c', over('a', status));
			assert.deepEqual(told, [`c a ${status}`]);
		});
	}

	it('are no news of tasks that were over when they were first seen', () => {
		ends.see('c', over('a'));
		ends.see('c', over('a'));
		assert.deepEqual(told, []);
	});

	it('are not told of again after a list that was read a moment earlier', () => {
		ends.see('c', working('a'));
		ends.end('c', over('a'));
		ends.see('c', working('a'));
		ends.see('c', over('a'));
		assert.deepEqual(told, ['c a completed']);
	});

	it('are kept apart by task and by connection', () => {
		for (const [connection, id] of [
			['c', 'a'],
			['c', 'b'],
			['d', 'a'],
		] as const) {
			ends.see(connection, working(id));
			ends.see(connection, over(id));
		}
		assert.deepEqual(told, ['c a completed', 'c b completed', 'd a completed']);
	});

	it('are news again for a task that is gone on with', () => {
		ends.see('c', working('a'));
		ends.end('c', over('a'));
		ends.goesOn('c', 'a');
		ends.see('c', over('a', 'error'));
		assert.deepEqual(told, ['c a completed', 'c a error']);
	});
});
