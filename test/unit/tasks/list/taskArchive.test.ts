import assert from 'node:assert/strict';
import { TaskArchive, type TaskArchiveDependencies } from '../../../../src/tasks/list/taskArchive.ts';
import { State } from '../../../support/state.ts';

describe('archived tasks', () => {
	const ended = { id: 'task-1', status: 'completed', completedAt: '2026-01-01T00:00:00Z' };
	const withoutTime = { id: 'task-2', status: 'stopped', completedAt: undefined };
	const tasks = new Map([ended, withoutTime].map(task => [task.id, task]));

	const open = (globalState: State, name = 'remote') =>
		new TaskArchive({
			globalState,
			store: { get: (id: string) => tasks.get(id) },
			active: { current: { name }, read: async () => ({ name }) },
		} as never as TaskArchiveDependencies);
	const toggle = (archive: TaskArchive, id: string) => archive.toggle(id, (_id, run) => run());

	it('are those of one connection, also after a reload', async () => {
		const state = new State();
		const archive = open(state);
		assert.ok(!archive.has(ended));
		await toggle(archive, ended.id);
		for (const window of [archive, open(state.copy())]) {
			assert.ok(window.has(ended));
			assert.ok(!window.has({ ...ended, id: 'task-3' }));
		}
		assert.ok(!open(state, 'local').has(ended));
		await toggle(archive, ended.id);
		assert.ok(!archive.has(ended));
		assert.deepEqual(state.keys(), []);
	});

	it('come back when they go on, and stay when they have ended again', async () => {
		const archive = open(new State());
		await toggle(archive, ended.id);
		assert.ok(!archive.has({ ...ended, status: 'processing' }));
		assert.ok(!archive.has({ ...ended, completedAt: '2026-01-02T00:00:00Z' }));
		await toggle(archive, withoutTime.id);
		assert.ok(archive.has(withoutTime));
	});

	it('are not read from what another version has written', async () => {
		const state = new State();
		await state.update('errand.tasks.archived/x', { connection: 'remote', taskId: 'task-1' });
		assert.ok(!open(state).has(ended));
	});
});
