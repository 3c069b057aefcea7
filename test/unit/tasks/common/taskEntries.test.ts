import assert from 'node:assert/strict';
import * as z from 'zod';
import { TaskEntries } from '../../../../src/tasks/common/taskEntries.ts';
import { State } from '../../../support/state.ts';

describe('values about tasks in a shared state', () => {
	const schema = z.object({ connection: z.string(), taskId: z.string(), at: z.number() });

	it('are at most as many as allowed, of which the oldest goes', () => {
		const state = new State();
		const entries = new TaskEntries(state, 'values', schema, 5000);
		for (let count = 0; count < 5001; count++) {
			entries.set({ connection: 'remote', taskId: `task-${count}`, at: count === 7 ? -1 : count });
		}
		assert.equal(state.keys().length, 5000);
		assert.equal(entries.get('remote', 'task-7'), undefined);
		assert.ok(entries.get('remote', 'task-0'));
	});
});
