import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../../src/base/event.ts';
import { TaskNotices, type TaskNoticesDependencies } from '../../../src/tasks/list/taskNotices.ts';
import type { TaskEnd } from '../../../src/tasks/model/taskEnds.ts';
import { readTask } from '../../support/readTask.ts';

describe('the notice of a task that has ended out of sight', () => {
	let offered: string[][];

	beforeEach(() => {
		offered = [];
		Object.assign(vscode.window, {
			state: { focused: true },
			onDidChangeWindowState: () => ({ dispose: () => {} }),
			showInformationMessage: async (_: string, ...buttons: string[]) => {
				offered.push(buttons);
			},
		});
		Object.assign(vscode.workspace, { getConfiguration: () => ({ get: () => true }) });
	});
	afterEach(() => {
		for (const name of ['state', 'onDidChangeWindowState', 'showInformationMessage']) {
			Reflect.deleteProperty(vscode.window, name);
		}
		Reflect.deleteProperty(vscode.workspace, 'getConfiguration');
	});

	/** Tells of the end of a task, whose notice the user dismisses. */
	function end(fields: object): void {
		const ends = new Emitter<TaskEnd>();
		const notices = new TaskNotices({
			ends: { onDidEnd: ends.event },
			logs: { isVisible: () => false, show: assert.fail },
			unread: { add: () => {}, look: () => {} },
		} as unknown as TaskNoticesDependencies);
		ends.fire({ connection: 'local', task: readTask({ id: 'a', prompt: 'Fix it', status: 'completed', ...fields }) });
		notices.dispose();
	}

	it('leads to the changes where there are some, and else to the log alone', () => {
		end({ branchName: 'errand/fix' });
		end({});
		assert.deepEqual(offered, [
			['Review', 'Apply…', 'Log', 'Don’t Show Again'],
			['Log', 'Don’t Show Again'],
		]);
	});
});
