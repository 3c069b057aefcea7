import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SharedState } from '../../../../src/platform/sharedState.ts';
import { UnreadTasks } from '../../../../src/tasks/list/unreadTasks.ts';

describe('the tasks that ended and were not looked at', () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-state-'));
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const open = () => new UnreadTasks(new SharedState(folder, { log: () => {} }));

	it('are counted for each connection until the user looks, also after a reload', () => {
		const ended = open();
		let changes = 0;
		ended.onDidChange(() => changes++);
		ended.add('one', 'task-1');
		ended.add('one', 'task-1');
		ended.add('one', 'task-2');
		ended.add('other', 'task-1');
		assert.deepEqual([ended.countOf('one'), ended.countOf('other'), ended.countOf('none')], [2, 1, 0]);
		ended.look('one', 'task-1');
		assert.equal(changes, 5);
		ended.look('one', 'never-ended');
		assert.equal(changes, 5, 'nothing has changed');
		assert.deepEqual([open().countOf('one'), open().countOf('other')], [1, 1]);
	});

	it('follow what another window has changed, when asked', () => {
		const [here, there] = [open(), open()];
		there.add('one', 'task-1');
		assert.equal(here.countOf('one'), 0);
		here.refresh();
		assert.equal(here.countOf('one'), 1);
	});

	it('are forgotten above a number, the oldest first', () => {
		const ended = open();
		for (let index = 0; index < 210; index++) {
			ended.add('one', `task-${index}`);
		}
		assert.equal(ended.countOf('one'), 200);
		assert.equal(open().countOf('one'), 200);
	});
});
