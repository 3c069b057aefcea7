import assert from 'node:assert/strict';
import type { Task } from '../../../../src/contract/tasks.ts';
import { dayOf, groupTasks, outcomeOf, sortTasks } from '../../../../src/tasks/model/taskGroups.ts';
import { processorMs } from '../../../support/processorTime.ts';
import { readTask } from '../../../support/readTask.ts';

const now = Date.parse('2026-11-21T12:00:00');
const HOUR = 3_600_000;
const task = (id: string, fields: Partial<Task> = {}, hoursAgo = 1): Task =>
	readTask({ id, status: 'completed', createdAt: new Date(now - hoursAgo * HOUR).toISOString(), ...fields });
const nobody = () => false;
const shape = (tasks: Task[], isFirst: (task: Task) => boolean = nobody) =>
	groupTasks(tasks, now, isFirst).map(group => [group.id, group.tasks.map(({ id }) => id)]);

describe('the groups of tasks', () => {
	it('are those that went wrong lately, the active ones, and then the days, newest first', () => {
		const tasks = [
			task('done'),
			task('yesterday', {}, 20),
			task('active', { status: 'processing' }, 50),
			task('failed', { status: 'error' }),
			task('stopped', { status: 'stopped' }, 2),
			task('long failed', { status: 'error' }, 60),
			task('late', { status: 'timeout' }, 3),
		];
		assert.deepEqual(shape(tasks), [
			['attention', ['failed', 'late']],
			['active', ['active']],
			[dayOf(now), ['done', 'stopped']],
			[dayOf(now - 20 * HOUR), ['yesterday']],
			[dayOf(now - 60 * HOUR), ['long failed']],
		]);
	});

	it('hold a task without a readable time, in a day of its own at the end', () => {
		assert.deepEqual(shape([task('a', { createdAt: undefined }), task('b', { createdAt: 'soon' }), task('c')]), [
			[dayOf(now), ['c']],
			['unknown', ['b', 'a']],
		]);
	});

	it('have those first that are to come first, each part newest first', () => {
		const tasks = [task('a', {}, 1), task('own-b', {}, 2), task('c', {}, 3), task('own-d', {}, 4)];
		assert.deepEqual(
			shape(tasks, ({ id }) => id.startsWith('own')).map(([, ids]) => ids),
			[['own-b', 'own-d', 'a', 'c']],
		);
	});

	it('are none for no tasks', () => {
		assert.deepEqual(shape([]), []);
	});

	it('keep an unknown state active until the task is complete', () => {
		assert.equal(outcomeOf(task('a', { status: 'warming' })), 'active');
		assert.equal(outcomeOf(task('a', { status: 'warming', completedAt: '2026-11-21T11:00:00Z' })), 'failed');
		assert.equal(outcomeOf(task('a', { status: 'cancelled' })), 'stopped');
	});

	it('tell a task that was interrupted from one that failed', () => {
		assert.equal(outcomeOf(task('a', { status: 'interrupted' })), 'interrupted');
		assert.equal(outcomeOf(task('a', { status: 'error', error: 'Interrupted: the service stopped.' })), 'interrupted');
		assert.equal(outcomeOf(task('a', { status: 'error', error: 'Tests still red' })), 'failed');
	});

	it('are made of 10,000 tasks faster than a frame can be seen to hang', () => {
		const tasks = Array.from({ length: 10_000 }, (_, index) =>
			task(`t${index}`, { status: index % 7 === 0 ? 'processing' : 'completed' }, (index * 7919) % 5000),
		);
		groupTasks(tasks, now, nobody);
		let groups: ReturnType<typeof groupTasks> = [];
		const spent = processorMs(() => {
			groups = groupTasks(tasks, now, ({ id }) => id.endsWith('7'));
		});
		assert.ok(spent < 250, `${spent} ms`);
		assert.equal(
			groups.reduce((sum, group) => sum + group.tasks.length, 0),
			10_000,
		);
	});

	it('have one order, whatever order the tasks come in', () => {
		const tasks = ['a', 'b', 'c', 'd'].map(id => task(id));
		assert.deepEqual(sortTasks(tasks), sortTasks(tasks.toReversed()));
	});
});
