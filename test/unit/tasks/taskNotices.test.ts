import assert from 'node:assert/strict';
import { TaskNotices } from '../../../src/tasks/taskNotices.ts';
import { readTask } from './readTask.ts';

const working = (id: string) => readTask({ id, status: 'processing' });
const over = (id: string, status = 'completed') => readTask({ id, status, completedAt: '2026-11-21T10:00:00Z' });

describe('the ends of tasks', () => {
	let told: string[];
	let isQuiet: boolean;
	let notices: TaskNotices;

	beforeEach(() => {
		told = [];
		isQuiet = false;
		notices = new TaskNotices({
			isQuiet: () => isQuiet,
			tell: (connection, task) => told.push(`${connection} ${task.id} ${task.status}`),
		});
	});

	for (const status of ['completed', 'error', 'timeout', 'stopped']) {
		it(`are told of once for a task that was seen at work and is ${status}`, () => {
			notices.see('c', working('a'));
			notices.see('c', working('a'));
			assert.deepEqual(told, []);
			notices.see('c', over('a', status));
			notices.see('c', over('a', status));
			notices.ended('c', over('a', status));
			assert.deepEqual(told, [`c a ${status}`]);
		});
	}

	it('are no news of tasks that were over when they were first seen', () => {
		notices.see('c', over('a'));
		notices.see('c', over('a'));
		assert.deepEqual(told, []);
	});

	it('are not told of again after a list that was read a moment earlier', () => {
		notices.see('c', working('a'));
		notices.ended('c', over('a'));
		notices.see('c', working('a'));
		notices.see('c', over('a'));
		assert.deepEqual(told, ['c a completed']);
	});

	it('are kept apart by task and by connection', () => {
		for (const [connection, id] of [
			['c', 'a'],
			['c', 'b'],
			['d', 'a'],
		] as const) {
			notices.see(connection, working(id));
			notices.see(connection, over(id));
		}
		assert.deepEqual(told, ['c a completed', 'c b completed', 'd a completed']);
	});

	it('stay untold for good where the user watched them, or wants no word', () => {
		notices.see('c', working('a'));
		isQuiet = true;
		notices.see('c', over('a'));
		isQuiet = false;
		notices.see('c', over('a'));
		assert.deepEqual(told, []);
	});

	it('are news again for a task that is gone on with', () => {
		notices.see('c', working('a'));
		notices.ended('c', over('a'));
		notices.goesOn('c', 'a');
		notices.see('c', over('a', 'error'));
		assert.deepEqual(told, ['c a completed', 'c a error']);
	});
});
