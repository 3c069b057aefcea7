import assert from 'node:assert/strict';
import { ArchiveStore } from '../../../../src/tasks/list/archiveStore.ts';
import { State } from '../../../support/state.ts';

describe('archived tasks', () => {
	const ended = { id: 'task-1', status: 'completed', completedAt: '2026-01-01T00:00:00Z' };

	it('are those of one connection, also after a reload', () => {
		const state = new State();
		const archived = new ArchiveStore(state);
		assert.ok(!archived.has('remote', ended));
		archived.add('remote', ended, 1);
		for (const window of [archived, new ArchiveStore(state.copy())]) {
			assert.ok(window.has('remote', ended));
			assert.ok(!window.has('local', ended));
			assert.ok(!window.has('remote', { ...ended, id: 'task-2' }));
		}
		archived.remove('remote', ended.id);
		assert.ok(!archived.has('remote', ended));
		assert.deepEqual(state.keys(), []);
	});

	it('come back when they go on, and stay when they have ended again', () => {
		const archived = new ArchiveStore(new State());
		archived.add('remote', ended, 1);
		assert.ok(!archived.has('remote', { ...ended, status: 'processing' }));
		assert.ok(!archived.has('remote', { ...ended, completedAt: '2026-01-02T00:00:00Z' }));
		const withoutTime = { id: 'task-2', status: 'stopped', completedAt: undefined };
		archived.add('remote', withoutTime, 1);
		assert.ok(archived.has('remote', withoutTime));
	});

	it('are at most 5,000, of which the one that was archived first comes back', () => {
		const state = new State();
		const archived = new ArchiveStore(state);
		for (let count = 0; count < 5001; count++) {
			archived.add('remote', { ...ended, id: `task-${count}` }, count === 7 ? -1 : count);
		}
		assert.equal(state.keys().length, 5000);
		assert.ok(!archived.has('remote', { ...ended, id: 'task-7' }));
		assert.ok(archived.has('remote', { ...ended, id: 'task-0' }));
	});

	it('are not read from what another version has written', async () => {
		const state = new State();
		await state.update('errand.tasks.archived/x', { connection: 'remote', taskId: 'task-1' });
		assert.ok(!new ArchiveStore(state).has('remote', ended));
	});
});
