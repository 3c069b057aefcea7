import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TaskArchive } from '../../src/tasks/list/taskArchive.ts';
import { NO_FILTER } from '../../src/tasks/model/taskFilter.ts';
import { startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { activeConnection, taskRows } from './taskRows.ts';

describe('the archive of tasks', () => {
	let server: TaskServer;

	afterEach(() => server.stop());

	it('hides the row of a task that has ended, until the filter shows it with a word and a command of its own', async () => {
		const started = await startTasks();
		server = started.server;
		const at = new Date().toISOString();
		for (const [id, status] of [
			['done', 'completed'],
			['other', 'failed'],
			['busy', 'processing'],
		] as const) {
			server.add({ id, status, createdAt: at, ...(status === 'processing' ? {} : { completedAt: at }) });
		}
		const active = activeConnection(started.client);
		await active.read();
		const { store, tree } = taskRows(started.client, { isArchived: task => archive.has(task) });
		let redrawn = 0;
		const archive: TaskArchive = new TaskArchive({
			globalState: started.state,
			store,
			active,
		});
		archive.onDidChange(() => redrawn++);
		const toggle = (argument: unknown) => archive.toggle(argument, (_id, run) => run());
		const shown = () => {
			tree.group();
			return tree.shownIds().sort();
		};
		await store.refresh();
		await toggle('done');
		await toggle('busy');
		assert.deepEqual(shown(), ['busy', 'other']);
		assert.equal(redrawn, 1);
		store.setFilter({ ...NO_FILTER, showsArchived: true });
		assert.deepEqual(shown(), ['busy', 'done', 'other']);
		const item = tree.getTreeItem(tree.taskNode('done'));
		assert.equal(item.contextValue, 'errand.task final');
		assert.match(String(item.description), /^archived · completed/);
		await toggle({ kind: 'task', taskId: 'done' });
		store.setFilter(NO_FILTER);
		assert.deepEqual(shown(), ['busy', 'done', 'other']);
		// From the palette, only what can be archived is offered.
		const chosen = toggle(undefined);
		await waitFor('the list', async () => {
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			return redrawn === 3;
		});
		await chosen;
		assert.equal(shown().length, 2);
		store.dispose();
	});
});
