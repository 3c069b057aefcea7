import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SharedState } from '../../../../src/platform/sharedState.ts';
import { TaskStarts } from '../../../../src/tasks/results/taskStarts.ts';

describe('the commits from which tasks were started', () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-state-'));
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const open = () => new TaskStarts(new SharedState(folder, { log: () => {} }));

	it('are known after a reload, and only so many of them', () => {
		const starts = open();
		starts.remember('first', 'a'.repeat(40));
		assert.equal(open().commitOf('first'), 'a'.repeat(40));
		assert.equal(open().commitOf('other'), undefined);
		for (let index = 0; index < 205; index++) {
			starts.remember(`task-${index}`, 'b'.repeat(40));
		}
		const kept = Array.from({ length: 205 }, (_, index) => open().commitOf(`task-${index}`)).filter(Boolean);
		assert.ok(kept.length <= 200);
		assert.equal(open().commitOf('task-204'), 'b'.repeat(40));
	});
});
