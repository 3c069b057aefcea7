import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { TASK_SCHEME } from '../../src/platform/ids.ts';
import { uriOf } from '../../src/tasks/common/taskUri.ts';
import { TaskDetails } from '../../src/tasks/list/taskDetails.ts';
import { TaskExport } from '../../src/tasks/taskExport.ts';
import { DOCUMENTED_TASK } from '../support/contractFields.ts';
import { startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';
import { activeConnection, changesAlone, taskRows } from './taskRows.ts';

describe('a task as a file', () => {
	let server: TaskServer;

	afterEach(() => server.stop());

	/** The parts of the tasks feature that these need, with one task at work. */
	const open = async () => {
		const started = await startTasks();
		server = started.server;
		server.add({ ...DOCUMENTED_TASK, id: 'one', prompt: 'Tell all of it', status: 'processing', completedAt: null });
		const active = activeConnection(started.client);
		await active.read();
		const { store } = taskRows(started.client);
		await store.refresh();
		const target = await active.targetOf('test');
		return { active, store, target, choose: async () => ({ id: 'one', target }) };
	};

	it('has every field that the contract documents, follows the list, and says why it cannot be read', async () => {
		const { active, store, choose } = await open();
		const details = new TaskDetails({ active, store, choose });
		const uri = (connection: string) =>
			uriOf(TASK_SCHEME, { target: { connection: { name: connection }, taskId: 'one' }, name: 'one.yaml' });
		const text = async (connection: string) => Buffer.from(await details.read(uri(connection))).toString();
		const before = await text('test');
		for (const name of Object.keys(DOCUMENTED_TASK).filter(field => field !== 'completedAt')) {
			assert.match(before, new RegExp(`^${name}: `, 'm'));
		}
		assert.match(before, /^status: processing$/m);
		const { mtime } = details.stat();
		server.finish('one', 'completed');
		await store.refresh();
		assert.ok(details.stat().mtime > mtime);
		assert.match(await text('test'), /^status: completed$/m);
		assert.match(await text('other'), /# This document belongs to the connection “other”, but “Test” is active\./);
		details.dispose();
		store.dispose();
	});

	it('is written as JSON where the user wants it, and its log where that is chosen or in front', async () => {
		const { store, choose } = await open();
		const picks = new QuickPicks();
		const { showSaveDialog } = vscode.window;
		const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-task-'));
		const file = path.join(folder, 'task.json');
		const proposed: string[] = [];
		Object.assign(vscode.window, {
			showSaveDialog: async ({ defaultUri }: vscode.SaveDialogOptions) => {
				proposed.push(path.basename(defaultUri?.path ?? ''));
				return vscode.Uri.file(file);
			},
		});
		try {
			const saved: unknown[] = [];
			let isInFront = false;
			const taskExport = new TaskExport({
				changes: changesAlone(),
				choose,
				logCommands: { isInFront: () => isInFront, save: async argument => void saved.push(argument) },
				explain: error => assert.fail(String(error)),
			});
			const run = async (label: string) => {
				const running = taskExport.run('one');
				await waitFor('the list', () => picks.rows().length > 0);
				await picks.pick(label);
				await running;
			};
			await run('Task, as JSON');
			assert.deepEqual(proposed, ['tell-all-of-it.json']);
			const { format, task } = JSON.parse(readFileSync(file, 'utf8'));
			assert.deepEqual([format, task.prompt], ['errand-task', 'Tell all of it']);
			await run('Log, as Text');
			isInFront = true;
			await taskExport.run('two');
			assert.deepEqual(saved, ['one', 'two']);
		} finally {
			Object.assign(vscode.window, { showSaveDialog });
			await picks.stop();
			await vscode.commands.executeCommand('notifications.clearAll');
			rmSync(folder, { recursive: true });
			store.dispose();
		}
	});
});
